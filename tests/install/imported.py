#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""imported.py SHARE: the installed Python package finds its libraries, the report and the schemas by itself. SHARE is share/ulpine of the installation."""
import json
import os
import pathlib
import sys

share = pathlib.Path(sys.argv[1])
for name in ("ULPINE_PROBE_LIBRARY", "ULPINE_ANALYSIS_LIBRARY", "LD_LIBRARY_PATH"):
    os.environ.pop(name, None)
sys.path.insert(0, str(share / "probe/python"))
sys.dont_write_bytecode = True

import ulpine
from ulpine import _report

try:
    import netCDF4  # noqa: F401
    import numpy as np
    import xarray as xr
except ImportError as error:
    print(f"skipped: {error} (Debian: apt-get install python3-numpy python3-xarray python3-netcdf4)")
    sys.exit(77)

fields = [xr.DataArray(values, dims=("y", "x")) for values in (np.zeros((3, 4)), np.full((3, 4), 0.5))]
assert ulpine.compare(*fields)["variables"]["values"]["linf"] == 0.5
mapped = {pathlib.Path(line.split()[-1]) for line in open("/proc/self/maps", encoding="utf-8") if "libulpine_" in line}
assert len(mapped) == 2 and all(path.is_relative_to(share.parents[1]) for path in mapped), mapped
for name in ("results", "manifest", "run"):
    assert json.loads((share / f"schemas/{name}.schema.json").read_text(encoding="utf-8"))["title"] == f"{name}.json"
assert _report.analysis_folder() == share / "analysis"
