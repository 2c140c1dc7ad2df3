# SPDX-License-Identifier: Apache-2.0
"""Traces as tables."""
import ctypes
import dataclasses
import os

import numpy as np

from . import _verification


@dataclasses.dataclass(frozen=True)
class Trace:
    """Records of a trace, and what it says of stages and fields.

    records  a structured array, a record a field that a stage wrote: `step`, `loops` (the place within the step, as "sub 3", empty where there are no loops), `stage`, `field`,
             `elements`, `missing` (elements of which no rank tells) and `hash`
    stages, fields  their attributes by name, e.g. {"u": {"type": "float64", "unit": "m s-1"}}
    ranks    how many ranks wrote it
    notes    what is wrong with it: elements missing, fields that differ between ranks, an end that was cut off
    """

    records: np.ndarray
    stages: dict
    fields: dict
    ranks: int
    notes: list

    def __repr__(self):
        return f"<trace of {len(self.records)} records, {len(self.stages)} stages, {len(self.fields)} fields>"


def open_trace(name, partial=False):
    """The trace in a file, or of several ranks by their common name (`trace.bin` for `trace.0-of-2.bin` and so on).

    A trace that was not brought to its end is refused (ValueError), as nothing of it could be called equal to another; `partial` reads it as far
    as it was written. Where two traces first differ, `ulpine trace-diff` tells.
    """
    handle = ctypes.c_void_p()
    request = {"file": os.fspath(name), "partial": bool(partial)}
    told = _verification.call("ulpine_open_trace", request, between=(ctypes.byref(handle),))
    library = _verification.load()
    try:
        columns = {key: np.empty(told["records"], dtype=kind) for key, kind in
                   (("step", "i8"), ("loops", "i8"), ("stage", "i8"), ("field", "i8"), ("elements", "i8"), ("missing", "i8"), ("hash", "u8"))}
        library.ulpine_trace_columns(handle, *(column.ctypes.data for column in columns.values()))
    finally:
        library.ulpine_free_trace(handle)
    for key, texts in (("loops", told["loops"]), ("stage", [entry["name"] for entry in told["stages"]]), ("field", [entry["name"] for entry in told["fields"]])):
        columns[key] = np.array(texts if texts else [""], dtype=np.str_)[columns[key]]
    records = np.empty(told["records"], dtype=[(key, column.dtype) for key, column in columns.items()])
    for key, column in columns.items():
        records[key] = column
    return Trace(records, {entry["name"]: entry["attributes"] for entry in told["stages"]}, {entry["name"]: entry["attributes"] for entry in told["fields"]},
                 told["ranks"], told["notes"])
