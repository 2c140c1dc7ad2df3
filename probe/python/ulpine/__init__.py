# SPDX-License-Identifier: Apache-2.0
"""Ulpine in Python: analysis of fields and studies (docs/reference/python.md), and traces of a model.

    import ulpine

    ulpine.compare(reference, test)             # of xarray objects, arrays of numpy or files
    study = ulpine.open_study("out/study")

A model in Python says which stage has run and which fields that stage wrote (docs/reference/probe-python.md):

    for n in range(1, steps + 1):
        ulpine.step(n)
        flow(u, v, h)
        ulpine.stage("flow")
        ulpine.field("u", u)
        ulpine.state("h", h)

What is asked of a run is said by its environment (ULPINE_TRACE=trace.bin, or ULPINE=probe.toml); where nothing is asked for, a call returns
at once. Arrays are not copied: numpy's, what has __cuda_array_interface__, __array_interface__ or __dlpack__, and plain numbers.
"""
import contextlib
import ctypes
import importlib

from . import _arrays, _library

__all__ = ["on", "rank", "step", "enter", "leave", "loop", "stage", "field", "state", "unset", "watch", "unwatch", "unit", "time", "close"]

# Analysis, which needs more than the probe, is loaded where it is first asked for.
_ANALYSIS = {"compare": "_analysis", "spectrum": "_analysis", "lkf": "_analysis", "consistency": "_runs", "significant_digits": "_runs", "open_study": "_study",
             "open_trace": "_trace", "plot_report": "_report"}

_probe = _library.load()
_active = ctypes.c_int.in_dll(_probe, "ulpine_active")
_watched = {}


def __getattr__(name):
    if name not in _ANALYSIS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module("." + _ANALYSIS[name], __name__), name)
    globals()[name] = value
    return value


def __dir__():
    return sorted({*globals(), *_ANALYSIS})


def on():
    """Whether anything is asked for: to leave out work that only traces need."""
    return _active.value != 0


def _text(word):
    text = str(word).encode()
    return text, len(text)


def rank(rank, ranks):
    """This process is `rank` (from 0) of `ranks`; before the first step. Without it the launcher's environment tells."""
    if _active.value:
        _probe.ulpine_rank(rank, ranks)


def step(n):
    """Step n (from 1) begins."""
    if _active.value:
        _probe.ulpine_step(n)


def enter(name, i):
    """A loop within the step begins its i-th turn, or goes on to it."""
    if _active.value:
        _probe.ulpine_enter_n(*_text(name), i)


def leave():
    """The innermost loop has ended."""
    if _active.value:
        _probe.ulpine_leave()


@contextlib.contextmanager
def loop(name, i):
    """One turn of a loop: `with ulpine.loop("sub", i):`."""
    enter(name, i)
    try:
        yield
    finally:
        leave()


def stage(name):
    """This stage has run: the fields that are told next are those that it wrote."""
    if _active.value:
        _probe.ulpine_stage_n(*_text(name))


def _tell(call, name, array, may_write, *places):
    try:
        told, kept = _arrays.describe(array, may_write, *places)
    except _arrays.Refused as error:
        refusal = str(error)
    except Exception as error:  # of the array's own interface: watching must not end the model
        refusal = f"{type(error).__name__}: {error}".splitlines()[0]
    else:
        call(*_text(name), ctypes.byref(told))
        return kept
    _probe.ulpine_refuse(*_text(f"field '{name}': {refusal}"))
    return None


def field(name, array, *, first=None, whole=None, numbers=None, axis=0, replicated=False, stream=None):
    """The stage wrote this field, or this part of it. The probe looks only.

    first, whole  place of the first element in the domain (from 0) and the domain's extents, one for each axis; without them the array is the whole
    numbers       places (from 0) of the elements along `axis`, in any order
    replicated    every rank has the whole field: it counts once, and ranks are compared
    stream        CUDA stream (its address) of the work that writes the array
    """
    if _active.value:
        _tell(_probe.ulpine_field_n, name, array, False, first, whole, numbers, axis, replicated, stream)


def state(name, array, *, first=None, whole=None, numbers=None, axis=0, replicated=False, stream=None):
    """The same of a field that the run goes on from: the settings may perturb, round or reset it."""
    if _active.value:
        _tell(_probe.ulpine_state_n, name, array, True, first, whole, numbers, axis, replicated, stream)


def unset(name, array, *, first=None, whole=None, numbers=None, axis=0, replicated=False, stream=None):
    """The stage that comes next writes all of this array: the settings may fill it with values that show where it does not."""
    if _active.value:
        _tell(_probe.ulpine_unset_n, name, array, True, first, whole, numbers, axis, replicated, stream)


def watch(name, array, *, first=None, whole=None, numbers=None, axis=0, replicated=False, stream=None):
    """A field of a lasting array is looked at after every stage from now on; again with the same name: its new array."""
    if _active.value:
        # The library goes on looking at the memory, which Python must not free meanwhile.
        _watched[name] = _tell(_probe.ulpine_watch_n, name, array, False, first, whole, numbers, axis, replicated, stream)


def unwatch(name):
    """Takes a field off that list."""
    if _active.value:
        _probe.ulpine_unwatch_n(*_text(name))
        _watched.pop(name, None)


def unit(name, unit):
    """The unit of a field, for tables and files: "K"."""
    if _active.value:
        _probe.ulpine_unit_n(*_text(name), *_text(unit))


def time(seconds):
    """Time of the model in seconds, for the files of values."""
    if _active.value:
        _probe.ulpine_time(seconds)


def close():
    """Ends the trace; the end of the program does it too."""
    if _active.value:
        _probe.ulpine_close()
        _watched.clear()
