"""The shared library, its functions and the few structs that cross over."""

from __future__ import annotations

import ctypes
import os
from ctypes import CFUNCTYPE, POINTER, Structure, c_char_p, c_double, c_int, c_long, c_void_p
from pathlib import Path
from typing import Any, Callable, Mapping

OK = 0
INTERRUPTED = 1
ERROR_INPUT = -2
SEVERITIES = ("note", "warning", "error")
SIZES = ("q", "v", "z", "s", "lambda", "outputs")
NAME_Q, NAME_V, NAME_Z, NAME_S, NAME_CONSTRAINT, NAME_OUTPUT = range(6)


class Location(Structure):
    _fields_ = [("file", c_char_p), ("line", c_int), ("column", c_int)]


class CDiagnostic(Structure):
    _fields_ = [("severity", c_int), ("where", Location), ("text", c_char_p)]


class Quantity(Structure):
    _fields_ = [("kind", c_int), ("index", c_int)]


class Assignment(Structure):
    _fields_ = [("name", c_char_p), ("value", c_char_p)]


class CState(Structure):
    _fields_ = [
        ("t", c_double),
        ("q", c_void_p),
        ("v", c_void_p),
        ("z", c_void_p),
        ("s", c_void_p),
        ("lambda_", c_void_p),
    ]


Progress = CFUNCTYPE(c_int, c_void_p, c_double, c_double)


class Watcher(Structure):
    _fields_ = [("progress", Progress), ("user", c_void_p), ("interval", c_double)]


_SIGNATURES: dict[str, tuple[Any, list[Any]]] = {
    "keel_version": (c_char_p, []),
    "keel_status_text": (c_char_p, [c_int]),
    "keel_diagnostics_new": (c_void_p, []),
    "keel_diagnostics_free": (None, [c_void_p]),
    "keel_diagnostics_count": (c_int, [c_void_p]),
    "keel_diagnostics_get": (CDiagnostic, [c_void_p, c_int]),
    "keel_model_open": (c_void_p, [c_char_p, POINTER(Assignment), c_int, c_void_p]),
    "keel_model_open_text": (c_void_p, [c_char_p, c_char_p, POINTER(Assignment), c_int, c_void_p]),
    "keel_model_free": (None, [c_void_p]),
    "keel_model_system": (c_void_p, [c_void_p]),
    "keel_model_name": (c_char_p, [c_void_p]),
    "keel_model_is_mechanism": (c_int, [c_void_p]),
    "keel_model_parameter_count": (c_int, [c_void_p]),
    "keel_model_parameter_name": (c_char_p, [c_void_p, c_int]),
    "keel_model_parameter_value": (c_double, [c_void_p, c_int]),
    "keel_model_check": (c_void_p, [c_void_p, c_void_p]),
    "keel_text_free": (None, [c_void_p]),
    "keel_system_sizes": (None, [c_void_p, POINTER(c_int)]),
    "keel_system_name": (c_char_p, [c_void_p, c_int, c_int, c_char_p]),
    "keel_model_run_with": (
        c_void_p,
        [c_void_p, POINTER(Assignment), c_int, POINTER(Watcher), c_void_p],
    ),
    "keel_trajectory_free": (None, [c_void_p]),
    "keel_trajectory_status": (c_int, [c_void_p]),
    "keel_trajectory_kept_promises": (c_int, [c_void_p, c_char_p, c_int]),
    "keel_trajectory_rows": (c_long, [c_void_p]),
    "keel_trajectory_columns": (c_int, [c_void_p]),
    "keel_trajectory_name": (c_char_p, [c_void_p, c_int]),
    "keel_trajectory_unit": (c_char_p, [c_void_p, c_int]),
    "keel_trajectory_is_shared": (c_int, [c_void_p, c_int]),
    "keel_trajectory_values": (c_void_p, [c_void_p]),
    "keel_trajectory_summary": (c_void_p, [c_void_p]),
    "keel_trajectory_save": (c_int, [c_void_p, c_char_p, c_void_p]),
    "keel_simulation_open_with": (c_void_p, [c_void_p, POINTER(Assignment), c_int, c_void_p]),
    "keel_simulation_free": (None, [c_void_p]),
    "keel_simulation_time": (c_double, [c_void_p]),
    "keel_simulation_until": (c_double, [c_void_p]),
    "keel_simulation_step": (c_int, [c_void_p]),
    "keel_simulation_advance": (c_int, [c_void_p, c_double, c_void_p]),
    "keel_simulation_set_state": (c_int, [c_void_p, POINTER(CState)]),
    "keel_find_input": (c_int, [c_void_p, c_char_p, c_void_p]),
    "keel_simulation_set_input": (c_int, [c_void_p, c_int, c_double]),
    "keel_simulation_reset": (c_int, [c_void_p]),
    "keel_row_new": (c_void_p, []),
    "keel_row_free": (None, [c_void_p]),
    "keel_row_state": (c_int, [c_void_p, c_void_p, POINTER(CState)]),
    "keel_row_value": (c_double, [c_void_p, Quantity]),
    "keel_find_quantity": (Quantity, [c_void_p, c_char_p, c_void_p]),
}


def _open_library() -> Any:
    path = os.environ.get("KEEL_LIBRARY") or Path(__file__).with_name("libkeel_python.so")
    library = ctypes.CDLL(str(path))
    for name, (result, arguments) in _SIGNATURES.items():
        function = getattr(library, name)
        function.restype = result
        function.argtypes = arguments
    return library


lib = _open_library()


def decode(text: bytes | None) -> str:
    return text.decode("utf-8", "replace") if text else ""


class Handle:
    """Owns an object of the library. What the object refers to lives as long: `keep`."""

    __slots__ = ("pointer", "_free", "_keep")

    def __init__(self, pointer: int, free: Callable[[int], None], keep: object = None) -> None:
        self.pointer = pointer
        self._free = free
        self._keep = keep

    def __del__(self) -> None:
        self._free(self.pointer)


def as_text(value: object) -> str:
    """A parameter or an option as the model file has it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return value
    return repr(float(value))  # type: ignore[arg-type]


def assignments(values: Mapping[str, object]) -> Any:
    """An array of keel_assignment; None where there is nothing to assign."""
    if not values:
        return None
    array = (Assignment * len(values))()
    for slot, (name, value) in zip(array, values.items()):
        slot.name, slot.value = name.encode(), as_text(value).encode()
    return array


def take_text(pointer: int | None) -> str | None:
    """A text that the library made, which is freed."""
    if not pointer:
        return None
    text = decode(ctypes.string_at(pointer))
    lib.keel_text_free(pointer)
    return text
