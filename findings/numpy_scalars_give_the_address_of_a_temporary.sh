#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# NumPy 1.24.2 gives in __array_interface__ of a scalar the address of a temporary array, and calls it writable.
#
# By the protocol a reader keeps the object that has the interface, and its memory stays. A scalar's address belongs to an
# array that lives as long as the dictionary, under a key "__ref" which the protocol has not. Scalars of different values
# so name one address while all of them live, and arrays that numpy.asarray makes of objects which hand the interface on
# share their memory. Arrays without dimensions have an address each. The script compares addresses and reads none.
# Needs Debian 12 with python3 and its network of packages; installs into a temporary folder.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
packages=(python3-numpy=1:1.24.2-1+deb12u1 libblas3=3.11.0-2 liblapack3=3.11.0-2 libgfortran5=12.2.0-14+deb12u1)
apt-get download -q "${packages[@]}" >download.log 2>&1 || { cat download.log >&2; exit 3; }
for package in ./*.deb; do dpkg -x "$package" root; done
export PYTHONPATH=$folder/root/usr/lib/python3/dist-packages
libraries=$folder/root/usr/lib/x86_64-linux-gnu
export LD_LIBRARY_PATH=$libraries:$libraries/blas:$libraries/lapack
/usr/bin/python3 - <<'PYTHON'
import sys

import numpy


class Holder:
    """Hands on the interface of what it holds."""

    def __init__(self, held):
        self.held = held

    @property
    def __array_interface__(self):
        return self.held.__array_interface__


def look(kind):
    """How many addresses four living objects give, whether they can be written to, and how many their arrays have."""
    objects = [kind(value) for value in (1.5, 2.5, 3.5, 4.5)]
    data = [one.__array_interface__["data"] for one in objects]
    arrays = [numpy.asarray(Holder(one)) for one in objects]
    found = len({address for address, _ in data}), {not read_only for _, read_only in data}, len({a.ctypes.data for a in arrays})
    print(f"4 of {kind.__name__}: {found[0]} address(es), writable {found[1]}, their arrays have {found[2]}")
    return found


print("NumPy", numpy.__version__)
if look(numpy.array) != (4, {True}, 4):
    sys.exit("arrays without dimensions share an address, too")
given, writable, had = look(numpy.float64)
if given == 4 or writable != {True} or had == 4:
    sys.exit("scalars have an address each now")
PYTHON
echo "as seen: the address that a scalar gives is no longer its own when it is read"
