#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Puts valid files to start from into OUT/READER for every reader: seeds.py BASES OUT.

BASES is the folder of valid files that ulpine_fuzz makes (--bases). JSON loses its seal, which the fuzzer's reader puts
back; long traces are cut to their first records.
"""
import pathlib
import re
import sys

SMALL = 200_000  # bytes; larger files only slow the fuzzer down
SEAL = re.compile(rb',\s*"seal":\s*"[0-9a-f]{16}"\s*\}\s*$')


def unsealed(content):
    return SEAL.sub(b"\n}\n", content)


def shortened(trace):
    """The first chunks of a trace and an end; the reader of the fuzzer mends the checksum."""
    at = 12
    attributes = int.from_bytes(trace[at:at + 4], "little")
    at += 4
    for _ in range(2 * attributes + 1):
        at += 4 + int.from_bytes(trace[at:at + 4], "little")
    while at < min(len(trace), 6000):
        kind, size = trace[at], int.from_bytes(trace[at + 1:at + 5], "little")
        if kind in (4, 5):
            break
        at += 5 + size
    return trace[:at] + bytes([5]) + (8).to_bytes(4, "little") + bytes(8)


def main():
    bases, out = map(pathlib.Path, sys.argv[1:3])

    def like(pattern, change=lambda content: content):
        return [(path, change(path.read_bytes())) for path in sorted(bases.rglob(pattern)) if path.is_file()]

    found = {
        "netcdf": like("*.nc"),
        "toml": like("*.toml"),
        "manifest": like("manifest.json", unsealed),
        "results": like("results.json", unsealed),
        "trace": like("trace.bin", shortened),
    }
    for reader, files in found.items():
        folder = out / reader
        folder.mkdir(parents=True, exist_ok=True)
        seen = set()
        for path, content in files:
            if len(content) <= SMALL and content not in seen:
                seen.add(content)
                (folder / path.relative_to(bases).as_posix().replace("/", "_")).write_bytes(content)
        if not seen:
            sys.exit(f"seeds.py: no valid file for {reader} in {bases} (make them with ulpine_fuzz --bases)")


if __name__ == "__main__":
    main()
