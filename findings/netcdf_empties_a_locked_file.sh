#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# netCDF-C 4.9.0 empties a NetCDF-4 file that another program has locked, and then reports "Permission denied".
#
# HDF5 locks a file that it has open, so creating it anew while a reader has it fails. By then it has been cut to nothing:
# whoever sees the error believes that the old results are still there.
# Needs Debian 12 with python3 and its network of packages; installs into a temporary folder.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
packages=(python3-netcdf4=1.6.2-1+b1 python3-cftime=1.6.2-3+b1 python3-numpy=1:1.24.2-1+deb12u1
          libnetcdf19=1:4.9.0-3+b1 libhdf5-103-1=1.10.8+repack1-1 libhdf5-hl-100=1.10.8+repack1-1)
apt-get download -q "${packages[@]}" >download.log 2>&1 || { cat download.log >&2; exit 3; }
for package in ./*.deb; do dpkg -x "$package" root; done
export PYTHONPATH=$folder/root/usr/lib/python3/dist-packages
export LD_LIBRARY_PATH=$folder/root/usr/lib/x86_64-linux-gnu
unset HDF5_USE_FILE_LOCKING
/usr/bin/python3 - <<'PYTHON'
import os
import subprocess
import sys

import netCDF4

with netCDF4.Dataset("a.nc", "w") as file:
    file.createDimension("x", 1000)
    file.createVariable("field", "f8", ("x",))[:] = 1
before = os.path.getsize("a.nc")
reader = netCDF4.Dataset("a.nc")
writer = subprocess.run([sys.executable, "-c", "import netCDF4; netCDF4.Dataset('a.nc', 'w')"], capture_output=True, text=True)
message = writer.stderr.strip().splitlines()[-1]
after = os.path.getsize("a.nc")
print("netCDF-C", netCDF4.__netcdf4libversion__, "HDF5", netCDF4.__hdf5libversion__)
print("the writer ends with", message)
print(before, "bytes before,", after, "after")
assert netCDF4.__netcdf4libversion__ == "4.9.0", "another version"
assert writer.returncode != 0 and "Permission denied" in message, "the refusal is another one now"
assert before > 8000 and after == 0, "the refused file is kept now"
PYTHON
echo "as seen: the refused writer has emptied the file"
