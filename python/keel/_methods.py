"""What the words of a method mean."""

from __future__ import annotations

from ctypes import POINTER, Structure, byref, c_char_p, c_int, c_void_p

from ._library import Location, lib


class _Method(Structure):
    _fields_ = [("integrator", c_int), ("formulation", c_int), ("stabilize", c_int), ("automatic", c_int)]


lib.keel_method_parse.argtypes = [c_char_p, Location, c_void_p, POINTER(_Method)]
lib.keel_integrator_is_adaptive.argtypes = [c_int]


def needs_step(method: str) -> bool:
    """Whether a method takes fixed steps only. Of words that are unknown the run itself will tell."""
    found = _Method()
    if lib.keel_method_parse(method.encode(), Location(), None, byref(found)):
        return False
    return not found.automatic and not lib.keel_integrator_is_adaptive(found.integrator)
