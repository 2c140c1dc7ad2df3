# SPDX-License-Identifier: Apache-2.0
"""What the tests of the report share: reading a page, calling the program, looking at what a figure draws."""

import contextlib
import importlib.util
import io
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from html.parser import HTMLParser
from pathlib import Path
from unittest import mock

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PROGRAM = ROOT / "analysis" / "report.py"
sys.path[:0] = [str(HERE), str(ROOT / "analysis")]
sys.dont_write_bytecode = True

import make_study  # noqa: E402
import matplotlib.pyplot as plt  # noqa: E402
from ulpine_report import choice, drawing  # noqa: E402

specification = importlib.util.spec_from_file_location("report_program", PROGRAM)
program = importlib.util.module_from_spec(specification)
specification.loader.exec_module(program)

VOID = {"meta", "br", "img", "link", "input", "hr", "col", "circle", "path"}


class Page(HTMLParser):
    """Checks nesting and collects what the tests ask about."""

    def __init__(self, html):
        super().__init__(convert_charrefs=True)
        self.open, self.faults, self.ids, self.images, self.loads, self.tags, self.words = [], [], [], [], [], [], []
        self.elements = []  # (tag, attributes)
        self.cards = []  # (answer, its text)
        self.drawings = []  # (text alternative, [(tag, attributes)]) of inline drawings
        self.card_depth = None  # of the card that is being read
        self.rows = []  # of all tables: the texts of their cells
        self.feed(html)
        self.close()
        self.faults += [f"<{tag}> never closed" for tag in self.open]
        self.cards = [(answer, squeeze(words)) for answer, words in self.cards]
        self.rows = [[squeeze(cell) for cell in row] for row in self.rows]

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.tags.append(tag)
        self.elements.append((tag, attributes))
        if tag not in VOID:
            self.open.append(tag)
        if "id" in attributes:
            self.ids.append(attributes["id"])
        if tag == "img":
            self.images.append(attributes)
        for name in ("src", "href", "data", "action", "srcset", "poster"):
            if name in attributes:
                self.loads.append(attributes[name])
        if tag == "li" and attributes.get("class", "").startswith("verdict "):
            self.cards.append((attributes["class"].split()[1], []))
            self.card_depth = len(self.open)
        if tag == "svg" and attributes.get("class") == "interval":
            self.drawings.append((attributes["aria-label"], []))
        elif "svg" in self.open and self.drawings:
            self.drawings[-1][1].append((tag, attributes))
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append([])
        if any(name.startswith("on") for name in attributes):
            self.faults.append(f"<{tag}> carries a script handler")

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        if tag in VOID:
            return
        if not self.open or self.open[-1] != tag:
            self.faults.append(f"</{tag}> at {self.getpos()} closes {self.open[-3:]}")
        else:
            self.open.pop()
            if self.card_depth is not None and len(self.open) < self.card_depth:
                self.card_depth = None

    def handle_data(self, data):
        if "style" in self.open or "script" in self.open:
            return
        self.words.append(data)
        if self.card_depth is not None:
            self.cards[-1][1].append(data)
        if self.rows and self.rows[-1] and ("td" in self.open or "th" in self.open):
            self.rows[-1][-1].append(data)

    @property
    def text(self):
        return squeeze(self.words)

    def row(self, *beginning):
        """The one row whose first cells are these."""
        found = [row for row in self.rows if tuple(row[:len(beginning)]) == beginning]
        if len(found) != 1:
            raise AssertionError(f"{len(found)} rows begin with {beginning}")
        return found[0]


def squeeze(words):
    return re.sub(r"\s+", " ", " ".join(words)).strip()  # no-break spaces too


def run(*arguments):
    """The program as a user runs it."""
    return subprocess.run([sys.executable, str(PROGRAM), *map(str, arguments)], capture_output=True, text=True, timeout=240)


def call(*arguments):
    """The same in this process, which saves loading the libraries anew: (exit code, standard output, standard error)."""
    out, err, code = io.StringIO(), io.StringIO(), 0
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), mock.patch.object(sys, "argv", [str(PROGRAM), *map(str, arguments)]):
        try:
            program.main()
        except SystemExit as end:
            code = end.code
    return code, out.getvalue(), err.getvalue()


@contextlib.contextmanager
def unrendered():
    """Figures are drawn but not rendered, which takes nine tenths of the time; gives those drawn, by name."""
    drawn = {}

    def keep(figure, name, title, alt, caption, **_):
        drawn[name] = figure
        return drawing.Figure(name, title, alt, caption, lambda: ("data:image/png;base64,", b"\x89PNG" + drawing.MARK), figure.get_figwidth())

    with mock.patch.object(drawing, "finish", keep):
        try:
            yield drawn
        finally:
            for figure in drawn.values():
                plt.close(figure)


def few_choices():
    """Two fields to choose from, of which there are three figures each as of any number."""
    return mock.patch.object(choice, "MOST", 2)


class StudyTest(unittest.TestCase):
    """A fresh folder for each test."""

    def setUp(self):
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def write(self, change=None, cells=16):
        data = make_study.write(self.folder, cells)
        if change:
            change(data)
            make_study.write_results(self.folder, data)
        return data

    def page(self):
        """The page, its figures not rendered, with two fields to choose from."""
        with unrendered(), few_choices():
            self.assertEqual(call(self.folder), (0, "", ""))
        page = Page((self.folder / "report.html").read_text(encoding="utf-8"))
        self.assertEqual(page.faults, [])
        return page
