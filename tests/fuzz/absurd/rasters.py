# SPDX-License-Identifier: Apache-2.0
"""Heights of buildings of large eddies: ESRI ASCII grids and NetCDF."""
import numpy as np
from netCDF4 import Dataset

from absurd.trial import SOURCE, Trial, set_words

N = 16
WORDS = ["run", str(SOURCE / "cases/les/urban.toml"), "-o", "out", "--steps", "1", "--quiet",
         *set_words(grid__nx=N, grid__ny=N, grid__nz=16, output__interval='"1 h"', buildings__kind='"raster"')]


def heights():
    """Two houses that no turn of the raster makes of each other."""
    values = np.zeros((N, N))
    values[3:7, 2:8] = 20
    values[10:13, 9:12] = 12
    return values


def number(value, r):
    """A number in one of the ways that programs write it."""
    if not r or not np.isfinite(value):
        return repr(float(value))
    return r.choice((f"{value:g}", f"{value:.3f}", f"{value:.6e}", f"+{value:g}", f"{value:.1f}"))


# What an ASCII grid says besides its numbers: (expected, name, alter(header, values, r)).
def rename(header, r):
    change = r.choice((str.upper, str.capitalize, str.lower))
    return {change(key): value for key, value in header.items()}


def ascii_grid(r, folder):
    values, expected, what, comma, rows_a_line, end = heights(), "same", "", False, N, "\n"
    header = {"ncols": N, "nrows": N, "xllcorner": 0, "yllcorner": 0, "cellsize": 4, "NODATA_value": -9999}
    formed = False
    if r:
        kind = what = r.choice(("letters", "order", "nodata", "nodata_of_its_own", "centre", "numbers", "lines", "ends", "far_away", "degrees", "comma", "undeclared", "sea_level",
                                "count", "cell", "negative", "huge", "words", "count_large", "twice", "corner", "nan_header", "unknown_key", "feet", "dx_dy", "turned", "blanks"))
        sizes = (0, -4, np.nan, np.inf, 1e-300, 1e300, -1e-9, 1e9)
        if kind == "letters":
            header = rename(header, r)
        elif kind == "order":
            keys = list(header)
            r.shuffle(keys)
            header = {key: header[key] for key in keys}
        elif kind in ("nodata", "nodata_of_its_own"):
            missing = -9999 if kind == "nodata" else r.choice((-1, -32768, 1e20, 255, -3.4028234663852886e38, 0))
            header["NODATA_value"] = missing
            values[values == 0] = missing
        elif kind == "centre":
            header = {"ncols": N, "nrows": N, "xllcenter": 2, "yllcenter": 2, "cellsize": 4}
        elif kind == "numbers":
            formed = True
        elif kind == "lines":
            rows_a_line = r.choice((1, 3, 5, N * N))
        elif kind == "ends":
            end = r.choice(("\r\n", "\r", " \n", "\t\n", "\n\n"))
        elif kind == "far_away":
            header["xllcorner"], header["yllcorner"] = r.choice(((392000.0, 5820000.0), (-1e7, 1e7), (1e300, 0)))
        elif kind == "degrees":
            expected, header["cellsize"] = "refused", r.choice((4.49e-5, 1e-4, 0.000277777778, 6.28e-7, 0.0000001))
            header["xllcorner"], header["yllcorner"] = r.choice(((13.4, 52.5), (0, 0), (-74.0, 40.7), (179.99, -89.0)))
        elif kind == "comma":
            expected, comma = "refused", True
            header["cellsize"] = r.choice((4, 4.5))
            values = values + 0.5 * (values > 0)
        elif kind == "undeclared":
            expected = "refused"
            values[r.randrange(N), r.randrange(N)] = r.choice((-9998, -32768, 1e20, 99999, 65535, -3.4e38, 9.97e36, np.inf))
        elif kind == "sea_level":
            expected, values = "refused", values + r.choice((30, 340.5, 1000, 8848))
        elif kind == "count":
            expected = "refused"
            header[r.choice(("ncols", "nrows"))] = r.choice((N - 1, N + 1, 0, -N, 2 * N, 15.5, "sixteen", ""))
        elif kind == "cell":
            expected, header["cellsize"] = "refused", r.choice((*sizes, "four", "", "4 4"))
        elif kind == "negative":
            expected, values = "refused", -values
        elif kind == "huge":
            expected, values = "refused", values * r.choice((100, 1000, 1e4, 1e30, 1e300))
        elif kind == "words":
            expected = "refused"
            values = values.astype(object)
            values[r.randrange(N), r.randrange(N)] = r.choice(("x", "--", "20m", "0x14", "1e", "1,5", "*", "#", "20;"))
        elif kind == "count_large":
            expected = "refused"
            header["ncols"], header["nrows"] = r.choice(((2**31, N), (2**32 + N, N), (2**63, 2), (65537, 1), (2**32, 2**32), (10**30, 1)))
        elif kind == "twice":
            expected = "refused"
            header = {**header, r.choice(("NCOLS", "Cellsize", "NROWS")): r.choice((4, 8, 3))}
        elif kind == "corner":
            header[r.choice(("xllcorner", "yllcorner"))] = r.choice((np.nan, np.inf, "east", ""))
            expected = "refused"
        elif kind == "nan_header":
            header["NODATA_value"] = r.choice((np.nan, "nan", "none", ""))
            expected = "sense"
        elif kind == "unknown_key":
            header[r.choice(("units", "projection", "zunits"))] = r.choice(("feet", "EPSG:4326", "degrees", 4))
            expected = "refused"
        elif kind == "feet":
            values, expected = values * 10, r.choice(("sense",))
        elif kind == "dx_dy":
            header.pop("cellsize")
            header |= r.choice(({"dx": 4, "dy": 4}, {"dx": 4, "dy": 8}, {"dx": -4, "dy": 4}, {"dx": 4}))
            expected = "same" if list(header.values())[-2:] == [4, 4] and "dy" in header else "sense" if 8 in header.values() else "refused"
        elif kind == "turned":
            header["cellsize"], expected = r.choice((1, 2, 0.5, 100, 1000)), "sense"
        elif kind == "blanks":
            expected, values = "refused", np.zeros((N, N))
    form = lambda value: value if isinstance(value, str) else number(value, r if formed else None)  # noqa: E731
    words = [form(value) for value in values.flatten()]
    lines = [f"{key} {value}" for key, value in header.items()] + [" ".join(words[i:i + rows_a_line]) for i in range(0, len(words), rows_a_line)]
    text = end.join(lines) + end
    (folder / "town.asc").write_bytes((text.replace(".", ",") if comma else text).encode())
    return "town.asc", expected, "ascii:" + what


def netcdf_grid(r, folder):
    values, expected, what = heights()[::-1], "same", []
    axes, steps = ["y", "x"], {"y": 4.0 * np.arange(N) + 2, "x": 4.0 * np.arange(N) + 2}
    units, of_axes, attributes, kind_of_number, form, fill, extra = "m", {"y": "m", "x": "m"}, {}, "f8", "NETCDF4", None, False
    chosen = r.sample(("turn_y", "turn_x", "order", "unit", "pack", "type", "fill", "format", "km", "time", "far", "float"), r.choice((0, 1, 2, 3))) if r else []
    for kind in chosen:
        what.append(kind)
        if kind == "turn_y":
            values, steps["y"] = values[::-1], steps["y"][::-1]
        elif kind == "turn_x":
            values, steps["x"] = values[:, ::-1], steps["x"][::-1]
        elif kind == "order":
            axes = ["x", "y"]
        elif kind == "unit" and "pack" not in what and "fill" not in what:
            units, factor = r.choice((("cm", 100), ("mm", 1000), ("dm", 10), ("km", 0.001), ("ft", 1 / 0.3048), ("meters", 1), ("metre", 1), ("meter", 1)))
            values = values * factor
        elif kind == "pack" and "unit" not in what and "fill" not in what:
            values, attributes, kind_of_number = values * 4, {"scale_factor": 0.25}, "i2"
        elif kind == "type":
            kind_of_number = kind_of_number if "pack" in what or "unit" in what else r.choice(("i2", "i4", "f4", ">f8", ">i4"))
        elif kind == "fill" and "pack" not in what and "unit" not in what:
            fill = r.choice((-9999.0, -1.0, 99.0))
            values = np.where(values == 0, fill, values)
        elif kind == "format":
            form = r.choice(("NETCDF3_CLASSIC", "NETCDF3_64BIT_OFFSET", "NETCDF4_CLASSIC"))
        elif kind == "km":
            of_axes, steps = {"y": "km", "x": "km"}, {key: value / 1000 for key, value in steps.items()}
        elif kind == "time":
            extra = True
        elif kind == "far":
            steps = {key: value + 392000.0 for key, value in steps.items()}
    absurd = r.choice((None, "degrees", "radians", "of_angle", "unit", "no_unit", "undeclared", "sea_level", "standard", "irregular", "oblong", "times", "scale", "swapped", "negative",
                       "empty", "zigzag", "one", "lon_lat", "text", "range", "key")) if r and r.random() < 0.6 else None
    words = []
    if absurd:
        what.append(absurd)
        expected = "refused"
        if absurd == "degrees":
            steps, of_axes = {key: value * 1.1e-5 for key, value in steps.items()}, {"y": "m", "x": "m"}
        elif absurd == "radians":
            steps, of_axes = {key: value * 1.6e-7 for key, value in steps.items()}, r.choice(({"y": "rad", "x": "rad"}, {"y": "m", "x": "m"}, {"y": "", "x": ""}))
        elif absurd == "of_angle":
            of_axes = {"y": "degrees_north", "x": "degrees_east"}
        elif absurd == "unit":
            units = r.choice(("K", "m s-1", "1", "%", "degrees", "Pa", "kg", "m2", "m-1", "storeys", "level"))
        elif absurd == "no_unit":
            units, expected = r.choice((None, "", "unknown")), "sense"
        elif absurd == "undeclared":
            values = np.array(values, dtype=float)
            values[r.randrange(N), r.randrange(N)] = r.choice((32767, -32768, -9998, 20000)) if kind_of_number[-2:] in ("i2", "i4") else r.choice((1e20, 9.97e36, 1e30, -9998, np.inf, 65535))
        elif absurd == "sea_level":
            values = values + (4000 if "pack" in what else 340000 if units in ("mm", "cm") else 340)
            expected = "sense" if fill is not None else "refused"
        elif absurd == "standard":
            attributes["standard_name"] = r.choice(("air_temperature", "surface_altitude", "land_area_fraction", "wind_speed", "time"))
            expected = "sense" if attributes["standard_name"] == "surface_altitude" else "refused"
        elif absurd == "irregular":
            axis = r.choice(("y", "x"))
            steps[axis] = np.array(steps[axis]) ** 1.2
        elif absurd == "oblong":
            steps["x"], expected = np.array(steps["x"]) * 2, "sense"
        elif absurd == "zigzag":
            axis = r.choice(("y", "x"))
            steps[axis] = np.array(steps[axis])
            steps[axis][[3, 9]] = steps[axis][[9, 3]]
        elif absurd == "times":
            words, expected = ["--set", f"buildings.spacing={r.choice((4, 5, 1e-4, -4, 0, 1e6))}"], "sense"
        elif absurd == "scale":
            attributes["scale_factor"] = r.choice((0.0, np.nan, np.inf, "4", 1e30, -1.0))
        elif absurd == "swapped":
            of_axes, expected = {"y": "s", "x": "K"}, "refused"
        elif absurd == "negative":
            values = np.where(values > 0, -values, values) if fill is None else values
            expected = "refused" if fill is None else "sense"
        elif absurd == "empty":
            values = np.zeros((N, N))
        elif absurd == "one":
            axis = r.choice(("y", "x"))
            steps[axis] = np.full(N, r.choice((3.0, np.nan, 1e300)))
        elif absurd == "lon_lat":
            attributes["coordinates"], expected = "lon lat", "sense"
        elif absurd == "text":
            kind_of_number, values, fill, attributes = "S1", np.full((N, N), "x", dtype="S1"), None, {}
        elif absurd == "range":
            attributes |= r.choice(({"valid_min": 50.0}, {"valid_max": -1.0}, {"valid_range": [30.0, 10.0]}, {"valid_max": np.nan}))
            expected = "sense"
        elif absurd == "key":
            words = ["--set", r.choice(('buildings.variable="x"', 'buildings.variable="none"', "buildings.east=1e6", "buildings.north=-1e6", 'buildings.resampling="mean"', "buildings.seed=3",
                                        "buildings.height=30", 'buildings.file="."', 'buildings.file="/dev/zero"', 'buildings.file=""', "buildings.spacing=nan"))]
            expected = "refused"
    with Dataset(folder / "town.nc", "w", format=form) as file:
        for axis in axes:
            file.createDimension(axis, N)
            variable = file.createVariable(axis, "f8", (axis,))
            if of_axes[axis]:
                variable.units = of_axes[axis]
            variable[:] = steps[axis]
        if extra:
            file.createDimension("time", 1)
        of = (["time"] if extra else []) + axes
        stored = kind_of_number.lstrip(">") if form.startswith("NETCDF3") else kind_of_number
        variable = file.createVariable("buildings_2d", stored, of, fill_value=fill, endian="big" if stored[0] == ">" else "native")
        variable.set_auto_maskandscale(False)
        variable.setncatts({**({"units": units} if units is not None else {}), **attributes})
        order = values if axes == ["y", "x"] else values.T
        with np.errstate(invalid="ignore"):
            variable[...] = order[None] if extra else order
    return "town.nc", expected, "netcdf:" + "+".join(what), words


def make(random, folder):
    if random is None:
        name, expected, what = ascii_grid(None, folder)
        words = []
    elif random.random() < 0.5:
        name, expected, what = ascii_grid(random, folder)
        words = []
    else:
        name, expected, what, words = netcdf_grid(random, folder)
    file = ["--set", f'buildings.file="{name}"']
    return Trial(_here(folder, WORDS + file + words), expected, what, _here(folder, WORDS + ["--set", 'buildings.file="town.asc"']), says=("town", "buildings"))


def _here(folder, words):
    """The case in the trial's own folder, so that its relative paths start there."""
    case = folder / "urban.toml"
    if not case.exists():
        case.write_text((SOURCE / "cases/les/urban.toml").read_text())
    return [word.replace(str(SOURCE / "cases/les/urban.toml"), "urban.toml") for word in words]
