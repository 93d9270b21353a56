"""One model with many values of its parameters, in threads or processes."""

from __future__ import annotations

import itertools
import os
import threading
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Callable, Iterable, Iterator, Mapping, Union

from ._errors import Error
from ._run import Run, run_model

if TYPE_CHECKING:
    from ._model import Model

Case = Mapping[str, Union[float, str]]


class Sweep:
    """Results of a sweep: `sweep[i]` and iteration give them, `cases[i]` the parameters."""

    def __init__(self, cases: list[Case]) -> None:
        self.cases = cases
        #: What `each` made of the run of every case; None where it failed.
        self.results: list[Any] = [None] * len(cases)
        #: Numbers of the cases that failed, with what went wrong.
        self.errors: dict[int, Error] = {}
        #: Numbers of the cases whose run did not keep what its method promises, with what that is.
        self.broken: dict[int, str] = {}

    def __len__(self) -> int:
        return len(self.results)

    def __getitem__(self, i: int) -> Any:
        return self.results[i]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.results)

    def __repr__(self) -> str:
        bad = [f"{len(self.errors)} FAILED"] if self.errors else []
        bad += [f"{len(self.broken)} BROKE THEIR PROMISE"] if self.broken else []
        return f"<keel.Sweep of {len(self)} cases; {', '.join(bad) or 'all runs kept all promises'}>"


def _cases(parameters: Union[Mapping[str, Iterable[Any]], Iterable[Case]]) -> list[Case]:
    if not isinstance(parameters, Mapping):
        return list(parameters)
    names = list(parameters)
    return [dict(zip(names, values)) for values in itertools.product(*parameters.values())]


def _one(
    model: "Model",
    case: Case,
    options: Mapping[str, Any],
    each: Callable[[Run], Any] | None,
    stop: threading.Event | None = None,
) -> tuple[Any, str]:
    """In a worker: the result, and what the run did not keep."""
    run = run_model(model.replace(**case), options, False, stop.is_set if stop else None, warn=False)
    return (each(run) if each else run), run.broken


def sweep(
    model: "Model",
    parameters: Union[Mapping[str, Iterable[Any]], Iterable[Case]],
    *,
    each: Callable[[Run], Any] | None = None,
    pool: str = "threads",
    workers: int | None = None,
    **options: Any,
) -> Sweep:
    """Runs a model with all combinations of values, {"r": [0.005, 0.01], "speed": [3, 6]}, or with a list of
    cases, [{"r": 0.005}, {"r": 0.01}].

    Results are those of `each(run)`, in the order of the cases; without it, the runs. Runs take place outside
    of the interpreter lock, so that threads use all processors; `each` in Python takes turns in them, and
    pool="processes" is for one that takes long. Cases that fail are in `errors` and do not end the sweep;
    what other exceptions `each` raises does."""
    pools: dict[str, Callable[[int], Executor]] = {
        "threads": ThreadPoolExecutor,
        "processes": ProcessPoolExecutor,
    }
    if pool not in pools:
        raise ValueError(f"pool is 'threads' or 'processes', not {pool!r}")
    result = Sweep(_cases(parameters))
    stop = threading.Event()
    shared = (stop,) if pool == "threads" else ()
    with pools[pool](workers or len(os.sched_getaffinity(0))) as executor:
        jobs: list[Future[tuple[Any, str]]] = [
            executor.submit(_one, model, case, options, each, *shared) for case in result.cases
        ]
        try:
            for i, job in enumerate(jobs):
                _take(result, i, job)
        except BaseException:
            stop.set()
            executor.shutdown(wait=False, cancel_futures=True)
            raise
    return result


def _take(result: Sweep, i: int, job: "Future[tuple[Any, str]]") -> None:
    try:
        result.results[i], broken = job.result()
        if broken:
            result.broken[i] = broken
    except Error as error:
        result.errors[i] = error
