#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the accuracy report of a study folder: one self-contained HTML page, and its figures as PNG.

Exit codes: 0 written, 2 bad usage or bad input, 3 the environment lacks something.
"""

import argparse
import os
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


def main():
    parser = Parser(prog="report.py", description=__doc__.splitlines()[0], epilog="example: report.py studies/cyclone")
    parser.add_argument("folder", metavar="DIR", type=Path, help="study folder with results.json, as `ulpine ensemble` writes it")
    parser.add_argument("--output", metavar="FILE", type=Path, help="where the page goes (default: DIR/report.html)")
    arguments = parser.parse_args()
    try:
        from ulpine_report import load, render
    except ImportError as error:
        fail(3, f"{error} (the report needs numpy, xarray, netCDF4, matplotlib and jinja2) install python3-xarray python3-netcdf4 python3-matplotlib python3-jinja2")
    warnings.simplefilter("ignore")  # libraries' remarks on odd numbers are no lines for the user of the command
    try:
        page, figures = render.build(load.load(arguments.folder))
    except load.InputError as error:
        fail(2, str(error))
    output = arguments.output or arguments.folder / "report.html"
    try:
        write(output, page.encode("utf-8", "replace"))
        pictures = arguments.folder / "figures"
        pictures.mkdir(exist_ok=True)
        for figure in figures:
            write(pictures / f"{figure.name}.png", figure.png)
    except OSError as error:
        fail(3, f"{error.filename or output}: cannot be written ({error.strerror}) check permissions and free space")


if __name__ == "__main__":
    main()
