#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# gmsh 4.8.4 leaves a mesh of the second order as it is where "-save -order 1" asks for the first, and says nothing.
#
# The option of the order belongs to meshing, and converting a file meshes nothing; a script with SetOrder does convert it.
# Needs Debian 12 and its network of packages; unpacks gmsh with its libraries (130 MB) into a temporary folder.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mapfile -t libraries < <(apt-cache depends --recurse --no-recommends --no-suggests --no-conflicts --no-breaks --no-replaces --no-enhances gmsh |
  grep '^[a-z0-9]' | grep -vE '^(gmsh|libgmsh4.8|libc6|libgcc-s1|gcc-.*-base|dpkg|debconf|perl.*|tar|init.*)(:|$)' | sort -u)
apt-get download -q gmsh=4.8.4+ds2-3 libgmsh4.8=4.8.4+ds2-3 "${libraries[@]}" >download.log 2>&1 || { cat download.log >&2; exit 3; }
for package in ./*.deb; do dpkg -x "$package" root; done
libraries_of=$folder/root/usr/lib/x86_64-linux-gnu
gmsh() { LD_LIBRARY_PATH=$libraries_of:$libraries_of/blas:$libraries_of/lapack "$folder/root/usr/bin/gmsh" "$@"; }
version=$(gmsh --version 2>&1)
echo "gmsh $version"
[[ $version == 4.8.4* ]] || { echo "another version" >&2; exit 1; }
cat >box.geo <<'GEO'
SetFactory("OpenCASCADE");
Box(1) = {0, 0, 0, 1, 1, 1};
GEO
# Elements of the type are counted in format 2, where each is a line "NUMBER TYPE ...": 4 and 11 are tetrahedra of 4 and 10 nodes.
count() { awk -v type="$2" '/^\$Elements/ { inside = 1; getline; next } /^\$EndElements/ { inside = 0 } inside && $2 == type' "$1" | wc -l; }
gmsh -3 -order 2 -format msh22 box.geo -o second.msh >/dev/null
gmsh second.msh -save -order 1 -format msh22 -o saved.msh >saved.log 2>&1
printf 'Merge "second.msh";\nSetOrder 1;\nMesh.MshFileVersion = 2.2;\nSave "scripted.msh";\n' >script.geo
gmsh script.geo - >/dev/null
echo "tetrahedra of the second and the first order: saved $(count saved.msh 11), $(count saved.msh 4); by SetOrder $(count scripted.msh 11), $(count scripted.msh 4)"
if grep -qi -E "warning|error" saved.log; then { echo "another behaviour than was seen" >&2; exit 1; }; fi
(($(count saved.msh 11) > 0 && $(count saved.msh 4) == 0 && $(count scripted.msh 11) == 0 && $(count scripted.msh 4) > 0)) ||
  { echo "another behaviour than was seen" >&2; exit 1; }
echo "as seen: -save -order 1 keeps the second order without a word"
