#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# ecCodes 2.28 gives values of GRIB 2 to wrong points where every other row runs the other way; so does CDO 2.1.1.
#
# Bit 4 of the scanning mode (alternativeRowScanning, WMO's code table 3.4; NCEP's NDFD files have it) turns every
# second row. ecCodes' key `values` is in the order of the file, its `longitudes` and grib_get_data are as if all rows
# ran the same way. cfgrib turns the rows itself. Needs Debian 12's packages cdo, libeccodes-tools.
set -euo pipefail
for program in cdo grib_filter grib_get_data; do
  command -v "$program" >/dev/null || { echo "no $program (Debian: apt-get install cdo libeccodes-tools)" >&2; exit 3; }
done
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat >make <<'RULES'
set Ni = 3;
set Nj = 2;
set latitudeOfFirstGridPointInDegrees = 10;
set latitudeOfLastGridPointInDegrees = 0;
set longitudeOfFirstGridPointInDegrees = 0;
set longitudeOfLastGridPointInDegrees = 20;
set iDirectionIncrementInDegrees = 10;
set jDirectionIncrementInDegrees = 10;
set bitsPerValue = 8;
set values = { 1, 2, 3, 4, 5, 6 };
set alternativeRowScanning = 1;
write;
RULES
grib_filter -o turning.grib2 make "$(codes_info -s | cut -d: -f1)/regular_ll_sfc_grib2.tmpl"
# Section 7 has the six values less 1 as bytes, times 32, in the order of the file: the fourth is the first of the
# second row, which begins at 20 E.
echo "as stored: $(tail -c 10 turning.grib2 | head -c 6 | od -An -tu1)"
at_20_east() { awk '$1 == 0 && $2 == 20 { print $3 + 0 }'; }
eccodes=$(grib_get_data turning.grib2 | at_20_east)
cdo=$(cdo -s outputtab,lat,lon,value turning.grib2 | at_20_east)
echo "at 0 N, 20 E: the file has 4, ecCodes $(codes_info -v) $eccodes, CDO $cdo"
[[ $eccodes == 6 && $cdo == 6 ]] || { echo "one of them is right, or wrong in another way" >&2; exit 1; }
echo "as seen: both give the value of 0 N, 0 E"
