# SPDX-License-Identifier: Apache-2.0
"""What calls are given, as files: the user's own, and objects in memory written in full precision into a temporary folder."""
import json
import os
import pathlib
import tempfile

import numpy as np
import xarray as xr

from . import _verification

PACKING = ("scale_factor", "add_offset")
CHANGES_VALUES = ("dtype", *PACKING, "_FillValue", "missing_value", "_Unsigned", "units", "calendar")
NAMES_OTHERS = ("coordinates", "grid_mapping")


def is_path(data):
    return isinstance(data, (str, os.PathLike))


def is_array(data):
    """Numbers without names: numpy's arrays, and what numpy makes one of."""
    return not isinstance(data, (xr.Dataset, xr.DataArray)) and not is_path(data)


class Files:
    """Gives each object a file, until the end of the `with`. In messages the temporary ones have the name that the call gave them."""

    def __init__(self):
        self._folder = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self._folder is not None:
            self._folder.cleanup()

    def path(self, data, name):
        """The file of one thing: its own, or one that is written now."""
        return self.paths({name: data})[0]

    def paths(self, given):
        """A file for each of what is given by name. Packed values stay packed where all that have a variable hold it so."""
        objects = {name: dataset_of(data) for name, data in given.items() if not is_path(data)}
        variables = {name for data in objects.values() for name in data.variables}
        unpacked = {name for name in variables if not all(_is_packed(name, data.variables[name]) for data in objects.values() if name in data.variables)}
        return [self._write(objects[name], name, unpacked) if name in objects else os.fspath(data) for name, data in given.items()]

    def _write(self, data, name, unpacked):
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="ulpine-")
        path = pathlib.Path(self._folder.name) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        write(data, path, name, unpacked)
        return str(path)

    def named(self, text):
        return text if self._folder is None else text.replace(self._folder.name + os.sep, "")

    def named_in_json(self, text):
        return text if self._folder is None else text.replace(json.dumps(self._folder.name + os.sep)[1:-1], "")


def dataset_of(data):
    if isinstance(data, xr.Dataset):
        return data
    if isinstance(data, xr.DataArray):
        return data.to_dataset(name=data.name if data.name is not None else "values")
    return xr.Dataset({"values": xr.DataArray(np.asarray(data))})


def _same(a, b):
    """Whether two arrays have one type and the same numbers, signs of zeros included."""
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    if a.dtype.kind == "f":
        return bool(np.all(((a == b) & (np.signbit(a) == np.signbit(b))) | (np.isnan(a) & np.isnan(b))))
    if a.dtype.kind in "mM":
        return bool(np.array_equal(a.view("i8"), b.view("i8")))
    return bool(np.array_equal(a, b))


def _decoded(name, variable):
    return xr.conventions.decode_cf_variable(name, xr.conventions.encode_cf_variable(variable, name=name))


def _keeps_values(name, variable):
    """Whether what the encoding stores gives back each value."""
    try:
        return _same(np.asarray(_decoded(name, variable).values), np.asarray(variable.values))
    except Exception:  # of whatever an encoding holds that does not fit the values
        return False


def _is_packed(name, variable):
    return any(key in variable.encoding for key in PACKING) and _keeps_values(name, _with_encoding(variable, (*NAMES_OTHERS, *CHANGES_VALUES)))


def _with_encoding(variable, keys):
    variable = variable.copy(deep=False)
    variable.encoding = {key: variable.encoding[key] for key in keys if key in variable.encoding}
    return variable


def _exact(name, variable, label, unpacked):
    """The variable, with that of its encoding (packing, fill value, units of times) that gives back each of its values."""
    kind, size = variable.dtype.kind, variable.dtype.itemsize
    if kind == "c" or (kind == "f" and size > 8):
        raise ValueError(f"{label}: {name}: is of type {variable.dtype} (floats of 32 and 64 bits and integers are compared) give real and imaginary parts, or float64")
    if kind == "f" and size == 2:
        return _with_encoding(variable, NAMES_OTHERS).astype("f4")
    encoded = _with_encoding(variable, (*NAMES_OTHERS, *CHANGES_VALUES))
    packed = any(key in encoded.encoding for key in PACKING)
    kept = name not in unpacked if packed else not any(key in encoded.encoding for key in CHANGES_VALUES) or _keeps_values(name, encoded)
    return encoded if kept else _with_encoding(variable, NAMES_OTHERS)


def write(data, path, label, unpacked=()):
    """Writes a Dataset as NetCDF, each value as it is in memory; `unpacked` variables are not packed. ValueError, which begins with `label`, where NetCDF cannot hold it."""
    variables = {name: _exact(name, variable, label, unpacked) for name, variable in data.variables.items()}
    exact = xr.Dataset({name: variables[name] for name in data.data_vars}, {name: variables[name] for name in data.coords}, data.attrs)
    try:
        with _verification.Alone(of_xarray=False):
            exact.to_netcdf(path, engine="netcdf4", format="NETCDF4")
    except OSError:  # a full disk
        raise
    except Exception as error:  # of xarray and of netCDF4, each of its own kind
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        if isinstance(error, (ImportError, ModuleNotFoundError)) or "netcdf4" in reason and "engine" in reason:
            raise ImportError(f"ulpine: objects in memory are handed over as NetCDF ({reason}): install netCDF4 (Debian: apt-get install python3-netcdf4)") from None
        raise ValueError(f"{label}: cannot be written as NetCDF ({reason}) give numbers, texts and times under names of NetCDF") from None
