#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The NetCDF reader of VTK 9.1.0 gives no field of a grid on which one variable has an unsigned type.
#
# A mask of unsigned bytes beside the fields is valid NetCDF-4 and CF. The reader warns of "Unknown netCDF variable
# type", stops, and the grid comes without the fields that follow, in ParaView 5.11 too. Masks as signed bytes are read.
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
from vtkmodules.vtkCommonCore import vtkLogger, vtkVersion
from vtkmodules.vtkIONetCDF import vtkNetCDFCFReader


def shown(kind):
    """The fields of a grid that VTK gives where the mask beside them has that type."""
    with netCDF4.Dataset(kind + ".nc", "w") as file:
        file.Conventions = "CF-1.8"
        for name in ("y", "x"):
            file.createDimension(name, 3)
            coordinate = file.createVariable(name, "f8", (name,))
            coordinate.units = "m"
            coordinate[:] = numpy.arange(3.0)
        for name, type_of_it in (("area", "f8"), ("mask", kind), ("thickness", "f8")):
            file.createVariable(name, type_of_it, ("y", "x"))[:] = 1
    reader = vtkNetCDFCFReader()
    reader.SetFileName(kind + ".nc")
    reader.UpdateMetaData()
    reader.SetDimensions("(y, x)")
    reader.Update()
    arrays = reader.GetOutput().GetPointData()
    return sorted(arrays.GetArrayName(k) for k in range(arrays.GetNumberOfArrays()))


vtkLogger.SetStderrVerbosity(vtkLogger.VERBOSITY_OFF)
version = vtkVersion.GetVTKVersion()
print("VTK", version)
fields = {kind: shown(kind) for kind in ("i1", "u1", "u2", "u4", "u8")}
for kind, names in fields.items():
    print("beside a mask of", kind, "it gives", *names)
assert version == "9.1.0", "another version"
assert fields.pop("i1") == ["area", "mask", "thickness"]
assert all(names == ["area"] for names in fields.values()), "VTK reads more than it did"
PYTHON
echo "as seen: a mask of an unsigned type takes the fields behind it with it"
