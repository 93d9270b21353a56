"""A simulation that the caller leads through time."""

from __future__ import annotations

from ctypes import byref
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Callable, Mapping, Sequence

import numpy as np

from . import _library as c
from ._errors import Log, ModelError, NameNotFound, RunError, fail
from ._library import Handle, Quantity, lib

if TYPE_CHECKING:
    from ._model import Model
    from ._run import Floats


@dataclass
class State:
    """Time, coordinates, velocities, first-order states, auxiliary unknowns, multipliers."""

    t: float
    q: "Floats"
    v: "Floats"
    z: "Floats"
    s: "Floats"
    multipliers: "Floats"

    def _as_c(self) -> c.CState:
        return c.CState(self.t, *(getattr(self, f.name).ctypes.data for f in fields(self)[1:]))

    def copy(self) -> "State":
        return State(self.t, *(getattr(self, f.name).copy() for f in fields(self)[1:]))

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, State)
            and self.t == other.t
            and all(np.array_equal(getattr(self, f.name), getattr(other, f.name)) for f in fields(self)[1:])
        )


class _Rates:
    """Quantities by the names of what they are the rates of."""

    def __init__(self, of: "Simulation") -> None:
        self._of = of

    def __getitem__(self, name: str) -> float:
        return self._of[name + "'"]


#: From t, quantities and their rates, by name, to the value of an input.
Controller = Callable[[float, "Simulation", _Rates], float]


class Samples:
    """What `Simulation.drive` met: columns by name, a row where every interval begins and one at the end."""

    def __init__(self, names: Sequence[str], values: "Floats") -> None:
        self.names, self.values = list(names), values

    @property
    def t(self) -> "Floats":
        return self["t"]

    def __getitem__(self, name: str) -> "Floats":
        if name not in self.names:
            raise NameNotFound(f"there is no sampled {name!r}; there are {', '.join(self.names)}")
        column: "Floats" = self.values[:, self.names.index(name)]
        return column

    def __len__(self) -> int:
        return int(self.values.shape[0])

    def __repr__(self) -> str:
        return f"<keel.Samples: {len(self)} of {', '.join(self.names)}>"


class Simulation:
    """`step` and `advance` go on in time, `s["angle"]` reads a quantity there, `s.state` is read and set."""

    def __init__(self, model: "Model", options: Mapping[str, object]) -> None:
        self.model = model
        self._log = Log()
        pointer = lib.keel_simulation_open_with(
            model._handle.pointer, c.assignments(options), len(options), self._log.pointer
        )
        if not pointer:
            raise fail(ModelError, self._log.messages(), "the simulation could not begin")
        self._handle = Handle(pointer, lib.keel_simulation_free, (model._handle, self._log.handle))
        self._row = Handle(lib.keel_row_new(), lib.keel_row_free)
        self._system = model._system
        self._quantities: dict[str, Quantity] = {}
        self._inputs: dict[str, int] = {}
        self._outputs = model.outputs
        self._sizes = list(model._sizes())
        self._t: float = lib.keel_simulation_time(pointer)
        self._advance(self._t)

    def _done(self, status: int, before: int) -> None:
        if status < 0:
            text = c.decode(lib.keel_status_text(status))
            raise fail(RunError, self._log.messages(before), text)

    def _advance(self, t: float) -> None:
        before = len(self._log)
        self._done(lib.keel_simulation_advance(self._handle.pointer, t, self._row.pointer), before)
        self._t = t

    @property
    def t(self) -> float:
        """The time reached."""
        return self._t

    def set(self, **inputs: float) -> "Simulation":
        """Sets inputs of the model from now on, until they are set again."""
        before = len(self._log)
        for name, value in inputs.items():
            if name not in self._inputs:
                log = Log()
                number = lib.keel_find_input(self._system, name.encode(), log.pointer)
                if number < 0:
                    raise NameNotFound("; ".join(m.text for m in log.messages()))
                self._inputs[name] = number
            status = lib.keel_simulation_set_input(self._handle.pointer, self._inputs[name], float(value))
            self._done(status, before)
        return self

    def step(self, dt: float | None = None, **inputs: float) -> "Simulation":
        """Goes on by dt, with inputs set first; without dt by one step of the method."""
        if inputs:
            self.set(**inputs)
        if dt is not None:
            self._advance(self._t + dt)
            return self
        before = len(self._log)
        if self._t >= lib.keel_simulation_time(self._handle.pointer):
            self._done(lib.keel_simulation_step(self._handle.pointer), before)
        self._advance(lib.keel_simulation_time(self._handle.pointer))
        return self

    def advance(self, t: float, **inputs: float) -> "Simulation":
        """Goes on to time t, with inputs set first."""
        if inputs:
            self.set(**inputs)
        self._advance(float(t))
        return self

    def drive(
        self,
        until: float,
        every: float,
        controllers: Mapping[str, Controller] | None = None,
        /,
        **more: Controller,
    ) -> Samples:
        """Goes on to `until` with inputs that Python functions give: s.drive(2, 0.001, torque=motor).

        A function gets t, quantities and their rates by name, `def motor(t, q, v): return -3*v["O.angle"]`, where
        every interval begins; its value is held until the next one. Samples are t, outputs and these inputs."""
        functions = {**(controllers or {}), **more}
        names = ["t", *self._outputs, *functions]
        rates, begin, rows = _Rates(self), self._t, []
        count = max(int(np.ceil((until - begin) / every - 1e-9)), 0)
        values = {}
        for i in range(count):
            values = {name: float(function(self._t, self, rates)) for name, function in functions.items()}
            self.set(**values)
            rows.append([self._t, *self.outputs.values(), *values.values()])
            self._advance(min(begin + (i + 1) * every, until))
        rows.append([self._t, *self.outputs.values(), *(values.get(name, np.nan) for name in functions)])
        return Samples(names, np.array(rows))

    def __getitem__(self, name: str) -> float:
        quantity = self._quantities.get(name)
        if quantity is None:
            log = Log()
            quantity = lib.keel_find_quantity(self._system, name.encode(), log.pointer)
            if quantity.kind == 0:
                raise NameNotFound("; ".join(m.text for m in log.messages()))
            self._quantities[name] = quantity
        return float(lib.keel_row_value(self._row.pointer, quantity))

    @property
    def outputs(self) -> dict[str, float]:
        return {name: self[name] for name in self._outputs}

    @property
    def state(self) -> State:
        """A copy of the state at `t`. Setting one begins anew from there: it may lie before."""
        state = State(0.0, *(np.zeros(n) for n in self._sizes[:5]))
        raw = state._as_c()
        lib.keel_row_state(self._row.pointer, self._system, byref(raw))
        state.t = raw.t
        return state

    @state.setter
    def state(self, state: State) -> None:
        arrays = [np.ascontiguousarray(getattr(state, f.name), dtype=float) for f in fields(state)[1:]]
        for f, array, size in zip(fields(state)[1:], arrays, self._sizes):
            if array.shape != (size,):
                raise ValueError(f"state.{f.name} has the shape {array.shape}, the model has {size} of them")
        raw = State(float(state.t), *arrays)._as_c()
        before = len(self._log)
        self._done(lib.keel_simulation_set_state(self._handle.pointer, byref(raw)), before)
        self._advance(lib.keel_simulation_time(self._handle.pointer))

    def reset(self) -> "Simulation":
        """Begins anew from the start."""
        before = len(self._log)
        self._done(lib.keel_simulation_reset(self._handle.pointer), before)
        self._advance(lib.keel_simulation_time(self._handle.pointer))
        return self

    def __repr__(self) -> str:
        return f"<keel.Simulation of {self.model.name!r} at t = {self._t:.10g}>"
