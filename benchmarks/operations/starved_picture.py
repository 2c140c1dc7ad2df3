#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws digits against time of the policies of all cores: measured on the card at hand, predicted for others.

    starved_picture.py FOLDER PICTURE.png --measured "H200"

FOLDER has, for each CORE, CORE-POLICY.run.json of a run on the card, CORE-POLICY.compare.json of `ulpine compare --json` of a
run in quad and one in the policy, and CORE-CARD.json of `ulpine cases --stages CASE --on CARD --json`. Policies of which one is
missing are left out.
"""
import argparse
import json
import math
import pathlib

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.lines import Line2D

POLICIES = {"fp64": "#222222", "mixed": "#4477aa", "fp32": "#ee6677", "df32": "#228833", "mixed32": "#ccbb44"}
# What a core is called, its marker, and fields whose digits count: not those that are the small rest of terms that balance.
CORES = {"fdm": ("finite differences", "o", ("w", "p")), "les": ("large eddies", "s", ("u", "w", "p")), "fem": ("finite elements", "^", ("p", "theta", "rho")),
         "seaice": ("sea ice", "D", ("siu", "siv", "sivol", "siconc"))}


def load(path):
    return json.loads(path.read_text(encoding="utf-8"))


def digits_of(folder, core, policy):
    """Decimal digits of the field that is farthest from quad, in the relative L2 norm."""
    fields = load(folder / f"{core}-{policy}.compare.json")["variables"]
    return -math.log10(max(fields[name]["l2_relative"] for name in CORES[core][2]))


def measured(folder, core):
    """Seconds of a step by policy."""
    runs = {policy: folder / f"{core}-{policy}.run.json" for policy in POLICIES}
    return {policy: load(path)["model_wall_s"] / load(path)["steps"] for policy, path in runs.items() if path.exists()}


def predicted(path):
    return {policy: step["seconds"] for policy, step in load(path)["policies"].items() if policy in POLICIES}


def draw(axis, times, digits, title):
    """`times` and `digits` by core and policy."""
    for core, of_policy in times.items():
        for policy, seconds in of_policy.items():
            if policy not in digits[core]:
                continue
            axis.plot(seconds / of_policy["fp64"], digits[core][policy], color=POLICIES[policy], marker=CORES[core][1], markersize=7, alpha=0.85)
    axis.axvline(1, color="#bbbbbb", linewidth=1, zorder=0)
    axis.set_xscale("log")
    axis.set_xlabel("time of a step, in parts of fp64's")
    axis.set_title(title, fontsize=10)
    axis.grid(alpha=0.2)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("picture", type=pathlib.Path)
    parser.add_argument("--measured", required=True, help="what the card at hand is called")
    given = parser.parse_args()
    cores = [core for core in CORES if (given.folder / f"{core}-fp64.run.json").exists()]
    if not cores:
        parser.error(f"{given.folder}: no CORE-fp64.run.json (no run was measured)")
    digits = {core: {policy: digits_of(given.folder, core, policy) for policy in POLICIES if (given.folder / f"{core}-{policy}.compare.json").exists()}
              for core in cores}
    cards = {}
    for core in cores:
        for path in sorted(given.folder.glob(f"{core}-*.json")):
            if path.name.count(".") == 1:
                found = load(path)
                cards.setdefault(found["card_name"], {})[core] = predicted(path)
    figure, axes = plt.subplots(1, 1 + len(cards), figsize=(3.6 * (1 + len(cards)), 4.4), sharex=True, sharey=True)
    figure.subplots_adjust(left=0.07, right=0.98, top=0.92, bottom=0.22, wspace=0.08)
    draw(axes[0], {core: measured(given.folder, core) for core in cores}, digits, f"{given.measured}, measured")
    for axis, (card, times) in zip(axes[1:], cards.items()):
        draw(axis, times, digits, f"{card}, predicted")
    axes[0].set_ylabel("decimal digits that agree with quad")
    drawn = {policy for of_core in digits.values() for policy in of_core}
    policies = [Line2D([], [], color=colour, marker="o", linestyle="", label=policy) for policy, colour in POLICIES.items() if policy in drawn]
    shapes = [Line2D([], [], color="#777777", marker=CORES[core][1], linestyle="", label=CORES[core][0]) for core in cores]
    figure.legend(handles=policies + shapes, loc="lower center", ncols=len(policies) + len(shapes), frameon=False, fontsize=8)
    figure.savefig(given.picture, dpi=150)


if __name__ == "__main__":
    main()
