"""A simulation that the caller leads through time."""

from __future__ import annotations

from ctypes import byref
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Mapping

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

    def step(self, dt: float | None = None) -> "Simulation":
        """Goes on by dt; without it by one step of the method."""
        if dt is not None:
            self._advance(self._t + dt)
            return self
        before = len(self._log)
        if self._t >= lib.keel_simulation_time(self._handle.pointer):
            self._done(lib.keel_simulation_step(self._handle.pointer), before)
        self._advance(lib.keel_simulation_time(self._handle.pointer))
        return self

    def advance(self, t: float) -> "Simulation":
        """Goes on to time t."""
        self._advance(float(t))
        return self

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
        return {name: self[name] for name in self.model.outputs}

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
