"""Who watches a run: shows how far it is, and ends it on Ctrl-C."""

from __future__ import annotations

import signal
import sys
import threading
import time
from ctypes import byref
from types import FrameType, TracebackType
from typing import TYPE_CHECKING, Any, Callable, Protocol, Union

from ._library import Progress as CProgress
from ._library import Watcher

if TYPE_CHECKING:
    from ._run import Run

INTERVAL = 0.05  # seconds between two looks
PATIENCE = 0.5  # seconds that a run may take before it shows progress by itself


class _Screen(Protocol):
    def show(self, text: str) -> None: ...

    def close(self) -> None: ...


class _Terminal:
    """A line on standard error that is written anew."""

    def show(self, text: str) -> None:
        sys.stderr.write(f"\r{text}\033[K")
        sys.stderr.flush()

    def close(self) -> None:
        sys.stderr.write("\r\033[K")
        sys.stderr.flush()


class _Notebook:
    """A line under the cell that is written anew."""

    def __init__(self) -> None:
        from IPython.display import display

        self._display: Any = display({"text/plain": ""}, raw=True, display_id=True)

    def show(self, text: str) -> None:
        self._display.update({"text/plain": text}, raw=True)

    def close(self) -> None:
        self.show("")


def _in_notebook() -> bool:
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython and hasattr(ipython, "get_ipython") else None
    return shell is not None and hasattr(shell, "kernel")


class Watch:
    """Around a run: `watcher` goes to the library. Signals that come meanwhile end the run, and do what they
    do afterwards (`raise_again`)."""

    def __init__(
        self,
        name: str,
        progress: Union[None, bool, Callable[[float, float], object]],
        stop: Callable[[], bool] | None,
    ) -> None:
        self._name, self._progress, self._stop = name, progress, stop
        self._screen: _Screen | None = None
        self._raised: BaseException | None = None
        self._handler: Any = None
        self._begin = time.monotonic()
        self.watcher: Any = byref(Watcher(CProgress(self._look), None, INTERVAL))

    def __enter__(self) -> "Watch":
        if threading.current_thread() is threading.main_thread():
            before = signal.getsignal(signal.SIGINT)
            if callable(before):
                self._handler = before
                signal.signal(signal.SIGINT, self._on_signal)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.watcher = None  # it refers to this object, in a way that the garbage collector does not see
        if self._handler is not None:
            signal.signal(signal.SIGINT, self._handler)
        if self._screen:
            self._screen.close()

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        """In the place of the handler that was there, which may raise: that would be lost inside of a run."""
        try:
            self._handler(number, frame)
        except BaseException as error:
            self._raised = error

    def _look(self, user: int | None, t: float, until: float) -> int:
        try:
            if self._raised is None and callable(self._progress):
                self._progress(t, until)
            elif self._raised is None:
                self._show(t, until)
            ended = self._stop is not None and self._stop()
        except BaseException as error:
            self._raised = error
        return int(self._raised is not None or ended)

    def _show(self, t: float, until: float) -> None:
        if self._progress is False or (self._progress is None and time.monotonic() < self._begin + PATIENCE):
            return
        if self._screen is None:
            notebook = _in_notebook()
            if not notebook and not self._progress and not sys.stderr.isatty():
                self._progress = False
                return
            self._screen = _Notebook() if notebook else _Terminal()
        part = t / until if until > 0 else 0.0
        bar = "#" * int(30 * part)
        self._screen.show(f"{self._name}: t = {t:.4g} of {until:.4g} [{bar:30}] {100 * part:.0f} %")

    def raise_again(self, run: "Run") -> None:
        """What was raised meanwhile, with the rows until then as its `run`."""
        if self._raised is not None:
            self._raised.run = run  # type: ignore[attr-defined]
            raise self._raised
