#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Pieces of source shown in pages are those of the source: a code block after <!-- FILE --> lies in FILE."""
import re
import unittest
from pathlib import Path

ROOT = Path(__file__).parents[2]
PIECE = re.compile(r"<!-- (\S+) -->\n```\w*\n(.*?)```", re.S)


def pieces(page):
    return PIECE.findall(page)


class Pages(unittest.TestCase):
    def test_pieces_are_those_of_the_source(self):
        found = 0
        for page in ROOT.glob("docs/*.md"):
            for name, piece in pieces(page.read_text()):
                found += 1
                self.assertTrue(piece in (ROOT / name).read_text(), f"{page.name}: not in {name}:\n{piece}")
        self.assertGreater(found, 0)

    def test_a_changed_piece_is_found(self):
        page = "<!-- a.hpp -->\n```cpp\nint x;\n```\n"
        self.assertEqual(pieces(page), [("a.hpp", "int x;\n")])
        self.assertNotIn(pieces(page)[0][1], "int  x;\n")


if __name__ == "__main__":
    unittest.main()
