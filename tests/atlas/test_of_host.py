#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What this host answers now is what is stored of it, where its processor and the versions of its libraries are those of stored rows."""
import copy
import os
import pathlib
import sys
import unittest

import merge
from fresh import measured, unlike_stored

PROGRAM = os.environ.get("ULPINE_ATLAS_HOST", "")
GROUPS = ("fftw", "glibc", "libmvec")


class FreshRows(unittest.TestCase):
    def test_host_answers_as_it_did(self):
        stored = merge.read_data(merge.DATA)
        for group in GROUPS:
            with self.subTest(group):
                rows = measured(PROGRAM, "--only", group)
                self.assertTrue(rows)
                lines, compared = unlike_stored(rows, stored)
                print(f"{group}: {compared} of {len(rows)} rows have stored ones of this version and processor")
                self.assertEqual(lines, [])

    def test_another_answer_is_noticed(self):
        rows = measured(PROGRAM, "--only", "libmvec")
        stored = {}
        for row in rows:
            merge.add_run(stored, row)
        self.assertEqual(unlike_stored(rows, stored), ([], len(rows)))
        for key, value in (("answer", "other" if rows[0]["answer"] == "same" else "same"), ("hash", "0" * 16)):
            altered = copy.deepcopy(rows)
            altered[0][key] = value
            self.assertEqual(len(unlike_stored(altered, stored)[0]), 1, key)


if __name__ == "__main__":
    if not pathlib.Path(PROGRAM).is_file():
        print("skipped: atlas_host is not built (give CMake -DULPINE_BENCHMARKS=ON)")
        sys.exit(77)
    unittest.main()
