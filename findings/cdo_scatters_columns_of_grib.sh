#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# CDO 2.1.1 takes the columns of a GRIB field for its rows where the file has column after column, without a word.
#
# Bit 3 of the scanning mode (jPointsAreConsecutive) says that neighbours along j follow each other. CDO reads the
# values in their order and gives them the places of an order of rows, so that all but the first lie elsewhere.
# ecCodes' own list of points is right. Needs Debian 12's packages cdo and libeccodes-tools.
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
set jPointsAreConsecutive = 1;
set values = { 1, 2, 3, 4, 5, 6 };
write;
RULES
grib_filter -o columns.grib2 make "$(codes_info -s | cut -d: -f1)/regular_ll_sfc_grib2.tmpl"
# Value at 10 N, 10 E: the third, the first of the second column.
eccodes=$(grib_get_data columns.grib2 | awk '$1 == 10 && $2 == 10 { print $3 + 0 }')
cdo=$(cdo -s outputtab,lat,lon,value columns.grib2 | awk '$1 == 10 && $2 == 10 { print $3 + 0 }')
echo "at 10 N, 10 E: ecCodes $eccodes, CDO $cdo ($(cdo --version 2>&1 | head -1))"
[[ $eccodes == 3 ]] || { echo "ecCodes has another value there" >&2; exit 1; }
[[ $cdo == 2 ]] || { echo "CDO does not take columns for rows" >&2; exit 1; }
echo "as seen: CDO gives another point's value"
