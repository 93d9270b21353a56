"""Keel: simulation of constrained mechanical systems.

    import keel
    m = keel.load("four_bar", r=0.005)
    print(m.check())
    r = m.run(until=2, tolerance=1e-9)
    r.plot("torque")
"""

from ._errors import BrokenPromise, Diagnostic, Error, ModelError, NameNotFound, RunError
from ._library import decode as _decode
from ._library import lib as _lib
from ._model import Check, Model, load, loads, models
from ._run import Run
from ._simulation import Simulation, State

__version__: str = _decode(_lib.keel_version())

__all__ = [
    "BrokenPromise",
    "Check",
    "Diagnostic",
    "Error",
    "Model",
    "ModelError",
    "NameNotFound",
    "Run",
    "RunError",
    "Simulation",
    "State",
    "load",
    "loads",
    "models",
]
