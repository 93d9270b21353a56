"""Models: from a file or a text, checked, run, or led step by step."""

from __future__ import annotations

import json
import os
from ctypes import c_int, create_string_buffer
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, Mapping

from . import _library as c
from ._errors import Diagnostic, Log, ModelError, fail
from ._library import Handle, lib
from ._run import Progress, Run, run_model
from ._simulation import Simulation

if TYPE_CHECKING:
    from ctypes import Array

SHIPPED = Path(__file__).with_name("models")


def models() -> list[str]:
    """Names of the models that come with the package: keel.load("four_bar")."""
    return sorted(path.stem for path in SHIPPED.glob("*.yaml"))


@dataclass(frozen=True)
class Check:
    """What a look at a model finds; `facts` has everything (docs/python.md lists the keys)."""

    facts: Mapping[str, Any] = field(repr=False)

    @property
    def degrees_of_freedom(self) -> int:
        """Freedoms that constraints and motions leave, by the rank of the Jacobian."""
        return int(self.facts["degrees_of_freedom"])

    @property
    def mobility(self) -> int | None:
        """Freedoms of a mechanism, those included that motions drive; None of equations."""
        return self.facts.get("mobility")

    @property
    def dependent(self) -> list[str]:
        """Constraints that depend on others, by name."""
        return list(self.facts["dependent"])

    @property
    def repeated(self) -> list[dict[str, Any]]:
        """Joints that repeat what others impose: `joint`, `conditions`, `of`, `text`."""
        return list(self.facts.get("repeated", []))

    @property
    def locked_bodies(self) -> list[str]:
        """Bodies that cannot move."""
        return list(self.facts.get("locked_bodies", []))

    def __getitem__(self, key: str) -> Any:
        return self.facts[key]

    def _lines(self) -> list[tuple[str, str]]:
        f = self.facts
        m = f["holonomic"] + f["nonholonomic"]
        lines = []
        if f["mechanism"]:
            lines.append(("mechanism", f"{f['bodies']} bodies, {f['joints']} joints"))
            if "mobility" in f:
                driven = f", motions use up {f['driven']}" if f["driven"] else ""
                lines.append(("mobility", f"{f['mobility']}{driven} (Gruebler: {f['gruebler']})"))
        lines.append(("degrees of freedom", str(f["degrees_of_freedom"])))
        lines.append(("coordinates", str(f["coordinates"])))
        lines.append(("constraints", f"{m}, {f['rank']} independent"))
        lines += [("dependent joints", r["text"]) for r in self.repeated]
        for key in ("dependent", "reactions_shared", "locked_bodies", "unconstrained_bodies"):
            if f.get(key):
                lines.append((key.replace("_", " "), ", ".join(f[key])))
        return lines

    def __repr__(self) -> str:
        return "\n".join([self.facts["name"], *(f"  {key:20} {text}" for key, text in self._lines())])

    def _repr_html_(self) -> str:
        from html import escape

        rows = "".join(
            f"<tr><th style='text-align:left'>{key}</th><td style='text-align:left'>{escape(text)}</td></tr>"
            for key, text in self._lines()
        )
        return f"<table><caption>{escape(self.facts['name'])}</caption>{rows}</table>"


class Model:
    """A model that is ready to run. It does not change: `replace` makes another one, options of `run` hold
    for that run. Threads may share it."""

    def __init__(self, source: str, text: str | None, parameters: Mapping[str, float | str]) -> None:
        self._source, self._text = source, text
        self._assigned = dict(parameters)
        log = Log()
        set_, count = c.assignments(parameters), len(parameters)
        pointer = (
            lib.keel_model_open(os.fsencode(source), set_, count, log.pointer)
            if text is None
            else lib.keel_model_open_text(source.encode(), text.encode(), set_, count, log.pointer)
        )
        if not pointer:
            raise fail(ModelError, log.messages(), "the model could not be read", self._read())
        self._handle = Handle(pointer, lib.keel_model_free)
        self._system: int = lib.keel_model_system(pointer)
        #: Warnings and notes of reading and assembling.
        self.diagnostics: tuple[Diagnostic, ...] = log.messages() if len(log) else ()

    def _read(self) -> str | None:
        try:
            return self._text if self._text is not None else Path(self._source).read_text("utf-8")
        except (OSError, UnicodeDecodeError):
            return None

    @property
    def name(self) -> str:
        return c.decode(lib.keel_model_name(self._handle.pointer))

    @property
    def text(self) -> str:
        """The model file."""
        return self._read() or ""

    @property
    def is_mechanism(self) -> bool:
        """Bodies and joints, not equations."""
        return bool(lib.keel_model_is_mechanism(self._handle.pointer))

    @property
    def parameters(self) -> dict[str, float]:
        """Parameters with the values that count."""
        p = self._handle.pointer
        return {
            c.decode(lib.keel_model_parameter_name(p, i)): lib.keel_model_parameter_value(p, i)
            for i in range(lib.keel_model_parameter_count(p))
        }

    def _sizes(self) -> "Array[c_int]":
        sizes = (c_int * len(c.SIZES))()
        lib.keel_system_sizes(self._system, sizes)
        return sizes

    def _names(self, of: int, count: int) -> list[str]:
        buffer = create_string_buffer(32)
        return [c.decode(lib.keel_system_name(self._system, of, i, buffer)) for i in range(count)]

    @property
    def outputs(self) -> list[str]:
        return self._names(c.NAME_OUTPUT, self._sizes()[5])

    @property
    def coordinates(self) -> list[str]:
        return self._names(c.NAME_Q, self._sizes()[0])

    @property
    def states(self) -> list[str]:
        """First-order states."""
        return self._names(c.NAME_Z, self._sizes()[2])

    @property
    def constraints(self) -> list[str]:
        return self._names(c.NAME_CONSTRAINT, self._sizes()[4])

    def replace(self, **parameters: float | str) -> "Model":
        """The same model with other values of parameters."""
        return Model(self._source, self._text, {**self._assigned, **parameters})

    def check(self) -> Check:
        """Mobility, what repeats what, what is locked: as `keel check`."""
        log = Log()
        text = c.take_text(lib.keel_model_check(self._handle.pointer, log.pointer))
        if text is None:
            raise fail(ModelError, log.messages(), "the model could not be checked")
        return Check(json.loads(text))

    def run(
        self,
        *,
        progress: Progress = None,
        stop: Callable[[], bool] | None = None,
        **options: float | str | bool,
    ) -> Run:
        """Runs from the start to the end.

        `options` are those of `simulate:` in a model file and hold for this run: until=2, tolerance=1e-9,
        method="bdf", step=0.01, output=0.01, ... `progress`: True and False show it or not, None only in
        terminals and notebooks and only when a run takes long; a function gets t and the end. The run ends
        early when `stop` answers True. Warns with BrokenPromise if the run did not keep what its method
        promises."""
        return run_model(self, options, progress, stop)

    def simulation(self, **options: float | str | bool) -> Simulation:
        """A simulation that you lead through time: step, look, change, go on."""
        return Simulation(self, options)

    def __reduce__(self) -> tuple[Any, ...]:
        return Model, (self._source, self._text, self._assigned)

    def __repr__(self) -> str:
        kind = "mechanism" if self.is_mechanism else "equations"
        parameters = ", ".join(f"{name}={value:.10g}" for name, value in self.parameters.items())
        return f"<keel.Model {self.name!r}: {kind}{'; ' if parameters else ''}{parameters}>"


def load(path: str | os.PathLike[str], /, **parameters: float | str) -> Model:
    """A model file, or by its bare name a model that comes with the package (keel.models()).

    Parameters as keywords: numbers, or formulas as texts."""
    source = os.fspath(path)
    shipped = SHIPPED / f"{source}.yaml"
    if not os.path.exists(source) and "/" not in source and shipped.exists():
        source = str(shipped)
    try:
        return Model(source, None, parameters)
    except ModelError as error:
        stem = Path(source).stem
        if not os.path.exists(source) and stem in models():
            error.args = (f"{error}\nThe package has a model of that name: keel.load({stem!r})",)
        raise


def loads(text: str, /, name: str = "<text>", **parameters: float | str) -> Model:
    """A model from a text; `name` stands in messages."""
    return Model(name, text, parameters)
