#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# netCDF-C 4.9.0 does not list a dataset of booleans or of complex numbers that h5py 3.7.0 wrote, and says nothing.
#
# Both are valid HDF5: h5py stores a boolean as an enumeration of FALSE and TRUE, a complex number as a compound of
# r and i. Whoever compares two such files through netCDF alone never sees that their masks or spectra differ.
# Needs Debian 12 with python3 and its network of packages; installs into a temporary folder.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
packages=(python3-h5py=3.7.0-8 python3-h5py-serial=3.7.0-8 python3-netcdf4=1.6.2-1+b1 python3-cftime=1.6.2-3+b1
          python3-numpy=1:1.24.2-1+deb12u1 libnetcdf19=1:4.9.0-3+b1 libhdf5-103-1=1.10.8+repack1-1 libhdf5-hl-100=1.10.8+repack1-1)
apt-get download -q "${packages[@]}" >download.log 2>&1 || { cat download.log >&2; exit 3; }
for package in ./*.deb; do dpkg -x "$package" root; done
export PYTHONPATH=$folder/root/usr/lib/python3/dist-packages
export LD_LIBRARY_PATH=$folder/root/usr/lib/x86_64-linux-gnu
/usr/bin/python3 - <<'PYTHON'
import h5py
import netCDF4
import numpy

with h5py.File("a.nc", "w") as file:
    file.create_dataset("plain", data=numpy.arange(3.0))
    file.create_dataset("mask", data=numpy.array([True, False, True]))
    file.create_dataset("spectrum", data=numpy.array([1j, 2, 3]))
with h5py.File("a.nc") as file:
    in_hdf5 = sorted(file)
with netCDF4.Dataset("a.nc") as file:
    in_netcdf = sorted(file.variables)
print("h5py", h5py.__version__, "netCDF-C", netCDF4.__netcdf4libversion__)
print("in the file:", *in_hdf5)
print("listed by netCDF:", *in_netcdf)
assert netCDF4.__netcdf4libversion__ == "4.9.0", "another version"
assert in_hdf5 == ["mask", "plain", "spectrum"]
assert in_netcdf == ["plain"], "netCDF lists more than it did"
PYTHON
echo "as seen: netCDF lists 1 of 3 datasets, without a word about the others"
