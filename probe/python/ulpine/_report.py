# SPDX-License-Identifier: Apache-2.0
"""The figures of a report, made by analysis/ulpine_report in a process of its own: it sets how matplotlib draws."""
import base64
import dataclasses
import json
import os
import pathlib
import subprocess
import sys

_MAKE = """
import base64, json, os, sys, warnings
here = os.open(".", os.O_PATH)
os.chdir(sys.argv[1])  # matplotlib reads settings from a file of the folder where it is imported
sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True
try:
    from ulpine_report import load, render
except ImportError as error:
    print(json.dumps({"lacks": str(error)}))
    sys.exit()
os.fchdir(here)
warnings.simplefilter("ignore")
asked = json.loads(sys.argv[2])
try:
    _, figures = render.build_folder(asked["folder"], asked["fields"], asked["fields"] != [])
    made = [{"name": f.name, "title": f.title, "caption": f.caption, "png": base64.b64encode(f.png).decode()} for f in figures]
    print(json.dumps({"figures": made}))
except load.InputError as error:
    print(json.dumps({"refused": str(error)}))
"""


@dataclasses.dataclass(frozen=True)
class Figure:
    """A picture of a report, which notebooks show as it is."""

    name: str
    title: str
    caption: str
    png: bytes

    def _repr_png_(self):
        return self.png

    def __repr__(self):
        return f"<figure {self.name}: {self.title}>"

    def save(self, path):
        """Writes the PNG."""
        pathlib.Path(path).write_bytes(self.png)


def analysis_folder():
    """Where ulpine_report lies: above this package, in the source as in an installation."""
    for folder in pathlib.Path(__file__).resolve().parents:
        if (folder / "analysis/ulpine_report/render.py").is_file():
            return folder / "analysis"
    raise ImportError("ulpine: analysis/ulpine_report is not found (it is installed with the program): install Ulpine, or the Debian package ulpine")


def plot_report(folder, fields=None):
    """The figures of `ulpine report DIR`, in their order on the page: a list of Figure, each with `name`, `title`, `caption` and `png`. Nothing is written.

    folder  of a study, or with another of the files that a page shows (consistency.json, digits.json, search.json)
    fields  those that can be chosen on the page; [] for none, without it as many as there is room for
    """
    asked = {"folder": os.fspath(folder), "fields": None if fields is None else [str(name) for name in fields]}
    done = subprocess.run([sys.executable, "-c", _MAKE, str(analysis_folder()), json.dumps(asked)], capture_output=True, text=True, check=False)
    try:
        answer = json.loads(done.stdout)
    except ValueError:
        raise RuntimeError("ulpine: no figures: " + (done.stderr.strip().splitlines() or ["the process that draws them ended without a word"])[-1]) from None
    if "lacks" in answer:
        raise ImportError(f"ulpine: no figures ({answer['lacks']}): apt-get install python3-xarray python3-netcdf4 python3-matplotlib python3-jinja2")
    if "refused" in answer:
        raise ValueError(answer["refused"])
    return [Figure(made["name"], made["title"], made["caption"], base64.b64decode(made["png"])) for made in answer["figures"]]
