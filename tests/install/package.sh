#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# package.sh BUILD WORK: the Debian packages are made, installed into a bare root by dpkg, run there and removed without a trace.
set -eu
build=$1
work=$2
command -v dpkg-deb >/dev/null && command -v dpkg-shlibdeps >/dev/null || { echo "skipped: no dpkg and dpkg-dev, which make and install Debian packages"; exit 77; }
rm -rf "$work"
mkdir -p "$work/root/var/lib/dpkg/info" "$work/root/var/lib/dpkg/updates" "$work/made"
: >"$work/root/var/lib/dpkg/status"
cpack -G DEB --config "$build/CPackConfig.cmake" -B "$work/made" >"$work/cpack.log" 2>&1 || { cat "$work/cpack.log"; exit 1; }
dpkg_root() {
  dpkg --root="$work/root" --log=/dev/null --force-not-root --force-bad-path --force-depends "$@" >"$work/dpkg.log" 2>&1 || { cat "$work/dpkg.log"; exit 1; }
}
dpkg_root -i "$work"/made/*.deb
depends=$(dpkg-deb -f "$work"/made/ulpine_*.deb Depends)
case $depends in
  *libnetcdf*libstdc++*) ;;
  *) echo "the package does not depend on its libraries: $depends"; exit 1 ;;
esac
for file in usr/bin/ulpine usr/share/man/man1/ulpine.1 usr/share/ulpine/cases/seaice/cyclone_quick.toml usr/share/ulpine/devices/b300.toml usr/share/ulpine/verification/atlas.toml usr/share/ulpine/analysis/report.py \
  usr/share/zsh/site-functions/_ulpine usr/share/fish/vendor_completions.d/ulpine.fish usr/share/bash-completion/completions/ulpine \
  usr/include/ulpine/verification usr/include/ulpine.h usr/share/ulpine/schemas/results.schema.json usr/share/ulpine/probe/python/ulpine/_analysis.py; do
  [ -e "$work/root/$file" ] || { echo "not installed: $file"; exit 1; }
done
[ -n "$(find "$work/root/usr/lib" -name libulpine_analysis.so)" ] || { echo "not installed: libulpine_analysis.so"; exit 1; }
[ -n "$(find "$work/root/usr/lib" -name ulpineConfig.cmake)" ] || { echo "not installed: ulpineConfig.cmake"; exit 1; }
cd "$work"
"$work/root/usr/bin/ulpine" cases -v | grep -qF "$work/root/usr/share/ulpine/cases/seaice/cyclone_quick.toml" || { echo "the installed program does not find its own cases"; exit 1; }
"$work/root/usr/bin/ulpine" run "$work/root/usr/share/ulpine/cases/seaice/cyclone_quick.toml" -q -o "$work/run" --steps 2
[ -s "$work/run/output.nc" ] || { echo "the installed program has written no output"; exit 1; }
if command -v man >/dev/null; then
  man --warnings "$work/root/usr/share/man/man1/ulpine.1" >"$work/manual.txt" 2>"$work/manual.log"
  [ ! -s "$work/manual.log" ] || { cat "$work/manual.log"; exit 1; }
  grep -qF 'ulpine trace-diff' "$work/manual.txt" || { echo "the manual page does not name trace-diff"; exit 1; }
fi
depends=$(dpkg-deb -f "$work"/made/ulpine-probe_*.deb Depends)
case $depends in
  *libc6*) [ "$depends" = "${depends#*,}" ] || { echo "the probe's package depends on more than the C library: $depends"; exit 1; } ;;
  *) echo "the probe's package does not depend on the C library: $depends"; exit 1 ;;
esac
dpkg_root -P ulpine ulpine-dev ulpine-probe
left=$(find "$work/root" -type f -not -path '*/var/lib/dpkg/*')
[ -z "$left" ] || { echo "left behind: $left"; exit 1; }
rm -rf "$work"
