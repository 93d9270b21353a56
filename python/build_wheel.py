#!/usr/bin/env python3
"""Writes the wheel: the package, the shared library and the models in one archive. Needs no network.

    python/build_wheel.py BUILD_DIR       writes BUILD_DIR/python/keel-VERSION-py3-none-PLATFORM.whl
"""

import base64
import hashlib
import platform
import re
import sys
import zipfile
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
TIME = (1980, 1, 1, 0, 0, 0)  # the same files make the same wheel

METADATA = """\
Metadata-Version: 2.1
Name: keel
Version: {version}
Summary: Simulation of constrained mechanical systems
License: MIT
Requires-Python: >=3.9
Requires-Dist: numpy
Provides-Extra: plot
Requires-Dist: matplotlib; extra == "plot"
Provides-Extra: frame
Requires-Dist: pandas; extra == "frame"
Description-Content-Type: text/markdown

{description}"""

WHEEL = """\
Wheel-Version: 1.0
Generator: keel
Root-Is-Purelib: false
Tag: {tag}
"""


def version() -> str:
    found = re.search(r"project\(keel VERSION ([0-9.]+)", (TOP / "CMakeLists.txt").read_text())
    assert found
    return found.group(1)


def contents(build: Path, info: str, tag: str) -> dict[str, bytes]:
    package = TOP / "python" / "keel"
    files = {f"keel/{path.name}": path.read_bytes() for path in package.iterdir() if path.is_file()}
    files["keel/libkeel_python.so"] = (build / "python" / "libkeel_python.so").read_bytes()
    for path in (TOP / "models").glob("*.yaml"):
        files[f"keel/models/{path.name}"] = path.read_bytes()
    description = (TOP / "python" / "README.md").read_text()
    files[f"{info}/METADATA"] = METADATA.format(version=version(), description=description).encode()
    files[f"{info}/WHEEL"] = WHEEL.format(tag=tag).encode()
    files[f"{info}/LICENSE"] = (TOP / "LICENSE").read_bytes()
    return files


def record_line(name: str, data: bytes) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(data)}\n"


def main() -> None:
    build = Path(sys.argv[1])
    tag = f"py3-none-linux_{platform.machine()}"
    info = f"keel-{version()}.dist-info"
    files = contents(build, info, tag)
    record = "".join(record_line(name, data) for name, data in sorted(files.items()))
    files[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()
    for old in (build / "python").glob("keel-*.whl"):
        old.unlink()
    wheel = build / "python" / f"keel-{version()}-{tag}.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in sorted(files.items()):
            entry = zipfile.ZipInfo(name, TIME)
            entry.external_attr = (0o755 if name.endswith(".so") else 0o644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, data)
    print(wheel)


main()
