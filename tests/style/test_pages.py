#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Pieces of source shown in pages are those of the source: a code block after <!-- FILE --> lies in FILE. Links within the repository lead to files and headings that
are there."""
import re
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).parents[2]
PIECE = re.compile(r"<!-- (\S+) -->\n```\w*\n(.*?)```", re.S)
BLOCK = re.compile(r"^```.*?^```", re.S | re.M)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ +(.*?) *$", re.M)


def pieces(page):
    return PIECE.findall(page)


def anchor(heading):
    """What GitHub and GitLab make of a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def dead_links(page):
    """Links of a page to files that are not there, or to no heading of theirs."""
    for link in LINK.findall(BLOCK.sub("", page.read_text())):
        name, _, place = link.partition("#")
        target = page.parent / name if name else page
        if re.match(r"[a-z]+:", link):
            continue
        if not target.exists() or place and place not in map(anchor, HEADING.findall(BLOCK.sub("", target.read_text()))):
            yield link


class Pages(unittest.TestCase):
    def test_links_lead_somewhere(self):
        pages = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]
        self.assertGreater(len(pages), 20)
        for page in pages:
            self.assertEqual(list(dead_links(page)), [], page.name)

    def test_a_dead_link_is_found(self):
        with tempfile.TemporaryDirectory() as folder:
            page = Path(folder) / "a.md"
            page.write_text("# One `two`, (three)\n```\n# no heading\n[x](in-code.md)\n```\n[a](#one-two-three) [b](https://example.org/c.md) [c](a.md#one-two-three) [d](b.md) [e](#no-heading) ![f](g.png)\n")
            self.assertEqual(list(dead_links(page)), ["b.md", "#no-heading", "g.png"])

    def test_pieces_are_those_of_the_source(self):
        found = 0
        for page in ROOT.glob("docs/**/*.md"):
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
