#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every test that tests/labels.cmake gives a label exists, and has one of them."""
import pathlib
import re
import unittest

TESTS = pathlib.Path(__file__).resolve().parent.parent
LISTS = dict(re.findall(r"set\(ULPINE_(QUICK|NIGHTLY)_TESTS\s+([^)]*)\)", (TESTS / "labels.cmake").read_text(encoding="utf-8")))


def registered():
    """The names of the tests in the listings of tests/; those of a loop with its prefix."""
    names = set()
    for listing in TESTS.glob("*/CMakeLists.txt"):
        text = listing.read_text(encoding="utf-8")
        found = re.findall(r"ulpine_test\((\S+)|add_test\(NAME (\S+)", text)
        loops = re.findall(r"foreach\((\w+) (.*?)\)", text, re.S)
        for name in (a or b for a, b in found):
            names.add(name)
            for variable, values in loops:
                names.update(name.replace("${" + variable + "}", value) for value in values.split())
    return names


class LabelsTest(unittest.TestCase):
    def test_every_name_is_a_test(self):
        there = registered()
        self.assertGreater(len(there), 100)
        for label, names in LISTS.items():
            self.assertEqual(set(names.split()) - there, set(), f"labelled {label}, but no test")

    def test_no_test_is_both(self):
        self.assertEqual(sorted(LISTS), ["NIGHTLY", "QUICK"])
        self.assertEqual(set(LISTS["QUICK"].split()) & set(LISTS["NIGHTLY"].split()), set())


if __name__ == "__main__":
    unittest.main()
