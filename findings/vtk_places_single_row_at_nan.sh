#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The NetCDF reader of VTK 9.1.0 places a grid of one row at NaN, in the image that it makes of even spacings.
#
# A slice (z, y, x) with one y is common for models of two dimensions. The spacing of y is 0 / 0, so origin and bounds of
# the image are NaN and nothing of it can be drawn, in ParaView 5.11 too; as a rectilinear grid it is where it belongs.
# Needs Debian 12 with python3 and its network of packages; installs into a temporary folder.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
packages=(python3-vtk9=9.1.0+really9.1.0+dfsg2-5+deb12u1 libvtk9.1=9.1.0+really9.1.0+dfsg2-5+deb12u1 libtbb12=2021.8.0-2+deb12u1
          libtbbmalloc2=2021.8.0-2+deb12u1 libtbbbind-2-5=2021.8.0-2+deb12u1
          python3-netcdf4=1.6.2-1+b1 python3-cftime=1.6.2-3+b1 python3-numpy=1:1.24.2-1+deb12u1
          libnetcdf19=1:4.9.0-3+b1 libhdf5-103-1=1.10.8+repack1-1 libhdf5-hl-100=1.10.8+repack1-1 libaec0=1.0.6-1+b1 libsz2=1.0.6-1+b1)
apt-get download -q "${packages[@]}" >download.log 2>&1 || { cat download.log >&2; exit 3; }
for package in ./*.deb; do dpkg -x "$package" root; done
export PYTHONPATH=$folder/root/usr/lib/python3/dist-packages
export LD_LIBRARY_PATH=$folder/root/usr/lib/x86_64-linux-gnu
/usr/bin/python3 - <<'PYTHON'
import math

import netCDF4
from vtkmodules.vtkCommonCore import vtkVersion
from vtkmodules.vtkIONetCDF import vtkNetCDFCFReader

with netCDF4.Dataset("a.nc", "w") as file:
    file.Conventions = "CF-1.8"
    for name, values in (("z", [0, 1, 2]), ("y", [5]), ("x", [0, 1, 2, 3])):
        file.createDimension(name, len(values))
        coordinate = file.createVariable(name, "f8", (name,))
        coordinate.units = "m"
        coordinate[:] = values
    file.createVariable("theta", "f8", ("z", "y", "x"))[:] = 300
bounds = {}
for rectilinear in (False, True):
    reader = vtkNetCDFCFReader()
    reader.SetFileName("a.nc")
    if rectilinear:
        reader.SetOutputTypeToRectilinear()
    reader.UpdateMetaData()
    reader.SetDimensions("(z, y, x)")
    reader.Update()
    bounds[rectilinear] = reader.GetOutput().GetBounds()
version = vtkVersion.GetVTKVersion()
print("VTK", version)
print("bounds of the image:", bounds[False])
print("of the rectilinear grid:", bounds[True])
assert version == "9.1.0", "another version"
assert bounds[True] == (0, 3, 5, 5, 0, 2)
assert math.isnan(bounds[False][2]) and math.isnan(bounds[False][3]), "the row has a place now"
PYTHON
echo "as seen: y of the only row is NaN in place of 5"
