"""A run: its rows as arrays, its verdict, pictures and files."""

from __future__ import annotations

import ctypes
import difflib
import html
import json
import os
import tempfile
import warnings
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, Iterator, Mapping, Union

import numpy as np
import numpy.typing as npt

from . import _library as c
from ._errors import BrokenPromise, Error, Log, NameNotFound, RunError, ModelError, fail
from ._library import Handle, lib
from ._progress import Watch

if TYPE_CHECKING:
    from ._model import Model

Floats = npt.NDArray[np.float64]
Progress = Union[None, bool, Callable[[float, float], object]]


class Run:
    """The rows of a run, and how it ended. `r["torque"]` is a column as a numpy array."""

    def __init__(self, model: "Model", handle: Handle) -> None:
        self._handle: Handle | None = handle
        pointer = handle.pointer
        self.model = model
        #: "ok", or how the run ended.
        self.status: int = lib.keel_trajectory_status(pointer)
        broken = ctypes.create_string_buffer(512)
        #: True if the run reached its end and kept what its method promises (docs/verdict.md).
        self.ok = bool(lib.keel_trajectory_kept_promises(pointer, broken, 512)) and self.status == c.OK
        #: What it did not keep, or "".
        self.broken: str = c.decode(broken.value)
        rows, columns = lib.keel_trajectory_rows(pointer), lib.keel_trajectory_columns(pointer)
        #: All rows as an array [rows, columns], which cannot be written to.
        self.values: Floats = np.empty((0, columns))
        if rows:
            memory = (ctypes.c_double * (rows * columns)).from_address(lib.keel_trajectory_values(pointer))
            setattr(memory, "_keel_owner", handle)  # arrays outlive the run
            self.values = np.frombuffer(memory).reshape(rows, columns)
            self.values.flags.writeable = False

    def _columns(self, function: Callable[[int, int], Any]) -> list[Any]:
        assert self._handle
        return [function(self._handle.pointer, i) for i in range(self.values.shape[1])]

    @cached_property
    def names(self) -> list[str]:
        """Names of the columns (docs/results.md)."""
        return [c.decode(name) for name in self._columns(lib.keel_trajectory_name)]

    @cached_property
    def units(self) -> dict[str, str]:
        """Units of the columns; "" where one is not known."""
        return dict(zip(self.names, map(c.decode, self._columns(lib.keel_trajectory_unit))))

    @cached_property
    def shared(self) -> list[str]:
        """Columns that dependent constraints share: one of many equally good values."""
        flags = self._columns(lib.keel_trajectory_is_shared)
        return [name for name, flag in zip(self.names, flags) if flag]

    @cached_property
    def _number(self) -> dict[str, int]:
        return {name: i for i, name in enumerate(self.names)}

    @cached_property
    def summary(self) -> dict[str, Any]:
        """Facts of the run: violations, energy, counts, verdict (docs/summary.md)."""
        text = c.take_text(lib.keel_trajectory_summary(self._handle.pointer)) if self._handle else None
        if text is None:
            raise MemoryError("out of memory")
        return dict(json.loads(text))

    @property
    def t(self) -> Floats:
        """Times of the rows."""
        return self.values[:, 0]

    def __getitem__(self, name: str) -> Floats:
        if name not in self._number:
            near = difflib.get_close_matches(name, self.names, 1)
            hint = f"; did you mean {near[0]!r}?" if near else f"; there are {', '.join(self.names)}"
            raise NameNotFound(f"the run has no column {name!r}{hint}")
        return self.values[:, self._number[name]]

    def __contains__(self, name: object) -> bool:
        return name in self._number

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        """Number of rows."""
        return int(self.values.shape[0])

    def frame(self) -> Any:
        """All columns: a pandas.DataFrame with t as its index; without pandas a structured numpy array."""
        try:
            import pandas
        except ImportError:
            rows = np.empty(len(self), dtype=[(name, float) for name in self.names])
            for name, column in zip(self.names, self.values.T):
                rows[name] = column
            return rows
        frame = pandas.DataFrame(np.array(self.values), columns=self.names)
        return frame.set_index("t")

    def plot(self, *names: str, ax: Any = None) -> Any:
        """Draws columns over time with matplotlib, all outputs without names; gives the axes."""
        import matplotlib.pyplot as plt

        shown = names or tuple(self.model.outputs or self.model.coordinates)
        ax = ax if ax is not None else plt.gca()
        for name in shown:
            unit = self.units.get(name)
            ax.plot(self.t, self[name], label=f"{name} [{unit}]" if unit else name)
        ax.set_xlabel("t [s]" if self.units.get("t") == "s" else "t")
        ax.set_title(self.model.name if self.ok else f"{self.model.name} - {self._verdict()}")
        ax.legend()
        return ax

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the rows as .csv, or the page of the run as .html."""
        if self._handle is None:
            raise Error("this run came from another process: run the model here to save it")
        log = Log()
        if lib.keel_trajectory_save(self._handle.pointer, os.fsencode(path), log.pointer):
            raise fail(Error, log.messages(), f"{os.fspath(path)} could not be written")

    def report(self, path: str | os.PathLike[str]) -> None:
        """Writes the page of the run: plots and animation in one HTML file that needs nothing else."""
        if not os.fspath(path).endswith(".html"):
            raise Error(f"{os.fspath(path)!r}: a report is a page, its name ends with .html")
        self.save(path)

    def _verdict(self) -> str:
        if self.ok:
            return "kept all promises"
        if self.status == c.OK:
            return f"BROKE ITS PROMISE: {self.broken}"
        return f"ended at t = {self.t[-1]:.6g}: {ended(self.status)}" if len(self) else ended(self.status)

    def __repr__(self) -> str:
        span = f"t = {self.t[0]:.6g} .. {self.t[-1]:.6g}, " if len(self) else ""
        return f"<keel.Run of {self.model.name!r}: {span}{len(self)} rows; {self._verdict()}>"

    def _repr_html_(self) -> str:
        """For notebooks: the verdict, and the page with plots and animation."""
        colour = "inherit" if self.ok else "#b00020"
        head = f"<p style='color:{colour}'><b>{html.escape(self.model.name)}</b>: {html.escape(self._verdict())}</p>"
        if self._handle is None or not len(self):
            return head
        with tempfile.TemporaryDirectory() as folder:
            page = Path(folder, "page.html")
            self.save(page)
            text = page.read_text("utf-8")
        return (
            f"{head}<iframe srcdoc='{html.escape(text)}' style='width:100%;height:640px;border:0' "
            f"title='{html.escape(self.model.name)}'></iframe>"
        )

    def __getstate__(self) -> dict[str, Any]:
        """What goes to another process: the numbers and facts, without the run that files are made of."""
        self.names, self.units, self.shared, self.summary
        state = {k: v for k, v in self.__dict__.items() if k not in ("_handle", "model", "values")}
        return {**state, "_handle": None, "model": self.model, "values": np.array(self.values)}


def ended(status: int) -> str:
    """A sentence for a status."""
    return c.decode(lib.keel_status_text(status))


def run_model(
    model: "Model",
    options: Mapping[str, object],
    progress: Progress,
    stop: Callable[[], bool] | None,
    *,
    warn: bool = True,
) -> Run:
    """Model.run; without `warn` the caller looks at `broken` itself."""
    log = Log()
    with Watch(model.name, progress, stop) as watch:
        pointer = lib.keel_model_run_with(
            model._handle.pointer, c.assignments(options), len(options), watch.watcher, log.pointer
        )
    if not pointer:
        raise fail(ModelError, log.messages(), "out of memory")
    run = Run(model, Handle(pointer, lib.keel_trajectory_free, model._handle))
    watch.raise_again(run)
    if run.status == c.ERROR_INPUT and not len(run):
        raise fail(ModelError, log.messages(), ended(run.status))
    if run.status < 0:
        error = fail(RunError, log.messages(), ended(run.status))
        error.run = run
        raise error
    if warn and run.status == c.OK and not run.ok:
        warnings.warn(f"{model.name}: {run.broken}", BrokenPromise, stacklevel=3)
    return run
