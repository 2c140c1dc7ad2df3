#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What this card's libraries answer now: what is stored of them, and what guarantees of Ulpine rest on. A stage by cuFFT promises the same bits run
after run on one device (run_to_run), in whatever stream, graph or work area; an all-reduce by NCCL the same on all ranks."""
import json
import os
import pathlib
import subprocess
import sys
import unittest

import merge
from fresh import measured, unlike_stored

PROGRAM = os.environ.get("ULPINE_ATLAS_CUDA", "")
# Rows, by library and what was varied, that must say "same bits" in any version.
NEEDED = {("cuFFT", "arrival"), ("cuFFT", "stream"), ("cuFFT", "graph"), ("cuFFT", "workspace"), ("NCCL", "place"), ("NCCL", "arrival")}


def broken(rows):
    """The needed rows that say otherwise."""
    return [row for row in rows if (row["library"], row["varied"]) in NEEDED and row["answer"] != "same"]


class OfCard(unittest.TestCase):
    def test_guarantees_hold(self):
        rows = measured(PROGRAM, "--only", "cufft") + measured(PROGRAM, "--only", "nccl")
        self.assertGreater(sum((row["library"], row["varied"]) in NEEDED for row in rows), 8)
        self.assertEqual(broken(rows), [])
        altered = [dict(row, answer="other") for row in rows]
        self.assertTrue(broken(altered))

    def test_card_answers_as_it_did(self):
        stored = merge.read_data(merge.DATA)
        for group in ("cufft", "tensor-cores", "functions"):
            with self.subTest(group):
                lines, compared = unlike_stored(measured(PROGRAM, "--only", group), stored)
                print(f"{group}: {compared} rows have stored ones of this version and card")
                self.assertEqual(lines, [])


if __name__ == "__main__":
    done = subprocess.run([PROGRAM, "--only", "tensor-cores"], capture_output=True, text=True, check=False) if pathlib.Path(PROGRAM).is_file() else None
    if done is None or not any("answer" in json.loads(line) for line in done.stdout.splitlines()):
        print("skipped: no card here, or atlas_cuda is not built (give CMake -DULPINE_BENCHMARKS=ON)")
        sys.exit(77)
    unittest.main()
