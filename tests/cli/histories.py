# SPDX-License-Identifier: Apache-2.0
"""Small history files in the shape of CAM's, MPAS-A's, POP's and EAM's, as PyCECT and EVV read them."""
import netCDF4
import numpy as np


def field(file, name, dimensions, values, **options):
    variable = file.createVariable(name, "f4", dimensions, **options)
    variable[:] = values


def lengths(file, dimensions, times=1):
    return tuple(times if name in ("time", "Time") else len(file.dimensions[name]) for name in dimensions)


def cam(path, random, shift=0.0, columns=True, times=2, missing=False):
    """Eight variables whose means vary together and alone, one that is constant, one of two values, one that is twice another."""
    with netCDF4.Dataset(path, "w") as file:
        grid = {"ncol": 37} if columns else {"lat": 9, "lon": 12}
        for name, length in {"time": None, "lev": 3, "ilev": 4, **grid}.items():
            file.createDimension(name, length)
        time = file.createVariable("time", "f8", ("time",))
        time.units, time.calendar = "days since 0001-01-01", "noleap"
        time[:] = range(times)
        for name in ("lev", "ilev"):
            file.createVariable(name, "f8", (name,))[:] = range(len(file.dimensions[name]))
        if columns:
            file.createVariable("area", "f8", ("ncol",))[:] = 1 + np.arange(37) % 7
        else:
            for name, units, values in (("lat", "degrees_north", np.linspace(-80, 80, 9)), ("lon", "degrees_east", 30 * np.arange(12))):
                variable = file.createVariable(name, "f8", (name,))
                variable.units = units
                variable[:] = values
            file.createVariable("gw", "f8", ("lat",))[:] = np.cos(np.deg2rad(np.linspace(-80, 80, 9)))
        flat, common = ("time", *grid), random.normal()

        def noise(dimensions, shift=0.0):
            return 10 + shift + 0.3 * common + 0.3 * random.normal() + random.normal(size=lengths(file, dimensions, times))
        for number in range(4):
            field(file, f"V{number}", ("time", "lev", *grid), noise(("time", "lev", *grid), shift if number == 0 else 0))
            values = noise(flat, shift if number in (1, 3) else 0)
            field(file, f"S{number}", flat, values)
            if number == 0:
                field(file, "DOUBLE", flat, 2 * file.variables["S0"][:])
        field(file, "CONSTANT", flat, 3.25)
        field(file, "FEW", flat, 1.0 + (random.random() < 0.5))
        field(file, "HALF_LEVELS", ("time", "ilev", *grid), noise(("time", "ilev", *grid)))
        if missing:
            values = np.ma.array(noise(("time", "lev", *grid)), mask=False)
            values[:, 0, 3:9] = np.ma.masked
            values[:, 1, :, 2:5] = np.ma.masked
            field(file, "GAPS", ("time", "lev", *grid), values, fill_value=1e36)


def mpas(path, random, shift=0.0):
    with netCDF4.Dataset(path, "w") as file:
        for name, length in {"Time": None, "nCells": 42, "nEdges": 120, "nVertices": 80, "nVertLevels": 3, "nVertLevelsP1": 4, "nSoilLevels": 2, "StrLen": 64}.items():
            file.createDimension(name, length)
        clock = file.createVariable("xtime", "S1", ("Time", "StrLen"))
        for number in range(2):
            clock[number, :] = netCDF4.stringtochar(np.array(f"2000-01-01_0{number}:00:00".ljust(64), "S64"))
        mesh = np.random.default_rng(5)
        for name, dimension in (("areaCell", "nCells"), ("dvEdge", "nEdges"), ("areaTriangle", "nVertices")):
            file.createVariable(name, "f8", (dimension,))[:] = 1e9 * (1 + mesh.random(len(file.dimensions[dimension])))
        common = random.normal()
        for name, dimensions in (("theta", ("nCells", "nVertLevels")), ("rho", ("nCells", "nVertLevels")), ("w", ("nCells", "nVertLevelsP1")), ("pressure", ("nCells",)),
                                 ("uReconstructZonal", ("nCells", "nVertLevels")), ("uReconstructMeridional", ("nCells", "nVertLevels")), ("u", ("nEdges", "nVertLevels")),
                                 ("tangential", ("nEdges", "nVertLevels")), ("vorticity", ("nVertices", "nVertLevels"))):
            values = 20 + 0.3 * common + 0.3 * random.normal() + random.normal(size=lengths(file, ("Time", *dimensions), 2))
            field(file, name, ("Time", *dimensions), values + (shift if name in ("theta", "rho", "vorticity") else 0))
        file.createVariable("levels_of_layer", "i4", ("Time", "nCells"))[:] = 3


def pop(path, random, shift=0.0):
    with netCDF4.Dataset(path, "w") as file:
        for name, length in {"time": None, "z_t": 3, "nlat": 9, "nlon": 11}.items():
            file.createDimension(name, length)
        time = file.createVariable("time", "f8", ("time",))
        time.units = "days since 0001-01-01"
        time[:] = [15]
        file.createVariable("z_t", "f4", ("z_t",))[:] = [5, 15, 30]
        mesh = np.random.default_rng(3)
        file.createVariable("REGION_MASK", "i4", ("nlat", "nlon"))[:] = mesh.integers(-3, 9, size=(9, 11))
        land = mesh.random((9, 11)) < 0.25
        for name, dimensions in (("TEMP", ("time", "z_t", "nlat", "nlon")), ("SALT", ("time", "z_t", "nlat", "nlon")), ("SSH", ("time", "nlat", "nlon"))):
            values = 10 + shift + random.normal(size=lengths(file, dimensions))
            field(file, name, dimensions, np.ma.array(values, mask=np.broadcast_to(land, values.shape)), fill_value=np.float32(9.96921e36))


def eam(folder, case, random, instances, shift=0.0, months=12, constant=0.0):
    """Monthly means of instances; the first month is one too early where there are 13."""
    folder.mkdir(parents=True)
    for instance in range(1, instances + 1):
        common = random.normal()
        for month in range(months):
            date = f"{1 + (month + 12 - months + 12) // 12 - 1:04}-{(month + 12 - months) % 12 + 1:02}"
            with netCDF4.Dataset(folder / f"{case}.eam_{instance:04}.h0.{date}.nc", "w") as file:
                for name, length in {"time": None, "lev": 2, "ncol": 29}.items():
                    file.createDimension(name, length)
                time = file.createVariable("time", "f8", ("time",))
                time.units, time.calendar = "days since 0001-01-01", "noleap"
                time[:] = [30 * month]
                file.createVariable("area", "f8", ("ncol",))[:] = 1 + np.arange(29)
                for number, name in enumerate(("T", "U", "Q")):
                    field(file, name, ("time", "lev", "ncol"), 250 + random.normal(size=(1, 2, 29)) + common + (shift if number == 0 else 0))
                field(file, "PS", ("time", "ncol"), 1e5 + random.normal(size=(1, 29)))
                field(file, "FIXED", ("time", "ncol"), 7.5 + constant)


def icon(path, random, amplitude=0.0):
    """Fields that are the same but for a factor near 1; some points have no value."""
    fixed = np.random.default_rng(8)
    with netCDF4.Dataset(path, "w") as file:
        for name, length in {"time": None, "height": 3, "ncells": 20}.items():
            file.createDimension(name, length)
        time = file.createVariable("time", "f8", ("time",))
        time.units = "hours since 2000-01-01"
        time[:] = [0, 1, 2]
        height = file.createVariable("height", "f8", ("height",))
        height.axis = "Z"
        height[:] = [10, 20, 40]
        for name, dimensions in (("temp", ("time", "height", "ncells")), ("pres", ("time", "ncells")), ("sst", ("time", "ncells"))):
            shape = lengths(file, dimensions, 3)
            values = 3 * fixed.normal(size=shape) * (1 + amplitude * (2 * random.random(shape) - 1))
            if name == "sst":
                values = np.ma.array(values, mask=np.broadcast_to(np.arange(20) % 3 == 0, shape))
            field(file, name, dimensions, values, fill_value=np.float32(-9e33))
