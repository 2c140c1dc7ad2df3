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


def write(path, data):
    """Writes under a temporary name, then renames, so that no half page is left behind."""
    temporary = path.with_name(f"{path.name}.ulpine-{os.getpid()}.part")
    try:
        temporary.write_bytes(data)
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
    choosing = parser.add_mutually_exclusive_group()
    choosing.add_argument("--fields", metavar="NAME,NAME", help="fields that can be chosen on the page (default: as many as there is room for)")
    choosing.add_argument("--no-fields", action="store_true", help="no fields to choose from")
    arguments = parser.parse_args()
    here = os.open(".", os.O_PATH)
    os.chdir(Path(__file__).resolve().parent)  # matplotlib reads settings, and evaluates some, from a file of the folder where it is imported
    try:
        from ulpine_report import load, render
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
    try:
        write(output, page.encode("utf-8", "replace"))
        pictures = folder / "figures"
        pictures.mkdir(exist_ok=True)
        for figure in figures:
            write(pictures / f"{figure.name}.png", figure.png)
    except OSError as error:
        fail(3, f"{error.filename or output}: cannot be written ({error.strerror}) check permissions and free space")


if __name__ == "__main__":
    main()
