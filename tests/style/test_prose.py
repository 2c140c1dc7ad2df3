#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Pages read easily: a sentence has at most 40 words, only pages of results and the changelog have dates, and none is a diary.

Code, tables, headings and items of lists that are no sentences (they end without a full stop) are left out. `test_prose.py --list [PAGE...]` prints what is too long.
"""
import re
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).parents[2]
MOST = 40
BLOCK = re.compile(r"^ *```.*?^ *```", re.S | re.M)
COMMENT = re.compile(r"<!--.*?-->", re.S)
LINK = re.compile(r"!?\[([^\]]*)\]\([^)\s]+\)")
ITEM = re.compile(r"^\s*(?:[-*]|\d+\.) ")
# A full stop, question or exclamation mark, closing quotes or emphasis, a blank, and what can begin a sentence.
END = re.compile(r"(?<=[.!?])[\"')*_]*\s+(?=[\"'(\[`]*(?:\*\*|\*?[A-Z0-9`\[]))")
# Words of a diary: a page says how things are, and history is git's.
DIARY = re.compile(r"\b(?:since then|when (?:this|it) was measured|was not kept|that day|later the same day|was tried again|an earlier version of this)\b", re.I)
DATE = re.compile(r"\b20\d\d-\d\d-\d\d\b")


def pages():
    return [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md")] + sorted(ROOT.glob("docs/**/*.md"))


def paragraphs(text):
    """Paragraphs and items of lists of a page, each in one line."""
    lines = []
    for line in COMMENT.sub("", BLOCK.sub("\n", text)).splitlines():
        if re.match(r"\s*(\||#|>)", line) or re.match(r"    \S", line) and not (lines and lines[-1].strip()):
            line = ""
        if ITEM.match(line):
            lines += ["", ITEM.sub("\0", line)]
        else:
            lines.append(line)
    for paragraph in re.split(r"\n\s*\n", "\n".join(lines)):
        whole = " ".join(paragraph.split())
        item = whole.startswith("\0")
        if whole and not (item and not re.search(r"[.!?][\"')*]*$", whole)):
            yield whole.lstrip("\0")


def sentences(text):
    for paragraph in paragraphs(text):
        plain = re.sub(r"`[^`]*`", "`code`", LINK.sub(r"\1", paragraph))
        yield from END.split(plain)


def too_long(text):
    return [sentence for sentence in sentences(text) if len(sentence.split()) > MOST]


class Prose(unittest.TestCase):
    def test_sentences_are_short(self):
        found = pages()
        self.assertGreater(len(found), 40)
        for page in found:
            with self.subTest(str(page.relative_to(ROOT))):
                self.assertEqual(too_long(page.read_text(encoding="utf-8")), [])

    def test_only_results_have_dates(self):
        for page in pages():
            name = str(page.relative_to(ROOT))
            if not name.startswith("docs/results/"):
                with self.subTest(name):
                    dated = [line for line in BLOCK.sub("", page.read_text(encoding="utf-8")).splitlines() if DATE.search(line)]
                    self.assertEqual(dated, [])

    def test_no_page_is_a_diary(self):
        self.assertTrue(DIARY.search("Since then rooms were rebuilt."))
        for page in pages():
            with self.subTest(str(page.relative_to(ROOT))):
                self.assertEqual([line for line in page.read_text(encoding="utf-8").splitlines() if DIARY.search(line)], [])

    def test_a_long_sentence_is_found(self):
        words = " ".join(["Word"] * 40)
        for text, number in ((f"{words}.", 0), (f"One {words}.", 1), (f"- One {words}.", 1), (f"- One {words}", 0), (f"| One {words}. |", 0), (f"```\nOne {words}.\n```", 0),
                             (f"{words}. {words}.", 0), (f"{words}: {words}.", 1), (f"`{words}` {words}.", 1), (f"`{words} {words}`.", 0), (f"[{words}](a.md) one.", 1),
                             (f"A. One\n{words}.\n\nB.", 1)):
            with self.subTest(text[:30]):
                self.assertEqual(len(too_long(text)), number)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--list"]:
        for each in [Path(name) for name in sys.argv[2:]] or pages():
            for long in too_long(each.read_text(encoding="utf-8")):
                print(f"{each}: {len(long.split())} words: {long}")
    else:
        unittest.main()
