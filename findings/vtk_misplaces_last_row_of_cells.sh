#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The NetCDF reader of VTK 9.1.0 draws the last row of a curvilinear grid whose cells have corners as a fan into one point.
#
# By CF a field on cells with longitudes and latitudes of two dimensions names their corners in `bounds`, four a cell. For
# the points beyond the last row the reader takes the corner of that row's first cell for all, in ParaView 5.11 too.
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
import netCDF4
import numpy
from vtkmodules.vtkCommonCore import vtkVersion
from vtkmodules.vtkIONetCDF import vtkNetCDFCFReader

rows, columns = 3, 4
east, north = numpy.meshgrid(numpy.arange(columns + 1.0), numpy.arange(rows + 1.0))
with netCDF4.Dataset("a.nc", "w") as file:
    file.Conventions = "CF-1.8"
    for name, length in (("y", rows), ("x", columns), ("corner", 4)):
        file.createDimension(name, length)
    for name, units, at in (("lon", "degrees_east", east), ("lat", "degrees_north", north)):
        corners = numpy.stack([at[:-1, :-1], at[:-1, 1:], at[1:, 1:], at[1:, :-1]], axis=-1)
        file.createVariable(name + "_corners", "f8", ("y", "x", "corner"))[:] = corners
        centres = file.createVariable(name, "f8", ("y", "x"))
        centres.units, centres.bounds = units, name + "_corners"
        centres[:] = corners.mean(axis=-1)
    field = file.createVariable("ice", "f8", ("y", "x"))
    field.coordinates = "lon lat"
    field[:] = 1
reader = vtkNetCDFCFReader()
reader.SetFileName("a.nc")
reader.SphericalCoordinatesOff()
reader.UpdateMetaData()
reader.SetDimensions("(y, x)")
reader.Update()
grid = reader.GetOutput()
points = numpy.array([grid.GetPoint(k)[:2] for k in range(grid.GetNumberOfPoints())]).reshape(rows + 1, columns + 1, 2)
version = vtkVersion.GetVTKVersion()
print("VTK", version)
for row in points:
    print(*(f"({x:g}, {y:g})" for x, y in row))
assert version == "9.1.0", "another version"
assert (points[:-1] == numpy.stack([east, north], axis=-1)[:-1]).all()
assert (points[-1, :-1] == [1, rows]).all(), "the last row has points of its own now"
PYTHON
echo "as seen: all points of the last row but its last are at (1, 3), the corner of its first cell"
