#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Pieces of source shown in pages are those of the source: a code block after <!-- FILE --> lies in FILE. Links within the repository lead to files and headings that
are there, and so do the names of pages in sources. Every page is in the site's menu and two clicks from docs/index.md."""
import os
import re
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).parents[2]
PIECE = re.compile(r"<!-- (\S+) -->\n```\w*\n(.*?)```", re.S)
BLOCK = re.compile(r"^```.*?^```", re.S | re.M)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ +(.*?) *$", re.M)
PLACE = re.compile(r'<a id="([^"]+)">')
NAMED = re.compile(r"(?<![\w/.-])docs/[\w/-]+\.md")
SOURCES = {".cpp", ".hpp", ".cu", ".py", ".sh", ".bash", ".cmake", ".toml", ".txt", ".md", ".yml", ".in", ".j2"}
BUILT = re.compile(r"build|out|install|\.")  # folders at the top that hold no sources


def pieces(page):
    return PIECE.findall(page)


def anchor(heading):
    """What GitHub and GitLab make of a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def places(text):
    """What a link to this page may name behind a #."""
    return {*map(anchor, HEADING.findall(BLOCK.sub("", text))), *PLACE.findall(text)}


def dead_links(page):
    """Links of a page to files that are not there, or to no heading of theirs."""
    for link in LINK.findall(BLOCK.sub("", page.read_text())):
        name, _, place = link.partition("#")
        target = page.parent / name if name else page
        if re.match(r"[a-z]+:", link):
            continue
        if not target.exists() or place and place not in places(target.read_text()):
            yield link


def sources():
    for folder, folders, names in os.walk(ROOT):
        if Path(folder) == ROOT:
            folders[:] = [name for name in folders if not BUILT.match(name) or name == ".github"]
        yield from (Path(folder) / name for name in names if Path(name).suffix in SOURCES)


def pages_behind(page):
    """Pages of docs/ that a page links to."""
    links = (link.partition("#")[0] for link in LINK.findall(BLOCK.sub("", page.read_text())) if not re.match(r"[a-z]+:|#", link))
    targets = ((page.parent / link).resolve() for link in links)
    return {target for target in targets if target.suffix == ".md" and ROOT / "docs" in target.parents and target.exists()}


def reached(clicks):
    found = {ROOT / "docs/index.md"}
    for _ in range(clicks):
        found |= {target for page in found for target in pages_behind(page)}
    return found


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

    def test_pages_that_sources_name_exist(self):
        named = {(str(path.relative_to(ROOT)), name) for path in sources() for name in NAMED.findall(path.read_text(errors="replace")) if path.name != "test_pages.py"}
        self.assertGreater(len(named), 50)
        self.assertEqual(sorted(f"{path}: {name}" for path, name in named if not (ROOT / name).exists()), [])

    def test_every_page_is_two_clicks_away(self):
        self.assertEqual(sorted(str(page) for page in set(ROOT.glob("docs/**/*.md")) - reached(2)), [])

    def test_questions_of_strangers_are_answered(self):
        questions = {"are my CPU and GPU run the same?": ("My CPU run and my GPU run", "compare"), "which policies may sea ice have?": ("| sea ice |", "`bf16` and `fp16` with"),
                     "how do I add a metric?": ("## A metric", "metric_list"), "what does exit code 4 mean?": ("# Exit codes", "| 4 |")}
        if (ROOT / "docs/reference/keys/fdm.md").exists():
            questions["what does mixing.prandtl do?"] = ("mixing.prandtl", "iffusivit")
        texts = [page.read_text() for page in reached(1 if len(questions) < 5 else 2)]
        for question, words in questions.items():
            self.assertTrue(any(all(word in text for word in words) for text in texts), question)

    def test_the_menu_has_every_page(self):
        menu = re.findall(r": ([\w/-]+\.md)$", (ROOT / "mkdocs.yml").read_text(), re.M)
        self.assertEqual(sorted(menu), sorted(str(page.relative_to(ROOT / "docs")) for page in ROOT.glob("docs/**/*.md")))

    def test_a_changed_piece_is_found(self):
        page = "<!-- a.hpp -->\n```cpp\nint x;\n```\n"
        self.assertEqual(pieces(page), [("a.hpp", "int x;\n")])
        self.assertNotIn(pieces(page)[0][1], "int  x;\n")


if __name__ == "__main__":
    unittest.main()
