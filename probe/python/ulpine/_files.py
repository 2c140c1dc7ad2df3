# SPDX-License-Identifier: Apache-2.0
"""What calls are given, as files: the user's own, and objects in memory written in full precision into a temporary folder."""
import json
import os
import pathlib
import tempfile

import numpy as np
import xarray as xr

CHANGES_VALUES = ("dtype", "scale_factor", "add_offset", "_FillValue", "missing_value", "_Unsigned", "units", "calendar")
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
        """The file of what was given: its own, or one that is written now."""
        if is_path(data):
            return os.fspath(data)
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="ulpine-")
        path = pathlib.Path(self._folder.name) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        write(dataset_of(data), path, name)
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


def _exact(name, variable, label):
    """The variable, with that of its encoding (packing, fill value, units of times) that gives back each of its values."""
    kept = {key: variable.encoding[key] for key in NAMES_OTHERS if key in variable.encoding}
    changing = {key: variable.encoding[key] for key in CHANGES_VALUES if key in variable.encoding}
    kind, size = variable.dtype.kind, variable.dtype.itemsize
    if kind == "f" and size == 2:
        variable = variable.astype("f4")
    if kind == "c" or (kind == "f" and size > 8):
        raise ValueError(f"{label}: {name}: is of type {variable.dtype} (floats of 32 and 64 bits and integers are compared) give real and imaginary parts, or float64")
    variable = variable.copy(deep=False)
    variable.encoding = {**kept, **changing}
    if changing:
        try:
            exact = _same(np.asarray(_decoded(name, variable).values), np.asarray(variable.values))
        except Exception:  # of whatever an encoding holds that does not fit the values
            exact = False
        if not exact:
            variable.encoding = kept
    return variable


def write(data, path, label):
    """Writes a Dataset as NetCDF, each value as it is in memory; ValueError, which begins with `label`, where NetCDF cannot hold it."""
    variables = {name: _exact(name, variable, label) for name, variable in data.variables.items()}
    exact = xr.Dataset({name: variables[name] for name in data.data_vars}, {name: variables[name] for name in data.coords}, data.attrs)
    try:
        exact.to_netcdf(path, engine="netcdf4", format="NETCDF4")
    except OSError:
        raise
    except Exception as error:  # of xarray and of netCDF4, each of its own kind
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        if isinstance(error, (ImportError, ModuleNotFoundError)) or "netcdf4" in reason and "engine" in reason:
            raise ImportError(f"ulpine: objects in memory are handed over as NetCDF ({reason}): install netCDF4 (Debian: apt-get install python3-netcdf4)") from None
        raise ValueError(f"{label}: cannot be written as NetCDF ({reason}) give numbers, texts and times under names of NetCDF") from None
