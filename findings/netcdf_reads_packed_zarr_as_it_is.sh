#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# netCDF-C 4.9.0 of Debian 12 reads the packed bytes of a compressed Zarr array as its numbers, without an error.
#
# NCZarr looks for the codec that .zarray names among the filters that it has found. Debian's package has none of them
# (they lie in a package of their own elsewhere), zlib's included: ncdump prints what the packed bytes look like as
# numbers, then whatever memory holds behind them, and ends with 0. xarray's default is Blosc, so that no store that it
# writes is read right. Needs Debian 12 and its network of packages; installs into a temporary folder.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
packages=(netcdf-bin=1:4.9.0-3+b1 libnetcdf19=1:4.9.0-3+b1 libhdf5-103-1=1.10.8+repack1-1 libhdf5-hl-100=1.10.8+repack1-1)
apt-get download -q "${packages[@]}" >download.log 2>&1 || { cat download.log >&2; exit 3; }
for package in ./*.deb; do dpkg -x "$package" root; done
export LD_LIBRARY_PATH=$folder/root/usr/lib/x86_64-linux-gnu
python3 - <<'MAKE'
import json, os, struct, zlib

numbers = struct.pack("<4d", 1, 2, 3, 4)
for name, compressor, content in [("plain", None, numbers), ("packed", {"id": "zlib", "level": 1}, zlib.compress(numbers))]:
    os.makedirs(name + ".zarr/x")
    with open(name + ".zarr/.zgroup", "w") as file:
        json.dump({"zarr_format": 2}, file)
    with open(name + ".zarr/x/.zarray", "w") as file:
        json.dump({"zarr_format": 2, "shape": [4], "chunks": [4], "dtype": "<f8", "order": "C", "fill_value": None, "filters": None, "compressor": compressor}, file)
    with open(name + ".zarr/x/.zattrs", "w") as file:
        json.dump({"_ARRAY_DIMENSIONS": ["x"]}, file)
    with open(name + ".zarr/x/0", "wb") as file:
        file.write(content)
MAKE
numbers_of() {
  "$folder/root/usr/bin/ncdump" "file://$folder/$1.zarr#mode=zarr,file" | tr '\n' ' ' | sed 's/.*data: *x = //; s/ *;.*//'
}
plain=$(numbers_of plain)
packed=$(numbers_of packed)
echo "without compression: $plain"
echo "packed by zlib:      $packed"
[[ $plain == "1, 2, 3, 4" ]] || { echo "not even the plain array is read" >&2; exit 1; }
[[ $packed != "1, 2, 3, 4" ]] || { echo "the packed array is read right" >&2; exit 1; }
echo "as seen: four numbers that the array does not have, and exit code 0"
