# SPDX-License-Identifier: Apache-2.0
"""Comparison, spectra and linear kinematic features of fields: the numbers of `ulpine compare`, `spectrum` and `lkf`."""
import numpy as np
import xarray as xr

from . import _files, _verification


def _names(names):
    return [names] if isinstance(names, str) else [str(name) for name in names or ()]


def _whole(key, value):
    """A whole number, of numpy's types too."""
    if value is None:
        return None
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)):
        raise ValueError(f"{key}: {value!r} is not taken (a whole number is) give that")
    return int(value)


def _number(value):
    return float(value) if isinstance(value, (np.floating, np.integer)) else value


def _places(level, at, plane):
    return {"level": _whole("level", level), "at": {str(name): _whole("at", index) for name, index in (at or {}).items()},
            "plane": None if plane is None else _names(plane)}


def weights_text(weights, files):
    """As the command takes it: a name or a file as they are; of a DataArray a file, and its name in it."""
    if weights is None:
        return ""
    if isinstance(weights, xr.DataArray):
        named = weights if weights.name is not None else weights.rename("weights")
        return f"{files.path(named, 'weights')}:{named.name}"
    if not _files.is_path(weights):
        raise ValueError("weights: are a name, a file or a DataArray (cells are weighted by their places) give one of these")
    return str(weights)


def compare(reference, test, *, variables=None, times="worst", levels=False, weights=None):
    """Every metric of every common variable of two objects: what `ulpine compare REF TEST --json` prints, as a dictionary (docs/reference/comparing.md).

    reference, test  Datasets or DataArrays of xarray, arrays of numpy, or names of NetCDF files; two DataArrays, or one and an array, are compared whatever their names
    variables        these alone
    times            "worst" lists the time of the largest difference, "all" each, "last" compares the last common one alone
    levels           each level by itself, too
    weights          "none", the name of a variable, a file of the grid (FILE or FILE:VARIABLE), or a DataArray; without it the reference's cell measures

    Objects in memory are written as NetCDF, each value as it is, into a temporary folder that is gone when the call ends. NaN in them is a missing value, as xarray has it: open files
    with `mask_and_scale=False`, or give their names, where NaN and missing values are to be told apart. ValueError for what cannot be compared at all.
    """
    single = (xr.DataArray, np.ndarray)
    if isinstance(reference, single) and isinstance(test, single):
        name = next((data.name for data in (reference, test) if isinstance(data, xr.DataArray) and data.name is not None), "values")
        reference, test = _field(reference, name, test), _field(test, name, reference)
    with _files.Files() as files:
        first, second = files.paths({"reference": reference, "test": test})
        request = {"reference": first, "test": second, "variables": _names(variables), "times": times,
                   "levels": bool(levels), "weights": weights_text(weights, files)}
        return _verification.call_alone("ulpine_compare", request, files)


def _field(data, name, other):
    """A DataArray of that name; an array has the other's dimensions, and so its places."""
    if isinstance(data, xr.DataArray):
        return data.rename(name)
    if isinstance(other, xr.DataArray) and other.shape == data.shape:
        return other.copy(data=data).rename(name)
    return xr.DataArray(data, name=name)


def _plane(values):
    """Row-major doubles of two dimensions."""
    values = np.ascontiguousarray(values, dtype="f8")
    if values.ndim != 2:
        raise ValueError(f"values: have {values.ndim} dimensions (a plane of rows and columns is needed) give two")
    return values


def _of_values(call, values, request, **of_files):
    given = [key for key, value in of_files.items() if value not in (None, False, -1)]
    if given:
        raise ValueError(f"{given[0]}: has no effect (an array has no names, times or levels) leave it out, or give a DataArray")
    values = _plane(values)
    return _verification.call(call, request, before=(values.ctypes.data, *values.shape))


def _distances(spacing):
    if spacing is None:
        return None
    both = np.broadcast_to(np.asarray(spacing, dtype="f8"), (2,))
    return [float(distance) for distance in both]


def _variable(data, variable):
    """The variable meant: named, or the only one of an object."""
    if variable is not None:
        return str(variable)
    if isinstance(data, xr.DataArray):
        return "values" if data.name is None else str(data.name)
    if isinstance(data, xr.Dataset) and len(data.data_vars) == 1:
        return str(next(iter(data.data_vars)))
    raise ValueError("variable: is not named (there are several, or a file) name one")


def spectrum(data, variable=None, *, time=-1, all_times=False, level=None, at=None, plane=None, variant="pysteps", log10=None, spacing=None):
    """Radially averaged power spectral density, as `ulpine spectrum` has it: a Dataset of `power` and `modes` over `wavenumber`.

    data       a Dataset, a DataArray, the name of a NetCDF file, or an array of rows and columns
    variable   which one; of a DataArray it is known
    time       index of the time, from the end if negative; `all_times` gives each, along the dimension `time_index`
    level, at  index of the level; {dimension: index} along any other; what is not chosen is averaged over
    plane      the dimensions of rows and columns, where nothing tells which they are
    variant    "pysteps", "windowed", "detrended" or "physical"
    log10      of log10(max(x, FLOOR))
    spacing    of an array: distance of rows and columns in m, or a pair of them; without it wave numbers count per cell

    Beside them stand `outside_power` and `outside_modes` (waves in no ring), `planes` (over how many the mean is) and, with `log10`, `floored`; attributes are `field`, `variant` and
    `notes`. Objects are written into temporary files, as by compare(). ValueError as the command's errors.
    """
    request = {"variant": variant, "log10": _number(log10)}
    if _files.is_array(data):
        request["spacing"] = _distances(spacing)
        found = _of_values("ulpine_spectrum_of_values", data, request, variable=variable, time=time, all_times=all_times, level=level, at=at, plane=plane)
        return _spectra([found], False)
    if spacing is not None:
        raise ValueError("spacing: has no effect (coordinates tell it) leave it out, or give an array")
    with _files.Files() as files:
        request.update(file=files.path(data, "data"), variables=[_variable(data, variable)], time=_whole("time", time), all_times=bool(all_times), **_places(level, at, plane))
        found = _verification.call_alone("ulpine_spectrum", request, files)
    return _spectra(found["spectra"] if all_times else [found], all_times)


def _spectra(found, several):
    """One Dataset of spectra that share their rings."""
    def along(values, kind, *dimensions):
        array = np.array(values, dtype=kind)
        return (("time_index", *dimensions), array) if several else (dimensions, array[0])

    first = found[0]
    variables = {"power": (*along([one["power"] for one in found], "f8", "wavenumber"), {"long_name": "mean of |FFT|^2/(ny nx) over the ring"}),
                 "modes": ("wavenumber", np.array(first["modes"], dtype="i8")),
                 "outside_power": along([one["outside"]["power"] for one in found], "f8"), "outside_modes": ((), first["outside"]["modes"]),
                 "planes": along([one["planes"] for one in found], "i8")}
    if first["floored"] is not None:
        variables["floored"] = along([one["floored"] for one in found], "i8")
    coordinates = {"wavenumber": ("wavenumber", np.array(first["wavenumber"], dtype="f8"), {"units": first["units"]})}
    if several and "time_index" in first:
        coordinates["time_index"] = [one["time_index"] for one in found]
    notes = list(dict.fromkeys(note for one in found for note in one["notes"]))
    return xr.Dataset(variables, coordinates, {"field": first["field"], "variant": first["variant"], "notes": notes})


def lkf(data, variable=None, *, time=-1, level=None, at=None, plane=None, rules=None, parameters=None, orientations=True, spacing=None, units=None):
    """Linear kinematic features of a deformation field: what `ulpine lkf --json` prints, as a dictionary; `cells` of each feature is an array of (row, column).

    data          a Dataset, a DataArray, the name of a NetCDF file, or an array of rows and columns
    variable      the deformation; "shear" of a Dataset or file
    time, level, at, plane  as of spectrum(); of all but rows and columns one place is chosen
    rules         "repaired" or "lkf_tools"
    parameters    the name of a set, "key=value,...", both, or a dictionary
    orientations  also detect in the grid's eight orientations, which takes eight times as long; without it `orientations` is None
    spacing       of an array: distance of rows and columns in m, or a pair of them
    units         of an array: "day-1" or any spelling of 1/s or 1/day

    The two outermost rows and columns are not looked at; NaN is a missing value. Objects are written into temporary files, as by compare(). ValueError as the command's errors.
    """
    if isinstance(parameters, dict):
        parameters = ",".join(f"{key}={_parameter(value)}" for key, value in parameters.items())
    request = {"rules": rules or "", "parameters": parameters or "", "orientations": bool(orientations)}
    if _files.is_array(data):
        request.update(spacing=_distances(spacing), units=units or "day-1")
        found = _of_values("ulpine_lkf_of_values", data, request, variable=variable, time=time, level=level, at=at, plane=plane)
    else:
        if spacing is not None or units is not None:
            raise ValueError(f"{'units' if spacing is None else 'spacing'}: has no effect (attributes and coordinates tell it) leave it out, or give an array")
        with _files.Files() as files:
            name = _variable(data, variable) if isinstance(data, xr.DataArray) or variable is not None else "shear"
            request.update(file=files.path(data, "data"), variable=name, time=_whole("time", time), **_places(level, at, plane))
            found = _verification.call_alone("ulpine_lkf", request, files)
    for feature in found["features"]:
        feature["cells"] = np.array(feature["cells"], dtype="i4").reshape(-1, 2)
    return found


def _parameter(value):
    return str(value).lower() if isinstance(value, (bool, np.bool_)) else repr(_number(value))
