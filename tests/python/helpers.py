# SPDX-License-Identifier: Apache-2.0
"""What the tests of the Python package share: the program, the package and fields at random."""
import json
import os
import pathlib
import subprocess
import sys

SOURCE = pathlib.Path(os.environ.get("ULPINE_SOURCE_DIR", pathlib.Path(__file__).resolve().parents[2]))
PROGRAM = os.environ.get("ULPINE_PROGRAM", "")
sys.path.insert(0, str(SOURCE / "probe/python"))


def main(module):
    """Runs the tests of a module; exit code 77 where what they need is not there."""
    try:
        import netCDF4  # noqa: F401
        import numpy  # noqa: F401
        import pytest
        import xarray  # noqa: F401
    except ImportError as error:
        print(f"skipped: {error} (Debian: apt-get install python3-pytest python3-numpy python3-xarray python3-netcdf4)")
        sys.exit(77)
    if not os.path.exists(PROGRAM):
        print("skipped: ULPINE_PROGRAM names no program, whose numbers are the ones to be had")
        sys.exit(77)
    code = pytest.main(["-q", "-p", "no:cacheprovider", module, *sys.argv[1:]])
    sys.exit(77 if code == pytest.ExitCode.NO_TESTS_COLLECTED else code)


def ulpine_command(folder, *words):
    """What the command prints as JSON."""
    done = subprocess.run([PROGRAM, *words], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1, 4), done.stderr
    return json.loads(done.stdout)


def write_fields(path, chance, shape=(3, 4, 5, 7), kind="f8", missing=0.0, measure=False, noise=None):
    """A NetCDF file of one field `T` of time, level, y and x, written without xarray: of a type, or packed ("packed"), with missing values, weighted by a cell measure."""
    import netCDF4
    import numpy as np

    with netCDF4.Dataset(path, "w") as file:
        for name, size in zip(("time", "lev", "y", "x"), shape):
            file.createDimension(name, size)
        for name, units, axis, size in (("time", "hours since 2001-02-03", "T", shape[0]), ("lev", "m", "Z", shape[1]), ("y", "m", "Y", shape[2]), ("x", "m", "X", shape[3])):
            coordinate = file.createVariable(name, "f8", (name,))
            coordinate.setncatts({"units": units, "axis": axis})
            coordinate[:] = np.arange(size) * (1 if name == "time" else 500)
        values = chance.normal(size=shape) if noise is None else noise
        packed = kind == "packed"
        field = file.createVariable("T", "i2" if packed else kind, ("time", "lev", "y", "x"), fill_value=-32768 if packed else 1e30)
        field.setncatts({"units": "K"})
        if packed:
            field.setncatts({"scale_factor": np.float64(0.001), "add_offset": np.float64(2.5)})
        if measure:
            field.setncatts({"cell_measures": "area: cell_area"})
            area = file.createVariable("cell_area", "f8", ("y", "x"))
            area.setncatts({"units": "m2", "standard_name": "cell_area"})
            area[:] = chance.uniform(1, 9, size=shape[2:])
        field[:] = np.ma.masked_array(values, chance.random(shape) < missing if missing else False)
    return values
