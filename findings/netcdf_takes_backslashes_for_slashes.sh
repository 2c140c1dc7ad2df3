#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# netCDF-C 4.9.0 writes a NetCDF-4 file called "i\j.nc" to i/j.nc on Linux, and a classic one to "i\j.nc".
#
# A backslash is an ordinary letter of names there. Of the NetCDF-4 format alone it becomes a slash, so that the file
# lies in another folder without a word, over what was there; where there is no such folder, the error is "Permission
# denied". Needs Debian 12 and its network of packages; installs into a temporary folder.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
packages=(netcdf-bin=1:4.9.0-3+b1 libnetcdf19=1:4.9.0-3+b1 libhdf5-103-1=1.10.8+repack1-1 libhdf5-hl-100=1.10.8+repack1-1)
apt-get download -q "${packages[@]}" >download.log 2>&1 || { cat download.log >&2; exit 3; }
for package in ./*.deb; do dpkg -x "$package" root; done
export LD_LIBRARY_PATH=$folder/root/usr/lib/x86_64-linux-gnu
ncgen=$folder/root/usr/bin/ncgen
echo 'netcdf t { dimensions: x = 2 ; variables: int v(x) ; data: v = 1, 2 ; }' >t.cdl
mkdir classic new
(cd classic && mkdir i && "$ncgen" -k classic -o 'i\j.nc' ../t.cdl && find . -name '*.nc')
(cd new && mkdir i && "$ncgen" -k netCDF-4 -o 'i\j.nc' ../t.cdl && find . -name '*.nc')
[[ -f 'classic/i\j.nc' && ! -e classic/i/j.nc ]] || { echo "a classic file lies elsewhere, too" >&2; exit 1; }
[[ -f new/i/j.nc && ! -e 'new/i\j.nc' ]] || { echo "a NetCDF-4 file lies where its name says" >&2; exit 1; }
if said=$("$ncgen" -k netCDF-4 -o 'none\j.nc' t.cdl 2>&1); then
  echo "a file below no folder was written" >&2
  exit 1
fi
echo "without such a folder: ${said%%$'\n'*}"
[[ $said == *"Permission denied"* ]] || { echo "the error is another one" >&2; exit 1; }
echo "as seen: a NetCDF-4 file called i\\j.nc lies in i/j.nc"
