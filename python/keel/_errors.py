"""Messages of the library, and the exceptions that carry them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Sequence

from ._library import SEVERITIES, Handle, decode, lib

if TYPE_CHECKING:
    from ._run import Run


@dataclass(frozen=True)
class Diagnostic:
    """One message: how bad it is, what it says, and where. Lines and columns count from 1; 0: unknown."""

    severity: str
    text: str
    file: str = ""
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        place = self.file
        if self.line:
            place += f":{self.line}:{self.column}" if self.column else f":{self.line}"
        return f"{place}: {self.severity}: {self.text}" if place else f"{self.severity}: {self.text}"


class Log:
    """The list of messages of a call, or of a simulation."""

    def __init__(self) -> None:
        pointer = lib.keel_diagnostics_new()
        if not pointer:
            raise MemoryError("out of memory")
        self.handle = Handle(pointer, lib.keel_diagnostics_free)
        self.pointer = pointer

    def __len__(self) -> int:
        return int(lib.keel_diagnostics_count(self.pointer))

    def messages(self, first: int = 0) -> tuple[Diagnostic, ...]:
        found = (lib.keel_diagnostics_get(self.pointer, i) for i in range(first, len(self)))
        return tuple(
            Diagnostic(
                SEVERITIES[m.severity], decode(m.text), decode(m.where.file), m.where.line, m.where.column
            )
            for m in found
        )


class Error(Exception):
    """What Keel could not do. `diagnostics` has all messages."""

    def __init__(self, text: str, diagnostics: Sequence[Diagnostic] = ()) -> None:
        super().__init__(text)
        self.diagnostics = tuple(diagnostics)


class ModelError(Error):
    """A model, a parameter or an option that is wrong. `diagnostics` tell where, with line and column."""


class RunError(Error):
    """A run that failed. `run` has what was reached, or is None."""

    def __init__(
        self, text: str, diagnostics: Sequence[Diagnostic] = (), run: "Run | None" = None
    ) -> None:
        super().__init__(text, diagnostics)
        self.run = run


class NameNotFound(KeyError):
    """A quantity that is not there; the message names the nearest one."""

    def __str__(self) -> str:
        return str(self.args[0])


class BrokenPromise(UserWarning):
    """A run that reached its end but did not keep what its method promises (docs/verdict.md)."""


def _excerpt(message: Diagnostic, text: str | None) -> str:
    """The line that a message is about, and where in it."""
    lines = text.splitlines() if text else []
    if not 0 < message.line <= len(lines):
        return ""
    line = lines[message.line - 1]
    mark = "\n    " + " " * (message.column - 1) + "^" if 0 < message.column <= len(line) + 1 else ""
    return f"\n    {line}{mark}"


def describe(diagnostics: Sequence[Diagnostic], text: str | None = None) -> str:
    """Errors as they are shown, with lines of the model."""
    errors = [m for m in diagnostics if m.severity == "error"] or list(diagnostics)
    return "\n".join(f"{m}{_excerpt(m, text)}" for m in errors)


def fail(kind: type[Any], diagnostics: Sequence[Diagnostic], otherwise: str, text: str | None = None) -> Any:
    """An exception with all messages; `otherwise` where there are none."""
    return kind(describe(diagnostics, text) or otherwise, diagnostics)
