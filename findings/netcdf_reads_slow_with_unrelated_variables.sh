#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# With netCDF-C 4.9.0 reading one value takes longer the more other variables the file has along an unlimited dimension.
#
# For the length of an unlimited dimension, which each read of a variable along it needs, the library looks at all
# variables. Reading every variable of a file once so takes a time that grows with the square of their number.
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
/usr/bin/python3 - <<'PYTHON'
import time
import netCDF4

def write(name, count, length):
    with netCDF4.Dataset(name, "w") as file:
        file.createDimension("time", length)
        for i in range(count):
            file.createVariable(f"v{i}", "f4", ("time",))[0] = i

def seconds(name):
    """The least of 30 reads of one value of one variable."""
    with netCDF4.Dataset(name) as file:
        variable, times = file["v0"], []
        for _ in range(30):
            begin = time.perf_counter()
            variable[0]
            times.append(time.perf_counter() - begin)
    return min(times)

few, many = 100, 1600
print("netCDF-C", netCDF4.__netcdf4libversion__)
ratios = {}
for kind, length in (("unlimited", None), ("fixed", 1)):
    for count in (few, many):
        write(f"{kind}{count}.nc", count, length)
    ratios[kind] = seconds(f"{kind}{many}.nc") / seconds(f"{kind}{few}.nc")
    print(f"{kind}: one value of a file of {many} variables takes {ratios[kind]:.1f} times as long as of {few}")
assert netCDF4.__netcdf4libversion__ == "4.9.0", "another version"
assert ratios["unlimited"] > 3, "the number of variables no longer counts"
assert ratios["fixed"] < 2, "the number of variables counts along fixed dimensions, too"
PYTHON
echo "as seen: with an unlimited dimension a read takes longer with every other variable, with a fixed one it does not"
