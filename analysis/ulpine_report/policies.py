# SPDX-License-Identifier: Apache-2.0
"""The list of precision policies that the program is built from, as far as the report needs it."""

from dataclasses import dataclass
from pathlib import Path


@dataclass
class Policy:
    """A row of precision/policies.list."""

    name: str
    compute: str  # scalar type of hot kernels
    multiplicand: str  # format to which operands of products are rounded; "Exact": none
    colour: str
    marker: str
    line: object  # line style of matplotlib


def read():
    """name -> Policy, in the order of the list."""
    here = Path(__file__).resolve().parent
    installed = here / "policies.list"
    rows = (installed if installed.exists() else here.parents[1] / "precision" / "policies.list").read_text(encoding="utf-8").splitlines()
    found = {}
    for row in rows:
        if row.strip() and not row.startswith("#"):
            name, _, _, compute, _, multiplicand, _, drawn, _ = (cell.strip() for cell in row.split("|"))
            colour, marker, dashes = drawn.split()
            found[name] = Policy(name, compute, multiplicand, colour, marker, "-" if dashes == "-" else (0, tuple(float(length) for length in dashes.split(","))))
    return found


POLICIES = read()
