#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# toml++ 3.3.0 reads 1e-400 as 0 without an error, while it refuses 1e400.
#
# TOML asks for doubles; of numbers beyond them one end is an error and the other silently another number, so that a
# positive length or time step of a configuration becomes 0.
# Needs Debian 12 with g++ 12 and its network of packages; installs into a temporary folder.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -q libtomlplusplus-dev=3.3.0+ds-1 libtomlplusplus3=3.3.0+ds-1 >download.log 2>&1 || { cat download.log >&2; exit 3; }
for package in ./*.deb; do dpkg -x "$package" root; done
cat >read.cpp <<'CPP'
#define TOML_HEADER_ONLY 1
#include <toml++/toml.h>

#include <cstdio>

int main() {
  double const small = *toml::parse("a = 1e-400")["a"].value<double>();
  bool refused = false;
  try {
    toml::parse("a = 1e400");
  } catch (toml::parse_error const&) {
    refused = true;
  }
  std::printf("toml++ %d.%d.%d: 1e-400 is %g, 1e400 is %s\n", TOML_LIB_MAJOR, TOML_LIB_MINOR, TOML_LIB_PATCH, small, refused ? "refused" : "read");
  return small == 0 && refused ? 0 : 1;
}
CPP
g++ -std=c++17 -w -isystem root/usr/include read.cpp -o read
./read || { echo "another behaviour than was seen" >&2; exit 1; }
echo "as seen: the number that is too small is 0, the one that is too large an error"
