#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# CPack 3.25.1 gives a Debian package an ldconfig script for a plugin one folder below /usr/lib.
#
# A module that a program opens itself, in /usr/lib/NAME, is no library for the dynamic linker: it has neither a soname nor
# a place on its path. The package gets postinst and postrm scripts that call ldconfig all the same, so that it cannot be
# installed into a root without a shell. In /usr/lib/NAME/modules the same file brings no script. Seen where dpkg-shlibdeps
# finds the dependencies (CPACK_DEBIAN_PACKAGE_SHLIBDEPS).
# Needs Debian 12 with g++, dpkg-dev and its network of packages; installs into a temporary folder.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -q cmake=3.25.1-1 cmake-data=3.25.1-1 libarchive13=3.6.2-1+deb12u4 librhash0=1.4.3-3 libjsoncpp25=1.9.5-4 libuv1=1.44.2-1+deb12u1 \
  >download.log 2>&1 || { cat download.log >&2; exit 3; }
for package in ./*.deb; do dpkg -x "$package" root; done
export LD_LIBRARY_PATH=$folder/root/usr/lib/x86_64-linux-gnu
export CMAKE_ROOT=$folder/root/usr/share/cmake-3.25
cmake=$folder/root/usr/bin/cmake cpack=$folder/root/usr/bin/cpack
"$cmake" --version | head -n 1

# The control files of a package that has its one plugin in that folder below /usr/lib.
scripts() {
  mkdir "project-$2"
  echo 'int answer() { return 42; }' >"project-$2/plugin.cpp"
  cat >"project-$2/CMakeLists.txt" <<CMAKE
cmake_minimum_required(VERSION 3.25)
project(host VERSION 1.0 LANGUAGES CXX)
add_library(plugin MODULE plugin.cpp)
set_target_properties(plugin PROPERTIES PREFIX "" NO_SONAME ON)
install(TARGETS plugin LIBRARY DESTINATION lib/$1)
set(CPACK_GENERATOR DEB)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "Nobody <nobody@example.org>")
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
include(CPack)
CMAKE
  "$cmake" -S "project-$2" -B "build-$2" >log 2>&1 && "$cmake" --build "build-$2" >>log 2>&1 || { cat log >&2; exit 3; }
  (cd "build-$2" && "$cpack" -G DEB >../log 2>&1) || { cat log >&2; exit 3; }
  dpkg-deb --ctrl-tarfile "build-$2"/*.deb | tar -t | sed -n 's/^.*\(postinst\|postrm\)$/\1/p' | sort | tr '\n' ' '
}

near=$(scripts host near)
far=$(scripts host/modules far)
echo "in /usr/lib/host: ${near:-no scripts}"
echo "in /usr/lib/host/modules: ${far:-no scripts}"
[[ $near == "postinst postrm " && -z $far ]] || { echo "CPack does otherwise now"; exit 1; }
echo "as seen: a plugin one folder below /usr/lib is taken for a public library"
