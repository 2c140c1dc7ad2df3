#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes folders as ICON, CESM and MicroHH leave them, small: make.py FOLDER [--members 24] [--seed 1] [--only icon,cesm,microhh].

FOLDER/MODEL/ensemble has the members of an accepted version, FOLDER/MODEL/new three runs of a new version that is as good, FOLDER/MODEL/fault
three runs of one with a planted fault; beside them what that model has besides (a grid file, fields, cross-sections). The flow is Lorenz's model of 1996 on
rings, one a variable and level, coupled along the vertical and from variable to variable: chaotic, and cheap. Members differ by noise of 1e-10 at the start. The
fault is a forcing of the second variable that is applied twice. Needs numpy and netCDF4; a folder is a function of members and seed alone.
"""
import argparse
import pathlib

import netCDF4
import numpy as np

STEP = 0.025
STEPS_AN_OUTPUT = 200
OUTPUTS = 5
TOGETHER = 6  # runs, whose states the processor's cache holds
FORCING = np.array([8.0, 8.5, 9.0, 7.5])
FAULT = np.array([1.0, 2.0, 1.0, 1.0])


def tendency(x, forcing):
    """Of x[run, variable, level, point] (Lorenz 1996) with weak exchange between neighbouring levels and variables."""
    ring = np.concatenate([x[..., -2:], x, x[..., :1]], -1)
    change = ring[..., 3:] - ring[..., :-3]
    change *= ring[..., 1:-2]
    change -= x
    change += forcing
    above = x[:, :, 1:] - x[:, :, :-1]
    exchange = np.zeros_like(x)
    exchange[:, :, 1:] -= above
    exchange[:, :, :-1] += above
    exchange *= 0.1
    change += exchange
    beside = np.concatenate([x[:, -1:], x[:, :-1]], 1)
    beside -= x
    beside *= 0.05
    change += beside
    return change


def runs(names, levels, points, seed):
    """{name: states[time, variable, level, point]} of runs whose names begin with `fault` where they have the fault."""
    variables = len(FORCING)
    start = np.random.default_rng(seed).uniform(-1, 1, (variables, levels, points))
    noise = [np.random.default_rng([seed, 1 + number]).uniform(-1e-10, 1e-10, start.shape) for number in range(len(names))]
    forcing = np.stack([FORCING * (FAULT if name.startswith("fault") else 1.0) for name in names])[:, :, None, None]
    # The start lies on the attractor of the accepted version, so that nothing drifts afterwards.
    x = start[None] + FORCING[None, :, None, None]
    for _ in range(2 * STEPS_AN_OUTPUT):
        x = advanced(x, FORCING[None, :, None, None])
    x = x + np.stack(noise)
    states = np.empty((len(names), OUTPUTS, *start.shape))
    for first in range(0, len(names), TOGETHER):
        some = slice(first, first + TOGETHER)
        part = x[some]
        for output in range(OUTPUTS):
            for _ in range(STEPS_AN_OUTPUT):
                part = advanced(part, forcing[some])
            states[some, output] = part
    return dict(zip(names, states))


def advanced(x, forcing):
    """After a step of Runge and Kutta's fourth order."""
    a = tendency(x, forcing)
    b = tendency(x + STEP / 2 * a, forcing)
    c = tendency(x + STEP / 2 * b, forcing)
    d = tendency(x + STEP * c, forcing)
    a += 2 * b
    a += 2 * c
    a += d
    a *= STEP / 6
    a += x
    return a


def put(group, name, dimensions, values, kind="f4", fill=None, **attributes):
    variable = group.createVariable(name, kind, dimensions, fill_value=fill, zlib=bool(dimensions))
    variable.setncatts(attributes)
    variable[...] = values
    return variable


# ---- ICON: triangles in no order, dates that are numbers, the areas in a file of the grid ----

ICON_CELLS, ICON_LEVELS, ICON_GRID = 80, 4, "0f1c2a9e-5d4b-11ee-8c99-0242ac120002"


def icon_places():
    """Centres on a spiral round the sphere, in radians, and unequal areas (m2) that make up the sphere's."""
    number = np.arange(ICON_CELLS) + 0.5
    latitude = np.arcsin(1 - 2 * number / ICON_CELLS)
    longitude = np.remainder(np.pi * (1 + 5 ** 0.5) * number, 2 * np.pi) - np.pi
    share = 1 + 0.4 * np.cos(3 * np.arange(ICON_CELLS))
    return longitude, latitude, 4 * np.pi * 6371229.0 ** 2 * share / share.sum()


def icon_cells(file, dimension):
    longitude, latitude, _ = icon_places()
    file.createDimension(dimension, ICON_CELLS)
    file.createDimension("vertices" if dimension == "ncells" else "nv", 3)
    vertices = file.dimensions["vertices" if dimension == "ncells" else "nv"].name
    corners = np.array([0.0, 2.1, 4.2])
    for name, values, standard, turn in (("clon", longitude, "longitude", np.cos), ("clat", latitude, "latitude", np.sin)):
        put(file, name, (dimension,), values, "f8", standard_name=standard, long_name=f"center {standard}", units="radian", bounds=f"{name}_bnds" if dimension == "ncells" else f"{name}_vertices")
        put(file, f"{name}_bnds" if dimension == "ncells" else f"{name}_vertices", (dimension, vertices), values[:, None] + 0.1 * turn(corners), "f8")


def icon_grid(path):
    with netCDF4.Dataset(path, "w") as file:
        file.setncatts({"title": "ICON grid description", "uuidOfHGrid": ICON_GRID, "grid_root": np.int32(2), "grid_level": np.int32(0), "number_of_grid_used": np.int32(13)})
        icon_cells(file, "cell")
        put(file, "cell_area", ("cell",), icon_places()[2], "f8", long_name="area of grid cell", standard_name="area", units="m2")
        put(file, "cell_sea_land_mask", ("cell",), np.where(np.arange(ICON_CELLS) % 3 == 0, 2, -2), "i4", long_name="sea (-2 inner, -1 boundary) land (2 inner, 1 boundary) mask for the cell")


def icon(path, states):
    with netCDF4.Dataset(path, "w", format="NETCDF4_CLASSIC") as file:
        file.setncatts({"Conventions": "CF-1.6", "title": "ICON simulation", "institution": "a toy", "source": "icon-like toy flow", "uuidOfHGrid": ICON_GRID, "number_of_grid_used": np.int32(13)})
        file.createDimension("time", None)
        icon_cells(file, "ncells")
        file.createDimension("height", ICON_LEVELS)
        put(file, "height", ("height",), np.arange(1, ICON_LEVELS + 1), "f8", standard_name="height", long_name="generalized_height", axis="Z")
        days = 20200101 + 0.25 * (1 + np.arange(OUTPUTS))
        days[3], days[4] = 20200102.0, 20200102.25  # as numbers of dates go
        put(file, "time", ("time",), days, "f8", standard_name="time", units="day as %Y%m%d.%f", calendar="proleptic_gregorian", axis="T")
        grid = {"CDI_grid_type": "unstructured", "number_of_grid_in_reference": np.int32(1), "coordinates": "clat clon"}
        for name, number, scale, offset, units, standard in (("temp", 0, 1.5, 280.0, "K", "air_temperature"), ("u", 1, 2.0, 0.0, "m s-1", "eastward_wind"), ("v", 2, 2.0, 0.0, "m s-1", "northward_wind"),
                                                             ("qv", 3, 2e-4, 6e-3, "kg kg-1", "specific_humidity")):
            put(file, name, ("time", "height", "ncells"), offset + scale * states[:, number], standard_name=standard, units=units, **grid)
        put(file, "pres_sfc", ("time", "ncells"), 101325 + 50 * states[:, :, -1].sum(axis=1), standard_name="surface_air_pressure", units="Pa", **grid)
        # Sea surface temperature is missing on land.
        sea = np.where(np.arange(ICON_CELLS) % 3 == 0, -9e33, 290 + 0.5 * states[:, 0, -1])
        put(file, "t_seasfc", ("time", "ncells"), sea, fill=np.float32(-9e33), missing_value=np.float32(-9e33), standard_name="sea_surface_temperature", units="K", **grid)


# ---- CESM: the atmosphere's history, a file a time, years without leap days, Gaussian weights ----

CESM_ROWS, CESM_COLUMNS, CESM_LEVELS = 8, 16, 4


def cesm(path, state, output):
    nodes, gauss = np.polynomial.legendre.leggauss(CESM_ROWS)
    hybrid_a, hybrid_b = np.array([0.05, 0.08, 0.04, 0.0, 0.0]), np.array([0.0, 0.1, 0.4, 0.8, 1.0])
    field = state.reshape(len(FORCING), CESM_LEVELS, CESM_ROWS, CESM_COLUMNS)
    fill = np.float32(1e36)
    with netCDF4.Dataset(path, "w", format="NETCDF3_64BIT_OFFSET") as file:
        file.setncatts({"Conventions": "CF-1.0", "source": "CAM", "case": "b.e21.toy", "title": "UNSET", "time_period_freq": "hour_6"})
        for name, size in (("lat", CESM_ROWS), ("lon", CESM_COLUMNS), ("time", None), ("nbnd", 2), ("lev", CESM_LEVELS), ("ilev", CESM_LEVELS + 1)):
            file.createDimension(name, size)
        put(file, "lat", ("lat",), np.degrees(np.arcsin(nodes)), "f8", long_name="latitude", units="degrees_north")
        put(file, "lon", ("lon",), 360 / CESM_COLUMNS * np.arange(CESM_COLUMNS), "f8", long_name="longitude", units="degrees_east")
        put(file, "gw", ("lat",), gauss, "f8", long_name="latitude weights")
        middle = 1000 * (hybrid_a + hybrid_b)
        put(file, "lev", ("lev",), (middle[1:] + middle[:-1]) / 2, "f8", long_name="hybrid level at midpoints (1000*(A+B))", units="hPa", positive="down",
            standard_name="atmosphere_hybrid_sigma_pressure_coordinate", formula_terms="a: hyam b: hybm p0: P0 ps: PS")
        put(file, "ilev", ("ilev",), middle, "f8", long_name="hybrid level at interfaces (1000*(A+B))", units="hPa", positive="down",
            standard_name="atmosphere_hybrid_sigma_pressure_coordinate", formula_terms="a: hyai b: hybi p0: P0 ps: PS")
        for name, values, at in (("hyai", hybrid_a, "ilev"), ("hybi", hybrid_b, "ilev"), ("hyam", (hybrid_a[1:] + hybrid_a[:-1]) / 2, "lev"), ("hybm", (hybrid_b[1:] + hybrid_b[:-1]) / 2, "lev")):
            put(file, name, (at,), values, "f8", long_name=f"hybrid {name[2]} coefficient at layer {'interfaces' if at == 'ilev' else 'midpoints'}")
        put(file, "P0", (), 1e5, "f8", long_name="reference pressure", units="Pa")
        day = 0.25 * (1 + output)
        put(file, "time", ("time",), [day], "f8", long_name="time", units="days since 0001-01-01 00:00:00", calendar="noleap", bounds="time_bnds")
        put(file, "time_bnds", ("time", "nbnd"), [[day - 0.25, day]], "f8", long_name="time interval endpoints")
        put(file, "date", ("time",), [10101 + int(day)], "i4", long_name="current date (YYYYMMDD)")
        put(file, "datesec", ("time",), [round(day % 1 * 86400)], "i4", long_name="current seconds of current date")
        put(file, "nsteph", ("time",), [STEPS_AN_OUTPUT * (1 + output)], "i4", long_name="current timestep")
        for name, number, scale, offset, units in (("T", 0, 1.5, 280.0, "K"), ("U", 1, 2.0, 0.0, "m/s"), ("V", 2, 2.0, 0.0, "m/s"), ("Q", 3, 2e-4, 6e-3, "kg/kg")):
            put(file, name, ("time", "lev", "lat", "lon"), [offset + scale * field[number]], units=units, mdims=np.int32(1), cell_methods="time: mean")
        put(file, "PS", ("time", "lat", "lon"), [1e5 + 50 * field[:, -1].sum(axis=0)], units="Pa", cell_methods="time: mean")
        ocean = np.arange(CESM_ROWS * CESM_COLUMNS).reshape(CESM_ROWS, CESM_COLUMNS) % 16 > 4
        put(file, "SST", ("time", "lat", "lon"), [np.where(ocean, 290 + 0.5 * field[0, -1], fill)], fill=fill, missing_value=fill, units="K", cell_methods="time: mean")


# ---- MicroHH: statistics in groups, fields and cross-sections a file each, times since the year 1 ----

HH_POINTS, HH_LEVELS = 8, 8


def microhh_axes(file, spacing, names):
    """Coordinates of the staggered grid, which it gives no units but of the time."""
    size = {"x": HH_POINTS, "xh": HH_POINTS, "y": HH_POINTS, "yh": HH_POINTS, "z": HH_LEVELS, "zh": HH_LEVELS + (1 if "zh" in names and "z" in names else 0)}
    for name in names:
        file.createDimension(name, size[name])
        offset = 0.0 if name.endswith("h") else 0.5
        put(file, name, (name,), spacing * (offset + np.arange(size[name])), "f8")


def microhh_time(file):
    file.createDimension("time", None)
    put(file, "time", ("time",), 3600.0 * (1 + np.arange(OUTPUTS)), "f8", units="seconds since 0001-01-01 00:00:00")


def microhh_fields(states):
    """{name: (values[time, z, y, x], unit)}; the levels of the four rings stand for half of the model's."""
    spread = np.repeat(states, HH_LEVELS // states.shape[2], axis=2).reshape(OUTPUTS, len(FORCING), HH_LEVELS, HH_POINTS, HH_POINTS)
    return {"thl": 300 + 0.05 * spread[:, 0], "u": 5 + 0.3 * spread[:, 1], "v": 0.3 * spread[:, 2], "qt": 1e-2 + 1e-4 * spread[:, 3]}


def microhh_statistics(path, states):
    fields = microhh_fields(states)
    with netCDF4.Dataset(path, "w") as file:
        microhh_time(file)
        microhh_axes(file, 25.0, ("z", "zh"))
        put(file, "iter", ("time",), STEPS_AN_OUTPUT * (1 + np.arange(OUTPUTS)), "i4", units="-", long_name="Iteration number")
        fill = 9.969209968386869e36
        for group, names in (("default", ("u", "v")), ("thermo", ("thl", "qt"))):
            part = file.createGroup(group)
            for name in names:
                units = {"u": "m s-1", "v": "m s-1", "thl": "K", "qt": "kg kg-1"}[name]
                mean = fields[name].mean(axis=(2, 3))
                put(part, name, ("time", "z"), mean, "f8", fill, units=units, long_name=name)
                put(part, f"{name}_2", ("time", "z"), ((fields[name] - mean[:, :, None, None]) ** 2).mean(axis=(2, 3)), "f8", fill, units=f"({units})2", long_name=f"Moment 2 of the {name}")
            if group == "default":
                speed = (fields["u"] * fields["v"]).mean(axis=(2, 3))
                put(part, "uw", ("time", "zh"), np.concatenate([np.zeros((OUTPUTS, 1)), speed], axis=1), "f8", fill, units="m2 s-2", long_name="Total flux of u")


def microhh_field(path, name, values, levels):
    """As 3d_to_nc.py and cross_to_nc.py write one variable a file, all levels or some."""
    x = "xh" if name == "u" else "x"
    y = "yh" if name == "v" else "y"
    with netCDF4.Dataset(path, "w") as file:
        microhh_time(file)
        microhh_axes(file, 100.0, (x, y))
        file.createDimension("z", len(levels))
        put(file, "z", ("z",), 25.0 * (0.5 + np.array(levels)), "f8")
        for axis in (x, y, "z"):
            file.variables[axis].units = "m"
        put(file, name, ("time", "z", y, x), values[:, levels])


# ---- the folders ----

def names(members):
    return [f"m{number:02d}" for number in range(1, members + 1)] + [f"new{number}" for number in (1, 2, 3)] + [f"fault{number}" for number in (1, 2, 3)]


def place(folder, name, file):
    kind = "new" if name.startswith("new") else "fault" if name.startswith("fault") else "ensemble"
    (folder / kind).mkdir(parents=True, exist_ok=True)
    return folder / kind / file


def make_icon(folder, members, seed):
    for name, states in runs(names(members), ICON_LEVELS, ICON_CELLS, seed).items():
        icon(place(folder, name, f"atm_ml_{name}.nc"), states)
    icon_grid(folder / "icon_grid_0013_R02B00_G.nc")


def make_cesm(folder, members, seed):
    for name, states in runs(names(members), CESM_LEVELS, CESM_ROWS * CESM_COLUMNS, seed).items():
        cesm(place(folder, name, f"b.e21.toy.{name}.cam.h0.0001-01-02-21600.nc"), states[-1], OUTPUTS - 1)
        if name in ("m01", "m02", "new1", "fault1"):
            (folder / "early").mkdir(exist_ok=True)
            cesm(folder / "early" / f"b.e21.toy.{name}.cam.h0.0001-01-01-21600.nc", states[0], 0)


def make_microhh(folder, members, seed):
    for name, states in runs(names(members), HH_LEVELS // 2, HH_POINTS * HH_POINTS, seed).items():
        microhh_statistics(place(folder, name, f"toy.default.{name}.nc"), states)
        if name in ("m01", "new1", "fault1"):
            (folder / name).mkdir(exist_ok=True)
            for variable, values in microhh_fields(states).items():
                microhh_field(folder / name / f"{variable}.nc", variable, values, list(range(HH_LEVELS)))
            microhh_field(folder / name / "u.xy.nc", "u", microhh_fields(states)["u"], [0, 4])


MODELS = {"icon": make_icon, "cesm": make_cesm, "microhh": make_microhh}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--members", type=int, default=24)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default=",".join(MODELS))
    options = parser.parse_args()
    for number, model in enumerate(MODELS):
        if model in options.only.split(","):
            folder = options.folder / model
            folder.mkdir(parents=True, exist_ok=True)
            MODELS[model](folder, options.members, [options.seed, number])


if __name__ == "__main__":
    main()
