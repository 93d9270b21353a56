"""Keel: simulation of constrained mechanical systems.

    import keel
    m = keel.load("four_bar", r=0.005)
    print(m.check())
    r = m.run(until=2, tolerance=1e-9)
    r.plot("torque")
"""

from ._compare import Compared, Comparison, compare
from ._errors import BrokenPromise, Diagnostic, Error, ModelError, NameNotFound, RunError
from ._library import decode as _decode
from ._library import lib as _lib
from ._mechanism import Mechanism
from ._model import Check, Model, load, loads, models
from ._run import Run
from ._simulation import Samples, Simulation, State
from ._sweep import Sweep, sweep

__version__: str = _decode(_lib.keel_version())

__all__ = [
    "BrokenPromise",
    "Check",
    "Compared",
    "Comparison",
    "Diagnostic",
    "Error",
    "Mechanism",
    "Model",
    "ModelError",
    "NameNotFound",
    "Run",
    "RunError",
    "Samples",
    "Simulation",
    "State",
    "Sweep",
    "compare",
    "load",
    "loads",
    "models",
    "sweep",
]
