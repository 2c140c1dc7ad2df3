#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# build-and-run.sh COMPILER FOLDER [flags]: a program that knows Ulpine by pkg-config alone.
set -eu
compiler=$1
folder=$2
shift 2
ulpine=$(pkg-config --cflags --libs ulpine)
# pkg-config writes its words for the shell (a blank in a path has a backslash): eval reads them so.
eval '"$compiler" -std=c++20 "$@" "$(dirname "$0")/../consumer.cpp" -o "$folder/pkgconfig_consumer"' "$ulpine"
"$folder/pkgconfig_consumer"
