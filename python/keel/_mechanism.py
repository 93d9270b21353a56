"""Mechanisms built in Python: bodies, joints, forces; written as a model file that a person would write."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Iterable, Mapping, Sequence, Union

from ._model import Model, loads

if TYPE_CHECKING:
    from ._run import Run

Formula = Union[str, float]
Place = Union[str, Sequence[Formula]]

SECTIONS = (
    "parameters",
    "inputs",
    "points",
    "bodies",
    "joints",
    "states",
    "definitions",
    "forces",
    "motions",
    "start",
    "outputs",
)
WIDTH = 110  # columns of a line

# texts that YAML takes as they stand, also inside of braces
_PLAIN = re.compile(r"[A-Za-z0-9_.(/+$-][^,\[\]{}:#&*!|>\"%@`\n\\]*(\*[^,\[\]{}:#&*!|>\"%@`\n\\]+)*")


def _scalar(value: object) -> str:
    """A number, a word or a formula."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        plain = _PLAIN.fullmatch(value) and value == value.strip() and not value.startswith(("- ", "---"))
        return value if plain else '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    number = float(value)  # type: ignore[arg-type]
    return str(int(number)) if number.is_integer() and abs(number) < 1e15 else repr(number)


def _is_list(value: object) -> bool:
    return not isinstance(value, (str, Mapping)) and isinstance(value, Iterable)


def _flow(value: Any) -> str:
    """In one line: {shape: rod, from: O, to: [0, 1]}"""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_scalar(k)}: {_flow(v)}" for k, v in value.items()) + "}"
    if _is_list(value):
        return "[" + ", ".join(map(_flow, value)) + "]"
    return _scalar(value)


def _entry(key: str, value: Any, indent: int) -> list[str]:
    """`key: value` in one line if it fits, else over several."""
    line = " " * indent + f"{_scalar(key)}: {_flow(value)}"
    if len(line) <= WIDTH or not isinstance(value, Mapping):
        return [line]
    inner = [text for k, v in value.items() for text in _entry(k, v, indent + 2)]
    return [" " * indent + f"{_scalar(key)}:", *inner]


def _section(key: str, value: Mapping[str, Any], lines: bool) -> list[str]:
    """A section of the file: in one line if it is short, or always with a line for every part."""
    if not lines:
        return _entry(key, value, 0)
    return [f"{key}:", *(text for name, part in value.items() for text in _entry(name, part, 2))]


def _keys(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Keys as the file has them: Python needs from_ for from. What is None is left out."""
    return {key.rstrip("_"): value for key, value in fields.items() if value is not None}


class Mechanism:
    """A mechanism as it is drawn, part by part. Places are world positions in the drawn pose, or names of
    points; numbers may be formulas of the parameters. Keys are those of docs/model-format.md.

        m = keel.Mechanism("pendulum", planar=True, gravity=9.81)
        m.body("rod", shape="rod", from_=[0, 0], to=[1, 0], mass=1)
        m.joint("pin", "revolute", "ground", "rod", at=[0, 0])
        m.outputs(angle="pin.angle")
        r = m.model().run(until=2)

    `yaml()` is the model file; what is wrong is found when it is read, `model()`, and told with its line."""

    def __init__(self, name: str, **fields: Any) -> None:
        self.name = name
        self._fields = _keys(fields)
        self._simulate: dict[str, Any] = {}
        self._sections: dict[str, dict[str, Any]] = {
            key: {}
            for key in SECTIONS
        }

    def _add(self, section: str, name: str, part: Any) -> "Mechanism":
        if name in self._sections[section]:
            raise ValueError(f"{section!r} has {name!r} already")
        self._sections[section][name] = part
        return self

    def _add_all(self, section: str, named: Mapping[str, Any] | None, more: Mapping[str, Any]) -> "Mechanism":
        for name, value in {**(named or {}), **more}.items():
            self._add(section, name, value)
        return self

    def parameters(self, named: Mapping[str, Formula] | None = None, /, **more: Formula) -> "Mechanism":
        """Parameters: m.parameters(r=0.008, speed="2*pi")."""
        return self._add_all("parameters", named, more)

    def points(self, named: Mapping[str, Place] | None = None, /, **more: Place) -> "Mechanism":
        """Places of the drawing that others may name: m.points(O=[0, 0], A=[0, 0.1])."""
        return self._add_all("points", named, more)

    def body(self, name: str, **fields: Any) -> "Mechanism":
        """A body: mass, centre, inertia; or shape, from_, to, radius, density, ...; points."""
        return self._add("bodies", name, _keys(fields))

    def joint(self, name: str, type: str, *bodies: str, **fields: Any) -> "Mechanism":
        """A joint between two bodies: m.joint("A", "revolute", "crank", "coupler", at=..., axis=...)."""
        return self._add("joints", name, _keys({"type": type, "bodies": list(bodies) or None, **fields}))

    def force(self, name: str, type: str, **fields: Any) -> "Mechanism":
        """A force: "spring", "torsion", "force", "torque", "bushing" with their keys."""
        return self._add("forces", name, _keys({"type": type, **fields}))

    def inputs(self, named: Mapping[str, Formula] | None = None, /, **more: Formula) -> "Mechanism":
        """Numbers that formulas may use and a simulation sets, with their values until then: m.inputs(torque=0)."""
        return self._add_all("inputs", named, more)

    def state(self, name: str, start: Formula, rate: Formula) -> "Mechanism":
        """A first-order state, of a controller or an actuator: its rate may use what forces may use."""
        return self._add("states", name, {"start": start, "rate": rate})

    def definitions(self, named: Mapping[str, Formula] | None = None, /, **more: Formula) -> "Mechanism":
        """Names for formulas."""
        return self._add_all("definitions", named, more)

    def motion(
        self, name: str, of: str, *, value: Formula | None = None, speed: Formula | None = None
    ) -> "Mechanism":
        """Drives a quantity by a formula of t, or with a constant speed."""
        return self._add("motions", name, _keys({"of": of, "value": value, "speed": speed}))

    def start(self, named: Mapping[str, Formula] | None = None, /, **more: Formula) -> "Mechanism":
        """Values at the start: m.start({"pin.angle": "30 deg", "pin.angle'": 2})."""
        return self._add_all("start", named, more)

    def outputs(self, named: Mapping[str, Formula] | None = None, /, **more: Formula) -> "Mechanism":
        """Formulas of quantities to report: m.outputs(torque="motor.torque")."""
        return self._add_all("outputs", named, more)

    def simulate(self, **options: Formula) -> "Mechanism":
        """Options of runs, which `run` may replace: m.simulate(until=2, tolerance=1e-9)."""
        self._simulate.update(options)
        return self

    def yaml(self) -> str:
        """The model file."""
        lines = ["keel: 1", f"name: {_scalar(self.name)}"]
        for key, value in self._fields.items():
            lines += _entry(key, value, 0)
        for key, section in self._sections.items():
            if section:
                lines += _section(key, section, key in ("bodies", "joints", "forces"))
        if self._simulate:
            lines += _entry("simulate", self._simulate, 0)
        return "\n".join(lines) + "\n"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the model file."""
        Path(path).write_text(self.yaml(), "utf-8")

    def model(self, **parameters: Formula) -> Model:
        """Reads, assembles and checks the mechanism."""
        return loads(self.yaml(), self.name, **parameters)

    def run(self, **options: Any) -> "Run":
        """A run of `model()`."""
        return self.model().run(**options)

    def __repr__(self) -> str:
        s = self._sections
        return f"<keel.Mechanism {self.name!r}: {len(s['bodies'])} bodies, {len(s['joints'])} joints>"
