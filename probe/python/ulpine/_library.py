# SPDX-License-Identifier: Apache-2.0
"""Finds Ulpine's libraries, and says what the calls of libulpine_probe.so take."""
import ctypes
import os
import pathlib

NAME = "libulpine_probe.so"
MOST_AXES = 7


class Array(ctypes.Structure):
    """struct ulpine_array of ulpine.h."""
    _fields_ = [("data", ctypes.c_void_p), ("type", ctypes.c_int), ("rank", ctypes.c_int)]
    _fields_ += [(name, ctypes.c_int64 * MOST_AXES) for name in ("extent", "stride", "first", "whole")]
    _fields_ += [("numbers", ctypes.c_void_p), ("numbered", ctypes.c_int), ("flags", ctypes.c_int), ("stream", ctypes.c_void_p)]


_TEXT = (ctypes.c_char_p, ctypes.c_size_t)
_ARRAY = (*_TEXT, ctypes.POINTER(Array))
_ARGUMENTS = {
    "ulpine_rank": (ctypes.c_int, ctypes.c_int),
    "ulpine_step": (ctypes.c_int64,),
    "ulpine_enter_n": (*_TEXT, ctypes.c_int64),
    "ulpine_leave": (),
    "ulpine_stage_n": _TEXT,
    "ulpine_field_n": _ARRAY,
    "ulpine_state_n": _ARRAY,
    "ulpine_unset_n": _ARRAY,
    "ulpine_watch_n": _ARRAY,
    "ulpine_unwatch_n": _TEXT,
    "ulpine_unit_n": (*_TEXT, *_TEXT),
    "ulpine_time": (ctypes.c_double,),
    "ulpine_refuse": _TEXT,
    "ulpine_close": (),
}


def candidates(name=NAME, variable="ULPINE_PROBE_LIBRARY"):
    """Where a library may lie: as the environment says, beside this package, where installations put it, in the loader's path."""
    told = os.environ.get(variable)
    if told:
        return [told]
    here = pathlib.Path(__file__).resolve().parent
    folders = [place for folder in here.parents for place in (folder / "lib", *sorted((folder / "lib").glob("*-linux-gnu")))]
    beside = [here / name, *(folder / name for folder in folders), *(folder / "ulpine/modules" / name for folder in folders)]
    return [*(str(path) for path in beside if path.exists()), name]


def open_first(name, variable, mode):
    """The library and where it was found; ImportError where there is none."""
    for path in candidates(name, variable):
        try:
            return ctypes.CDLL(path, mode=mode), path
        except OSError as error:
            problem = error
    raise ImportError(f"ulpine: {name} is not found ({problem}): put its path into {variable}, or its folder into LD_LIBRARY_PATH")


def load():
    # For all: the Fortran or C of the same process must find this library's `ulpine_active`, not one of its own.
    library, path = open_first(NAME, "ULPINE_PROBE_LIBRARY", ctypes.RTLD_GLOBAL)
    for name, arguments in _ARGUMENTS.items():
        call = getattr(library, name, None)
        if call is None:
            raise ImportError(f"ulpine: {path}: has no {name} (this package is of another release): name the library that came with it in ULPINE_PROBE_LIBRARY")
        call.argtypes, call.restype = arguments, None
    return library
