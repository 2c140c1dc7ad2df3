# SPDX-License-Identifier: Apache-2.0
"""Data sets in the many-file layouts of models, made with netCDF4 from one whole in memory."""
import pathlib

import netCDF4
import numpy as np


class Data:
    """Arrays by name with their dimensions and attributes, dimensions in the order of their first use."""

    def __init__(self, unlimited=("time",), attributes=None):
        self.variables, self.unlimited, self.attributes = {}, set(unlimited), dict(attributes or {})

    def add(self, name, dimensions, values, **attributes):
        self.variables[name] = (tuple(dimensions), np.asarray(values), attributes)
        return self

    def lengths(self):
        return {d: n for dims, values, _ in self.variables.values() for d, n in zip(dims, values.shape)}

    def cut(self, **where):
        """The part within slices, given by the dimensions' names."""
        part = Data(self.unlimited, self.attributes)
        for name, (dims, values, attributes) in self.variables.items():
            part.add(name, dims, values[tuple(where.get(d, slice(None)) for d in dims)], **attributes)
        return part

    def only(self, names):
        part = Data(self.unlimited, self.attributes)
        part.variables = {name: self.variables[name] for name in self.variables if name in names}
        return part

    def write(self, path, format="NETCDF4", own=None, **attributes):
        """`own`: further attributes of variables, by their names."""
        pathlib.Path(path).parent.mkdir(parents=True, exist_ok=True)
        with netCDF4.Dataset(path, "w", format=format) as file:
            for name, value in {**self.attributes, **attributes}.items():
                file.setncattr(name, value)
            for name, length in self.lengths().items():
                file.createDimension(name, None if name in self.unlimited else length)
            for name, (dims, values, described) in self.variables.items():
                described = {**described, **(own or {}).get(name, {})}
                variable = file.createVariable(name, values.dtype, dims, fill_value=described.pop("_FillValue", None))
                variable.set_auto_maskandscale(False)
                variable.setncatts(described)
                variable[...] = values
        return path


def field(shape, seed=1, dtype="f4"):
    return np.random.default_rng(seed).normal(10, 3, shape).astype(dtype)


def daily(days=12, ny=6, nx=8, start=0):
    """Days of a field on longitudes and latitudes, with bounds of time and areas."""
    time = np.arange(start, start + days) + 0.5
    return (Data().add("lat", ["lat"], np.linspace(-50, 50, ny), units="degrees_north", standard_name="latitude")
            .add("lon", ["lon"], np.linspace(0, 350, nx), units="degrees_east", standard_name="longitude")
            .add("time", ["time"], time, units="days since 2001-01-01", calendar="noleap", standard_name="time", bounds="time_bnds")
            .add("time_bnds", ["time", "bnds"], np.stack([time - 0.5, time + 0.5], -1))
            .add("area", ["lat", "lon"], field((ny, nx), 3, "f8"), units="m2", standard_name="cell_area")
            .add("tas", ["time", "lat", "lon"], field((days, ny, nx), 4), units="K", cell_measures="area: area")
            .add("pr", ["time", "lat", "lon"], field((days, ny, nx), 5), units="kg m-2 s-1", _FillValue=np.float32(-99)))


def ocean(days=3, nz=3, ny=10, nx=13):
    """As NEMO's: fields on x and y, with longitudes and latitudes of all points."""
    time = np.arange(days) * 86400.0
    return (Data(["time_counter"]).add("nav_lon", ["y", "x"], field((ny, nx), 1), units="degrees_east")
            .add("nav_lat", ["y", "x"], field((ny, nx), 2), units="degrees_north")
            .add("deptht", ["deptht"], np.arange(nz, dtype="f4"), units="m", positive="down")
            .add("time_counter", ["time_counter"], time, units="seconds since 1990-01-01 00:00:00", calendar="gregorian")
            .add("votemper", ["time_counter", "deptht", "y", "x"], field((days, nz, ny, nx), 4), units="degC", coordinates="nav_lon nav_lat", _FillValue=np.float32(1e20))
            .add("sossheig", ["time_counter", "y", "x"], field((days, ny, nx), 5), units="m", coordinates="nav_lon nav_lat", _FillValue=np.float32(1e20)))


def pieces(length, parts):
    """Slices that make up a length."""
    ends = [round(i * length / parts) for i in range(parts + 1)]
    return [slice(a, b) for a, b in zip(ends, ends[1:])]


def nemo(whole, stem, rows=2, columns=2, halo=1, skip=(), total=None, spoil=None, **more):
    """Ranks' parts with halos, as IOIPSL writes them; ranks of `skip` are not written."""
    lengths = whole.lengths()
    places = [(j, i) for j in pieces(lengths["y"], rows) for i in pieces(lengths["x"], columns)]
    for rank, (j, i) in enumerate(places):
        if rank in skip:
            continue
        low = [min(halo, j.start), min(halo, i.start)]
        high = [min(halo, lengths["y"] - j.stop), min(halo, lengths["x"] - i.stop)]
        part = whole.cut(y=slice(j.start - low[0], j.stop + high[0]), x=slice(i.start - low[1], i.stop + high[1]))
        if spoil:
            spoil(rank, part, low, high)
        size = part.lengths()
        names = list(size)
        part.write(f"{stem}_{rank:04d}.nc", **more, DOMAIN_number_total=np.int32(total or len(places)), DOMAIN_number=np.int32(rank),
                   DOMAIN_dimensions_ids=np.array([names.index("x") + 1, names.index("y") + 1], "i4"),
                   DOMAIN_size_global=np.array([lengths["x"], lengths["y"]], "i4"),
                   DOMAIN_size_local=np.array([size["x"], size["y"]], "i4"),
                   DOMAIN_position_first=np.array([i.start - low[1] + 1, j.start - low[0] + 1], "i4"),
                   DOMAIN_position_last=np.array([i.stop + high[1], j.stop + high[0]], "i4"),
                   DOMAIN_halo_size_start=np.array(low[::-1], "i4"), DOMAIN_halo_size_end=np.array(high[::-1], "i4"), DOMAIN_type="BOX")


def tile_of(tile, n=6, nz=2, times=2, fmt="f4"):
    """One tile of a cubed sphere, as FV3 writes it."""
    return (Data().add("grid_xt", ["grid_xt"], np.arange(1.0, n + 1), long_name="T-cell longitude", units="degrees_E", axis="X")
            .add("grid_yt", ["grid_yt"], np.arange(1.0, n + 1), long_name="T-cell latitude", units="degrees_N", axis="Y")
            .add("pfull", ["pfull"], np.linspace(200, 900, nz), units="mb", axis="Z", positive="down")
            .add("time", ["time"], np.arange(times) * 3.0, units="hours since 2016-08-01 00:00:00", calendar="julian", axis="T")
            .add("grid_lont", ["grid_yt", "grid_xt"], field((n, n), 10 * tile, "f8"), units="degrees_E")
            .add("ps", ["time", "grid_yt", "grid_xt"], field((times, n, n), 10 * tile + 1, fmt), units="Pa")
            .add("temp", ["time", "pfull", "grid_yt", "grid_xt"], field((times, nz, n, n), 10 * tile + 2, fmt), units="K"))


def fms(whole, path, rows=2, columns=2, skip=(), along=("xt", "yt"), said=True):
    """Parts of FMS: out.nc.0000, ..."""
    lengths = whole.lengths()
    x, y = along
    places = [(j, i) for j in pieces(lengths[y], rows) for i in pieces(lengths[x], columns)]
    for rank, (j, i) in enumerate(places):
        if rank in skip:
            continue
        own = {name: {"domain_decomposition": np.array([1, lengths[name], part.start + 1, part.stop], "i4")} for name, part in ((x, i), (y, j))}
        total = {"NumFilesInSet": np.int32(len(places))} if said else {}
        whole.cut(**{x: i, y: j}).write(f"{path}.{rank:04d}", own=own, **total)
