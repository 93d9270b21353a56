"""The shared library needs nothing but the C library, and is not changed where it is loaded."""

import subprocess

import keel


def read_elf(*options):
    path = keel.__path__[0] + "/libkeel_python.so"
    return subprocess.run(
        ["readelf", "-W", *options, path], capture_output=True, text=True, check=True
    ).stdout


def test_needs_only_the_c_library():
    needed = {line.split("[")[1].rstrip("]") for line in read_elf("-d").splitlines() if "(NEEDED)" in line}
    assert needed <= {"libc.so.6", "libm.so.6", "libpthread.so.0", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}
    assert "libc.so.6" in needed


def test_is_not_changed_in_memory():
    assert "TEXTREL" not in read_elf("-d")


def test_shows_only_its_own_names():
    symbols = [line.split() for line in read_elf("--dyn-syms").splitlines()]
    shown = {words[7] for words in symbols if len(words) == 8 and words[4] == "GLOBAL" and words[6] != "UND"}
    assert "keel_model_open" in shown
    assert all(name.startswith("keel_") for name in shown)


def test_has_the_version_of_the_program(top):
    assert f"project(keel VERSION {keel.__version__} " in (top / "CMakeLists.txt").read_text()
