#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the report of a folder: one self-contained HTML page, and its figures as PNG.

Exit codes: 0 written, 2 bad usage or bad input, 3 the environment lacks something.
"""

import argparse
import gc
import os
import re
import sys
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.dont_write_bytecode = True  # an installed copy may lie where nothing can be written


class Parser(argparse.ArgumentParser):
    def error(self, message):
        fail(2, f"{message} (usage: {self.prog} DIR [--output FILE]) see --help")


def fail(code, message):
    print("report: " + " ".join(message.split()), file=sys.stderr)
    sys.exit(code)


def require_own(path, mark):
    """Exits where there is something else at the path than an ordinary file with the mark near its beginning: it is the user's."""
    if not os.path.lexists(path):
        return
    if not path.is_symlink() and path.is_file():
        with open(path, "rb") as file:
            if mark in file.read(4096):
                return
    fail(2, f"{path}: would be replaced (it is nothing that Ulpine wrote) move it, or give --overwrite")


def require_no_folder(path):
    if path.is_dir() and not path.is_symlink():
        fail(2, f"{path}: would be replaced (it is a folder) move it")


def write(path, data):
    """Writes under a temporary name, then renames, so that no half page is left behind."""
    temporary = path.with_name(f"{path.name}.ulpine-{os.getpid()}.part")
    try:
        with open(temporary, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except OSError:
        temporary.unlink(missing_ok=True)
        raise


def split(names):
    """The fields named, None where none are; commas within brackets belong to a name."""
    return [name for name in re.split(r",(?![^()]*\))", names) if name] if names else None


def main():
    parser = Parser(prog="report.py", description=__doc__.splitlines()[0], epilog="example: report.py studies/cyclone")
    parser.add_argument("folder", metavar="DIR", type=Path, help="study folder with results.json, as `ulpine ensemble` writes it, or one with another of the files that a page shows")
    parser.add_argument("--output", metavar="FILE", type=Path, help="where the page goes (default: DIR/report.html)")
    parser.add_argument("--overwrite", action="store_true", help="replace also files of these names that Ulpine did not write")
    choosing = parser.add_mutually_exclusive_group()
    choosing.add_argument("--fields", metavar="NAME,NAME", help="fields that can be chosen on the page (default: as many as there is room for)")
    choosing.add_argument("--no-fields", action="store_true", help="no fields to choose from")
    arguments = parser.parse_args()
    here = os.open(".", os.O_PATH)
    os.chdir(Path(__file__).resolve().parent)  # matplotlib reads settings, and evaluates some, from a file of the folder where it is imported
    try:
        from ulpine_report import drawing, load, render
    except ImportError as error:
        fail(3, f"{error} (the report needs numpy, xarray, netCDF4, matplotlib and jinja2) install python3-xarray python3-netcdf4 python3-matplotlib python3-jinja2")
    os.fchdir(here)
    gc.set_threshold(50_000, 20, 20)  # figures are webs of small objects: to look through them for circles so often as usual takes a tenth of the time
    warnings.simplefilter("ignore")  # libraries' remarks on odd numbers are no lines for the user of the command
    try:
        page, figures = render.build_folder(arguments.folder, split(arguments.fields), not arguments.no_fields)
    except load.InputError as error:
        fail(2, str(error))
    folder = arguments.folder.parent if arguments.folder.is_file() else arguments.folder
    output = arguments.output or folder / (f"{arguments.folder.stem}.html" if arguments.folder.is_file() else "report.html")
    pictures = folder / "figures"
    written = {output: page.encode("utf-8", "replace")} | {pictures / f"{figure.name}.png": figure.png for figure in figures}
    if os.path.lexists(pictures) and not pictures.is_dir():
        fail(2, f"{pictures}: is no folder (figures are written into it) move it")
    for path, data in written.items():
        require_no_folder(path)
        if not arguments.overwrite:
            require_own(path, drawing.MARK if path != output else render.MARK)
    try:
        pictures.mkdir(exist_ok=True)
        for path, data in written.items():
            write(path, data)
    except OSError as error:
        fail(3, f"{error.filename or output}: cannot be written ({error.strerror}) check permissions and free space")


if __name__ == "__main__":
    main()
