# SPDX-License-Identifier: Apache-2.0
"""Calls of libulpine_analysis.so (verification/c/ulpine_analysis.h): requests and answers are JSON."""
import ctypes
import functools
import json
import threading

from . import _library

NAME = "libulpine_analysis.so"
VARIABLE = "ULPINE_ANALYSIS_LIBRARY"
INTERFACE = 1
DONE, BAD_INPUT, ENVIRONMENT, FAILED, STOPPED = range(5)

PROGRESS = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_double, ctypes.c_char_p)
_ANSWER = ctypes.POINTER(ctypes.c_void_p)
_PLANE = (ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)
_ARGUMENTS = {
    "ulpine_compare": (ctypes.c_char_p, _ANSWER),
    "ulpine_spectrum": (ctypes.c_char_p, _ANSWER),
    "ulpine_spectrum_of_values": (*_PLANE, ctypes.c_char_p, _ANSWER),
    "ulpine_lkf": (ctypes.c_char_p, _ANSWER),
    "ulpine_lkf_of_values": (*_PLANE, ctypes.c_char_p, _ANSWER),
    "ulpine_consistency": (ctypes.c_char_p, PROGRESS, _ANSWER),
    "ulpine_digits": (ctypes.c_char_p, PROGRESS, _ANSWER),
    "ulpine_open_trace": (ctypes.c_char_p, ctypes.POINTER(ctypes.c_void_p), _ANSWER),
}


@functools.lru_cache(maxsize=None)
def load():
    library, path = _library.open_first(NAME, VARIABLE, ctypes.RTLD_LOCAL)
    if library.ulpine_analysis_interface() != INTERFACE:
        raise ImportError(f"ulpine: {path}: is of another release than this package: name the library that came with it in {VARIABLE}")
    for name, arguments in _ARGUMENTS.items():
        getattr(library, name).argtypes = arguments
    library.ulpine_free_text.argtypes, library.ulpine_free_text.restype = (ctypes.c_void_p,), None
    library.ulpine_free_trace.argtypes, library.ulpine_free_trace.restype = (ctypes.c_void_p,), None
    library.ulpine_trace_columns.argtypes, library.ulpine_trace_columns.restype = (ctypes.c_void_p,) * 8, None
    return library


class Alone:
    """Held where NetCDF is written, and where the library opens files, for which it copies the process: a copy that is made while another thread is within HDF5 waits for that thread for
    ever. xarray's own locks keep out what it reads in the background."""

    _ours = threading.RLock()

    def __init__(self, of_xarray=True):
        self._locks = [self._ours]
        if of_xarray:
            import xarray.backends.locks as known
            self._locks += [lock for lock in (getattr(known, name, None) for name in ("NETCDFC_LOCK", "HDF5_LOCK")) if lock is not None]

    def __enter__(self):
        for lock in self._locks:
            lock.acquire()

    def __exit__(self, *_):
        for lock in reversed(self._locks):
            lock.release()


class Stopped(Exception):
    """The progress of a call asked it to stop."""


def call(name, request, before=(), between=(), files=None):
    """What the call answers, as Python reads JSON. ValueError for what was given, OSError for what the machine lacks. `files` gives files their names for people."""
    library = load()
    text = json.dumps(request, allow_nan=True).encode()
    answer = ctypes.c_void_p()
    code = getattr(library, name)(*before, text, *between, ctypes.byref(answer))
    try:
        told = ctypes.string_at(answer.value).decode(errors="replace") if answer.value else "out of memory"
    finally:
        library.ulpine_free_text(answer)
    if code == STOPPED:
        raise Stopped
    if code != DONE:
        told = files.named(told) if files else told
        raise {BAD_INPUT: ValueError, ENVIRONMENT: OSError}.get(code, RuntimeError)(told)
    return json.loads(files.named_in_json(told) if files else told)


def call_alone(name, request, files):
    """As call(), for calls that open NetCDF files."""
    with Alone():
        return call(name, request, files=files)


def call_with_progress(name, request, progress, files=None):
    """As call_alone(), for calls that tell how far they are: an exception within `progress`, or a keyboard interrupt meanwhile, stops the call and is raised."""
    caught = []
    alone = Alone()

    def tell(fraction, what):
        try:
            if progress is not None:
                alone.__exit__()
                try:
                    progress(fraction, what.decode(errors="replace"))
                finally:
                    alone.__enter__()
        except BaseException as error:  # it must not pass through the library
            caught.append(error)
            return 1
        return 0

    try:
        with alone:
            return call(name, request, between=(PROGRESS(tell),), files=files)
    except Stopped:
        raise caught[0] from None
