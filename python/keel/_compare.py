"""Methods on one model: error against a tight reference, and what it cost."""

from __future__ import annotations

import html
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Iterator, Sequence

import numpy as np

from ._errors import Error, RunError
from ._methods import needs_step
from ._run import Floats, Run, run_model

if TYPE_CHECKING:
    from ._model import Model

ROWS = 200
TIGHT = (1e-12, 1e-11, 1e-10)
SECOND_OPINION = "radau9"


@dataclass(frozen=True)
class Compared:
    """One method: largest error relative to the range of each quantity, and counts of its run."""

    asked: str
    method: str
    error: float
    steps: int
    evaluations: int
    seconds: float
    broken: str = ""
    failure: str = ""


@dataclass(frozen=True)
class Comparison:
    """A table of methods, in the order in which they were asked for."""

    model: str
    quantities: tuple[str, ...]
    rows: tuple[Compared, ...]
    reference: str
    uncertainty: float

    def __iter__(self) -> Iterator[Compared]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, method: str) -> Compared:
        for row in self.rows:
            if method in (row.asked, row.method):
                return row
        raise KeyError(method)

    def _table(self) -> list[tuple[str, ...]]:
        lines: list[tuple[str, ...]] = [("method", "error", "steps", "evaluations", "seconds", "")]
        for r in self.rows:
            remark = f"FAILED: {r.failure}" if r.failure else f"BROKEN: {r.broken}" if r.broken else ""
            shown = r.asked if r.asked == r.method or not r.method else f"{r.asked} = {r.method}"
            lines.append(
                (shown, f"{r.error:.1e}", str(r.steps), str(r.evaluations), f"{r.seconds:.2g}", remark)
            )
        return lines

    def _facts(self) -> str:
        sure = "not known" if math.isnan(self.uncertainty) else f"{self.uncertainty:.1e}"
        return f"error of {', '.join(self.quantities)} against {self.reference}, itself uncertain by {sure}"

    def __repr__(self) -> str:
        table = self._table()
        width = [max(len(line[i]) for line in table) for i in range(5)]
        lines = [
            "  ".join([line[0].ljust(width[0]), *(line[i].rjust(width[i]) for i in range(1, 5)), line[5]])
            for line in table
        ]
        return "\n".join([self.model, *(line.rstrip() for line in lines), self._facts()])

    def _repr_html_(self) -> str:
        head, *body = self._table()
        rows = "".join(
            "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in line) + "</tr>" for line in body
        )
        columns = "".join(f"<th>{cell}</th>" for cell in head)
        return f"<table><tr>{columns}</tr>{rows}</table><p>{html.escape(self._facts())}</p>"


def _words(method: dict[str, Any]) -> str:
    return "/".join(method[word] for word in ("integrator", "formulation", "stabilize"))


def _deviation(run: Run, reference: Floats, quantities: Sequence[str]) -> float:
    """The largest error of all quantities, each in units of its range."""
    values = np.column_stack([run[name] for name in quantities])
    if values.shape != reference.shape:
        return math.nan
    span = np.ptp(reference, axis=0)
    span[span == 0] = np.abs(reference).max() or 1.0
    return float((np.abs(values - reference) / span).max())


def _reference(model: "Model", options: dict[str, Any]) -> tuple[Run, str]:
    """The tightest run that the automatic choice completes."""
    failure: RunError | None = None
    for tolerance in TIGHT:
        try:
            tight = {**options, "method": "auto", "tolerance": tolerance}
            run = run_model(model, tight, None, None, warn=False)
        except RunError as error:
            failure = error
            continue
        if run.ok:
            return run, f"{_words(run.summary['method'])} at {tolerance:g}"
    raise failure or Error("no tight run kept its promises: there is nothing to compare with")


def _one(model: "Model", method: str, options: dict[str, Any], reference: Floats, names: Sequence[str]) -> Compared:
    try:
        run = run_model(model, {**options, "method": method}, None, None, warn=False)
    except Error as error:
        return Compared(method, "", math.nan, 0, 0, math.nan, failure=str(error).splitlines()[0])
    s = run.summary
    return Compared(
        method,
        _words(s["method"]),
        _deviation(run, reference, names),
        s["count"]["steps"],
        s["count"]["evaluations"],
        s["cpu_seconds"],
        broken=run.broken,
    )


def compare(
    model: "Model", methods: Sequence[str], *, quantities: Sequence[str] | None = None, **options: Any
) -> Comparison:
    """Runs a model with several methods, ["auto", "bdf", "generalized-alpha/index3"].

    Errors are taken at 200 times of the run, of the outputs (without outputs of the coordinates) or of the
    `quantities` that are named, against a run as tight as possible, which a second method judges. `options`
    are those of Model.run. Fixed steps, unless `step` is given, are as long as those of "auto" on average."""
    first = run_model(model, options, None, None, warn=False)
    names = tuple(quantities or model.outputs or model.coordinates)
    span = float(first.t[-1] - first.t[0])
    common = {**options, "output": span / ROWS}
    tight, description = _reference(model, common)
    reference = np.column_stack([tight[name] for name in names])
    second = _one(model, SECOND_OPINION, {**common, "tolerance": TIGHT[1]}, reference, names)
    step = {"step": span / max(first.summary["count"]["steps"], 1)}
    rows = tuple(
        _one(model, method, {**(step if needs_step(method) else {}), **common}, reference, names)
        for method in methods
    )
    return Comparison(model.name, names, rows, description, second.error)
