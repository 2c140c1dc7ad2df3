# SPDX-License-Identifier: Apache-2.0
"""What is drawn and tabled is what was given: values, units, signs, order, scales and limits, on a small study of hand-chosen numbers."""

import copy
import math
import random
import shutil
import tempfile
import unittest
from pathlib import Path

import make_study
import netCDF4
import numpy as np
from matplotlib.colors import to_hex
from matplotlib.text import Text
from support import Page, unrendered
from ulpine_report import curves, drawing, growth, load, render

ROWS, COLUMNS = 3, 5  # of the maps: y and x differ in size and in spacing
HOURS = np.array([0.0, 3.0, 6.0])
RUNS = {  # id -> wall time (s), memory (B), LKFs, length (km), relative L2 of sivol in time
    "fp64/deterministic": (80.0, 8192, 40, 5000.0, [0.0, 0.0, 0.0]),
    "fp64/atomic": (64.0, 8192, 41, 5100.0, [0.0, 1e-16, 3e-16]),
    "fp32/deterministic": (40.0, 4096, 43, 5300.0, [1e-8, 2e-7, 5e-7]),
    "tf32/deterministic": (20.0, 2048, 47, 5900.0, [1e-4, 3e-4, 7e-4]),
}
ENSEMBLES = {  # policy, ε -> mean and sd of LKFs, of length (km), growth of sivol and its sd
    ("fp64", "2^-23"): (40.5, 1.5, 5010.0, 30.0, [1e-7, 2e-6, 4e-6], [1e-8, 2e-7, 1e-6]),
    ("fp64", "2^-7"): (42.5, 2.5, 5200.0, 70.0, [1e-2, 2e-2, 3e-2], [1e-3, 2e-3, 6e-3]),
    ("fp32", "2^-23"): (43.5, 1.25, 5310.0, 35.0, [1.5e-7, 2.5e-6, 5e-6], [1e-8, 2e-7, 1e-6]),
    ("fp32", "2^-7"): (44.5, 2.25, 5400.0, 75.0, [1.5e-2, 2.5e-2, 3.5e-2], [1e-3, 2e-3, 6e-3]),
}
WAVENUMBER = np.array([0.0, 1e-5, 2e-5, 4e-5])  # cycles per m
POWER = {"fp64": np.array([9.0, 800.0, 100.0, 10.0]), "fp32": np.array([9.0, 880.0, 120.0, 13.0]), "tf32": np.array([9.0, 1600.0, 300.0, 50.0])}
SHEAR = {policy: factor * 10.0 ** -(5 + np.arange(ROWS * COLUMNS).reshape(ROWS, COLUMNS) / 10) for policy, factor in (("fp64", 1.0), ("fp32", 1.25), ("tf32", 0.5))}
RATIOS = {"ratio": [None, 0.02, 0.3], "low": [None, 0.015, 0.2], "high": [None, 0.03, 0.45]}  # errors of fp32 in sivol over the tolerated
COLOURS = {"fp64": "#000000", "fp32": "#0072b2", "tf32": "#d55e00"}


def hand_chosen():
    """The object of results.json."""
    runs = []
    for index, (name, (wall, memory, count, length, errors)) in enumerate(RUNS.items()):
        policy, assembly = name.split("/")
        runs.append({
            "id": name, "path": f"runs/{policy}-{assembly}", "policy": policy, "assembly": assembly, "device": "cpu", "epsilon": None, "member": None,
            "wall_s": wall, "steps": 100, "cells": 15, "memory_bytes": memory, "hash": f"{index:016x}", "failed": None,
            "metrics": {"sivol": {"l2_relative": errors[-1], "linf": 20 * errors[-1], "rmse": 3 * errors[-1], "bias": -errors[-1], "one_minus_r": errors[-1] ** 2}},
            "undefined": {}, "statistics": {"lkf_count": count, "lkf_total_length_km": length},
            "series": {"time_s": list(3600 * HOURS), "statistics": {"lkf_count": [count - 4, count - 1, count], "lkf_total_length_km": [100.0 * count, None, length]},
                       "fields": {"sivol": {"l2_relative": errors, "linf": [20 * error for error in errors]}}},
            "curves": {"shear_spectrum": {"x": list(WAVENUMBER), "y": list(POWER[policy])}},
            "integrals": {"ice volume (m3)": {"initial": 2e11, "final": 2e11 * (1 - 0.1 * index)}}})
    ensembles = [{
        "policy": policy, "assembly": "deterministic", "epsilon": 2.0 ** float(epsilon[2:]), "epsilon_text": epsilon, "members": 8,
        "statistics": {"lkf_count": {"mean": count, "sd": count_sd}, "lkf_total_length_km": {"mean": length, "sd": length_sd}},
        "spread": {"sivol": {"l2_relative_mean": growth[-1], "l2_relative_sd": growth_sd[-1]}},
        "curves": {"shear_spectrum": {"x": list(WAVENUMBER), "mean": list(1.1 * POWER[policy]), "sd": list(0.2 * POWER[policy])}},
        "growth": {"time_s": list(3600 * HOURS), "fields": {"sivol": {"mean": growth, "sd": growth_sd}}},
        "controls": {"lkf_count": {"mean": 40.25, "sd": 0.75}, "lkf_total_length_km": {"mean": 5020.0, "sd": 15.0}}}
        for (policy, epsilon), (count, count_sd, length, length_sd, growth, growth_sd) in ENSEMBLES.items()]
    tests = [make_study.evidence("statistic", "lkf_count", "different", "2^-7", 8, 2.125, [1.5, 2.75], 1.25, 0.875, "outside the margin")]
    return {
        "schema": load.SCHEMA, "case": {"core": "seaice", "name": "small", "hash": "12"}, "provenance": {"seed": 1}, "reference": "fp64/deterministic",
        "metrics": make_study.METRICS | {"rmse": make_study.METRICS["linf"] | {"heading": "RMSE"}}, "runs": runs, "ensembles": ensembles, "bitwise": [],
        "gates": [{"name": "sivol.l2_relative", "subject": {"kind": "field", "name": "sivol"}, "metric": "l2_relative", "time": 21600, "runs": ["fp32/*", "tf32/*"], "run": run, "value": value, "limit": 2e-3, "passed": value < 2e-3, "skipped": None, "reason": None}
                  for run, value in (("tf32/deterministic", 7e-4), ("fp32/deterministic", 5e-3))],
        "controls": [{"policy": policy, "draws": 16, "noise": noise, "statistics": {"lkf_count": {"mean": count, "sd": sd}, "lkf_total_length_km": {"mean": length, "sd": 20 * sd}}}
                     for policy, noise, count, sd, length in (("fp32", 6e-8, 40.0, 0.0, 5000.0), ("tf32", 4.9e-4, 44.0, 2.0, 5250.0))],
        "evaluations": make_study.EVALUATIONS, "statistics": make_study.STATISTICS, "curves": make_study.CURVES, "figures": make_study.FIGURES,
        "verdicts": [{"configuration": "fp32/deterministic", "policy": "fp32", "assembly": "deterministic", "device": "cpu", "answer": "different",
                      "would_decide": None, "evidence": tests, "time_s": list(3600 * HOURS), "errors": {"sivol": dict(RATIOS, level=[])}}],
        "rules": {"tolerated": "2^-7", "reason": None, "statistics": None, "curves": None, "spread_ratio": None, "margins": {}},
        "answer": "different", "would_decide": None, "passed": False, "notes": []}


def write_output(path, shear):
    """shear at two times, the first of them other; missing in the north-west corner; cells of 2 km by 4 km."""
    with netCDF4.Dataset(path, "w") as file:
        for name, size in (("time", None), ("y", ROWS), ("x", COLUMNS)):
            file.createDimension(name, size)
        for name, values in (("y", 4000.0 * (np.arange(ROWS) + 0.5)), ("x", 2000.0 * (np.arange(COLUMNS) + 0.5))):
            axis = file.createVariable(name, "f8", (name,))
            axis.units = "m"
            axis[:] = values
        file.createVariable("time", "f8", ("time",))[:] = [0.0, 6 * 3600.0]
        variable = file.createVariable("shear", "f8", ("time", "y", "x"), fill_value=make_study.FILL)
        variable.units = "s-1"
        values = np.array([shear * 7, shear])
        values[:, -1, 0] = make_study.FILL
        variable[:] = values


def on_sea(values):
    values = np.array(values)
    values[-1, 0] = math.nan
    return values


class Drawn(unittest.TestCase):
    """The figures of the hand-chosen study, drawn once for all the classes below."""

    @classmethod
    def setUpClass(cls):
        if not hasattr(Drawn, "study"):
            Drawn.draw()

    @staticmethod
    def draw():
        Drawn.folder = Path(tempfile.mkdtemp())
        unittest.addModuleCleanup(shutil.rmtree, Drawn.folder)
        make_study.write_results(Drawn.folder, hand_chosen())
        for run in hand_chosen()["runs"]:
            (Drawn.folder / run["path"]).mkdir(parents=True)
            # The atomic run's map is another: the deterministic one stands for its policy.
            write_output(Drawn.folder / run["path"] / "output.nc", SHEAR[run["policy"]] * (3 if run["assembly"] == "atomic" else 1))
        Drawn.study = load.load(Drawn.folder)
        drawing = unrendered()
        Drawn.figures = drawing.__enter__()
        unittest.addModuleCleanup(drawing.__exit__, None, None, None)
        Drawn.html, Drawn.made = render.build(Drawn.study)
        Drawn.rows = Page(Drawn.html)

    def axes(self, name):
        return self.figures[name].axes

    def line(self, axis, label):
        found = [line for line in axis.get_lines() if line.get_label() == label]
        self.assertEqual(len(found), 1, [line.get_label() for line in axis.get_lines()])
        return found[0]

    def assert_line(self, line, x, y):
        np.testing.assert_allclose(line.get_xdata(), x, rtol=1e-12)
        np.testing.assert_allclose(line.get_ydata(), y, rtol=1e-12)


class Words(unittest.TestCase):
    def test_labels_take_the_lines_that_they_need_and_keep_units_whole(self):
        self.assertEqual(drawing.lines("scores in standard deviations", 12), "scores in\nstandard\ndeviations")
        self.assertEqual(drawing.lines("surface heat flux (W m-2 of ice)", 20), "surface heat flux\n(W m-2 of ice)")


class Maps(Drawn):
    def test_values_are_log10_of_the_last_time_with_the_rest_missing(self):
        for axis, (policy, shear) in zip(self.axes("map-shear"), SHEAR.items()):
            image, = axis.get_images()
            self.assertEqual(axis.get_title(loc="left"), f"{policy} (deterministic)")
            np.testing.assert_allclose(np.ma.filled(image.get_array().astype(float), math.nan), on_sea(np.log10(shear)), rtol=1e-12)
            self.assertEqual(image.origin, "lower")
            np.testing.assert_allclose(image.get_extent(), (0, 10, 0, 12))  # km

    def test_colours_run_from_the_2nd_to_the_99_8th_percentile_of_all_maps(self):
        pool = np.concatenate([on_sea(np.log10(shear)).ravel() for shear in SHEAR.values()])
        limits = np.percentile(pool[np.isfinite(pool)], [2, 99.8])
        for axis in self.axes("map-shear")[:3]:
            np.testing.assert_allclose((axis.get_images()[0].norm.vmin, axis.get_images()[0].norm.vmax), limits, rtol=1e-12)
        self.assertEqual(self.axes("map-shear")[-1].get_ylabel(), "log₁₀ shear (s⁻¹)")

    def test_axes_are_named_with_their_unit(self):
        self.assertEqual(self.axes("map-shear")[0].get_ylabel(), "y (km)")
        self.assertEqual([axis.get_xlabel() for axis in self.axes("map-shear")[:3]], ["x (km)"] * 3)

    def test_time_is_that_of_the_last_map(self):
        self.assertIn("after 6 h", next(figure for figure in self.made if figure.name == "map-shear").title)


class Differences(Drawn):
    def test_are_policy_minus_reference(self):
        for axis, (policy, change, rms) in zip(self.axes("difference-shear"), (("fp32", math.log10(1.25), "0.097"), ("tf32", math.log10(0.5), "0.30"))):
            self.assertEqual(axis.get_title(loc="left"), f"{policy} − fp64")
            values = np.ma.filled(axis.get_images()[0].get_array().astype(float), math.nan)
            np.testing.assert_allclose(values, on_sea(np.full((ROWS, COLUMNS), change)), rtol=1e-9)
            self.assertEqual(axis.texts[0].get_text(), f"rms {rms}")

    def test_one_symmetric_scale_up_to_the_next_power_of_ten(self):
        for axis in self.axes("difference-shear")[:2]:
            norm = axis.get_images()[0].norm
            self.assertEqual((norm.vmin, norm.vmax), (-1.0, 1.0))  # log10 of 2 is 0.3
        self.assertEqual(self.axes("difference-shear")[-1].get_ylabel(), "difference of log₁₀ shear (s⁻¹)")


class Spectra(Drawn):
    def test_power_against_wavenumber_per_km_in_the_order_of_the_study(self):
        top, bottom = self.axes("curve-shear-spectrum")
        self.assertEqual([line.get_label() for line in top.get_lines()], ["fp64", "fp32", "tf32"])
        for policy, power in POWER.items():
            line = self.line(top, policy)
            self.assert_line(line, [0.01, 0.02, 0.04], power[1:])  # no zero wavenumber on a logarithmic axis
            self.assertEqual(to_hex(line.get_color()), COLOURS[policy])
        self.assertEqual((top.get_xscale(), top.get_yscale(), bottom.get_yscale()), ("log", "log", "linear"))
        self.assertEqual((bottom.get_xlabel(), top.get_ylabel()), ("wavenumber (cycles per km)", "power (1)"))

    def test_wavelengths_have_several_round_ticks_whatever_their_range(self):
        top = self.axes("curve-shear-spectrum")[0]
        self.figures["curve-shear-spectrum"].canvas.draw()
        upper, = top.child_axes
        self.assertEqual([label.get_text() for label in upper.get_xticklabels()], ["30", "40", "50", "60", "70", "80", "90", "100"])  # the curve spans 25 to 100 km
        draw = random.Random(3)
        for _ in range(200):
            low = 10 ** draw.uniform(-3, 4)
            high = low * 10 ** draw.uniform(0.1, 5)
            ticks = curves.round_lengths(low, high)
            self.assertGreaterEqual(len(ticks), 3, (low, high))
            self.assertLess(len(ticks), 16, (low, high))
            self.assertTrue(all(low <= tick <= high for tick in ticks), (low, high))

    def test_ratio_is_to_the_reference(self):
        for line, power in zip(self.axes("curve-shear-spectrum")[1].get_lines(), POWER.values()):
            self.assert_line(line, [0.01, 0.02, 0.04], (power / POWER["fp64"])[1:])

    def test_bands_are_mean_and_sd_at_the_amplitude_that_is_judged(self):
        top, bottom = self.axes("curve-shear-spectrum")
        self.assertEqual(curves.band_epsilon(self.study, "shear_spectrum"), ("2^-7", 2.0**-7))
        other = copy.deepcopy(self.study)
        other.verdicts[0].evidence[0].epsilon_text = "2^-23"
        self.assertEqual(curves.band_epsilon(other, "shear_spectrum"), ("2^-23", 2.0**-23))
        self.assertEqual((len(top.collections), len(bottom.collections)), (2, 2))
        for axis, base in ((top, 1), (bottom, POWER["fp64"][1:])):
            for band, policy in zip(axis.collections, ("fp64", "fp32")):
                outline = {tuple(point) for point in np.round(band.get_paths()[0].vertices, 9)}
                for bound in (0.9, 1.3):
                    for k, value in zip([0.01, 0.02, 0.04], bound * POWER[policy][1:] / base):
                        self.assertTrue(any(math.isclose(x, k, rel_tol=1e-6) and math.isclose(y, value, rel_tol=1e-6) for x, y in outline), (policy, k, value))


class Statistics(Drawn):
    def test_unperturbed_runs_stand_left_in_the_order_of_the_study(self):
        axes = np.array(self.axes("statistics")).reshape(2, 3)
        for row, index in enumerate((2, 3)):
            values = [RUNS[f"{policy}/deterministic"][index] for policy in ("fp64", "fp32", "tf32")]
            self.assertEqual([tuple(line.get_xdata()) + tuple(np.round(line.get_ydata(), 9)) for line in axes[row, 0].get_lines()],
                             [(0, round(values[0], 9)), (1, round(values[1], 9)), (2, round(values[2], 9))])
        self.assertEqual([axes[row, 0].get_ylabel() for row in (0, 1)], ["number of LKFs (1)", "total length of LKFs (km)"])

    def test_ensembles_are_mean_and_sd_with_amplitudes_apart_evenly(self):
        axes = np.array(self.axes("statistics")).reshape(2, 3)
        for row, (mean_at, sd_at) in enumerate(((0, 1), (2, 3))):
            bars = [container for container in axes[row, 1].containers if container.get_label() in ("fp64", "fp32")]
            self.assertEqual([bar.get_label() for bar in bars], ["fp64", "fp32"])
            for bar in bars:
                line, _, (whiskers,) = bar.lines
                given = [ENSEMBLES[bar.get_label(), epsilon] for epsilon in ("2^-23", "2^-7")]
                np.testing.assert_allclose(np.array(line.get_xdata(), dtype=float), [0, 1], atol=0.2)  # a little apart, so that all are seen
                np.testing.assert_allclose(np.array(line.get_ydata(), dtype=float), [values[mean_at] for values in given])
                for segment, values in zip(whiskers.get_segments(), given):
                    np.testing.assert_allclose(segment[:, 1], [values[mean_at] + sign * values[sd_at] for sign in (-1, 1)])
        self.assertEqual([label.get_text() for label in axes[1, 1].get_xticklabels()], ["2⁻²³", "2⁻⁷"])
        np.testing.assert_allclose(axes[1, 1].get_xticks(), [0, 1])

    def test_evaluation_alone_stands_among_the_ensembles_and_right(self):
        axes = np.array(self.axes("statistics")).reshape(2, 3)
        for row, (mean, sd, controls) in enumerate(((40.25, 0.75, ((40.0, 0.0), (44.0, 2.0))), (5020, 15, ((5000, 0.0), (5250, 40))))):
            alone, = (container for container in axes[row, 1].containers if container.get_label() == "evaluation alone")
            np.testing.assert_allclose(np.array(alone.lines[0].get_ydata(), dtype=float), [mean, mean])
            np.testing.assert_allclose(alone.lines[2][0].get_segments()[0][:, 1], [mean - sd, mean + sd])
            for index, (container, (value, spread)) in enumerate(zip(axes[row, 2].containers, controls)):
                np.testing.assert_allclose((container.lines[0].get_xdata()[0], container.lines[0].get_ydata()[0]), (index, value))
                np.testing.assert_allclose(container.lines[2][0].get_segments()[0][:, 1], [value - spread, value + spread])
        self.assertEqual([label.get_text() for label in axes[1, 2].get_xticklabels()], ["fp32", "tf32"])


class Series(Drawn):
    def test_statistics_against_hours_without_what_is_missing(self):
        count, length = self.axes("series")
        self.assertEqual([axis.get_title(loc="left") for axis in (count, length)], ["number of LKFs (1)", "total length of LKFs (km)"])
        for policy in ("fp64", "fp32", "tf32"):
            given = RUNS[f"{policy}/deterministic"]
            self.assert_line(self.line(count, policy), HOURS, [given[2] - 4, given[2] - 1, given[2]])
            self.assert_line(self.line(length, policy), [0, 6], [100 * given[2], given[3]])
        self.assertEqual(length.get_xlabel(), "time (hours)")


class Growth(Drawn):
    def test_errors_against_hours_on_a_logarithmic_axis(self):
        axis, = self.axes("growth")
        self.assert_line(self.line(axis, "fp64/atomic"), [3, 6], [1e-16, 3e-16])  # zero cannot be shown
        self.assert_line(self.line(axis, "fp32"), [0, 3, 6], [1e-8, 2e-7, 5e-7])
        self.assert_line(self.line(axis, "tf32"), [0, 3, 6], [1e-4, 3e-4, 7e-4])
        self.assertEqual((axis.get_yscale(), axis.get_xlabel(), axis.get_ylabel(), axis.get_title(loc="left")),
                         ("log", "time (hours)", "relative L2 difference (1)", "sivol"))

    def test_the_references_own_ensembles_are_the_yardstick(self):
        axis, = self.axes("growth")
        grey = [line for line in axis.get_lines() if line.get_label().startswith("_")]
        self.assertEqual(len(grey), 2)
        for line, epsilon in zip(grey, ("2^-23", "2^-7")):
            self.assert_line(line, HOURS, ENSEMBLES["fp64", epsilon][4])
        self.assertEqual({(text.get_text(), text.xy) for text in axis.texts}, {("2⁻²³", (6.0, 4e-6)), ("2⁻⁷", (6.0, 3e-2))})

    def test_labels_of_lines_keep_apart(self):
        for wanted, apart, expected in (([0.5, 0.5, 0.9], 0.1, [0.45, 0.55, 0.9]), ([0.2, 0.6], 0.1, [0.2, 0.6]), ([-0.3, 0.01], 0.1, [0, 0.1]),
                                        ([0.98, 0.99, 1.0], 0.1, [0.8, 0.9, 1.0]), ([0.5] * 5, 0.2, [0.1, 0.3, 0.5, 0.7, 0.9])):
            np.testing.assert_allclose(growth.spread_out(wanted, apart), expected, atol=1e-12)

    def test_no_label_is_drawn_over_another_or_over_lines(self):
        for name in ("growth", "ensemble-growth"):
            figure = self.figures[name]
            figure.canvas.draw()
            for axis in figure.axes:
                boxes = [Text.get_window_extent(text) for text in axis.texts]  # without the line that leads to it
                self.assertTrue(boxes)
                for index, box in enumerate(boxes):
                    self.assertGreater(box.x0, axis.get_window_extent().x1)
                    self.assertFalse(any(box.overlaps(other) for other in boxes[:index]), (name, index))

    def test_captions_say_what_the_lines_show(self):
        captions = {figure.name: figure.caption for figure in self.made}
        self.assertIn("At their last time, in sivol: fp32 5.0 × 10⁻⁷ and tf32 7.0 × 10⁻⁴.", captions["growth"].replace("\u202f", " "))
        self.assertIn("Largest over least difference at the last time: fp64 7500 and fp32 7000;", captions["ensemble-growth"].replace("\u202f", ""))

    def test_caption_says_that_lines_met_only_where_they_did(self):
        study = copy.deepcopy(self.study)
        ends = {("fp64", "2^-23"): 2.9e-2, ("fp32", "2^-23"): 1e-2}  # against 3e-2 and 3.5e-2
        for ensemble in study.ensembles:
            if (ensemble.policy, ensemble.epsilon_text) in ends:
                ensemble.growth["sivol"][0][-1] = ends[ensemble.policy, ensemble.epsilon_text]
        told = growth.meeting(study, "sivol")
        self.assertIn("the lines of fp64 lie within a factor of 2", told)
        self.assertIn("Largest over least difference at the last time: fp32 3.5;", told)

    def test_perturbations_grow_with_mean_and_sd_by_policy(self):
        axes = self.axes("ensemble-growth")
        self.assertEqual([axis.get_title(loc="left") for axis in axes], ["fp64", "fp32"])
        for axis, policy in zip(axes, ("fp64", "fp32")):
            for line, band, epsilon in zip(axis.get_lines(), axis.collections, ("2^-23", "2^-7")):
                mean, sd = np.array(ENSEMBLES[policy, epsilon][4]), np.array(ENSEMBLES[policy, epsilon][5])
                self.assert_line(line, HOURS, mean)
                heights = band.get_paths()[0].vertices[:, 1]
                for value in (*(mean + sd), *(mean - sd)):
                    self.assertLess(np.min(np.abs(heights / value - 1)), 1e-9)
                self.assertAlmostEqual(heights.max(), (mean + sd).max())
            self.assertEqual((axis.get_yscale(), axis.get_xlabel()), ("log", "time (hours)"))
        self.assertEqual(axes[0].get_ylabel(), "relative L2 of sivol (1)")


class Tolerated(Drawn):
    def test_ratios_against_hours_with_their_intervals_and_the_limit(self):
        axis, = self.axes("tolerated")
        limit, line = axis.get_lines()
        self.assertEqual(set(limit.get_ydata()), {1})
        self.assertEqual((line.get_label(), to_hex(line.get_color())), ("fp32", COLOURS["fp32"]))
        self.assert_line(line, HOURS[1:], RATIOS["ratio"][1:])
        heights = np.round(axis.collections[0].get_paths()[0].vertices[:, 1], 9)
        self.assertLessEqual({*RATIOS["low"][1:], *RATIOS["high"][1:]}, set(heights))
        self.assertEqual((axis.get_yscale(), axis.get_xlabel(), axis.get_title(loc="left")), ("log", "time (hours)", "sivol"))
        self.assertIn("a perturbation of ε = 2⁻⁷, which is tolerated,", next(figure.caption for figure in self.made if figure.name == "tolerated"))


class Cost(Drawn):
    def test_bars_are_seconds_and_bytes_of_each_run(self):
        left, right = self.axes("cost")
        self.assertEqual([label.get_text() for label in left.get_yticklabels()], list(RUNS))
        self.assertEqual([bar.get_width() for bar in left.patches], [values[0] for values in RUNS.values()])
        self.assertEqual([bar.get_width() for bar in right.patches], [values[1] for values in RUNS.values()])
        self.assertEqual([text.get_text().split() for text in left.texts],
                         [["80", "s"], ["64", "s", "1.25", "×"], ["40", "s", "2.00", "×"], ["20", "s", "emulated"]])
        self.assertEqual([text.get_text().strip() for text in right.texts], ["8 KiB", "8 KiB", "4 KiB", "2 KiB"])
        self.assertEqual([to_hex(bar.get_facecolor()) for bar in left.patches], [COLOURS[name.split("/")[0]] for name in RUNS])


class Tables(Drawn):
    def test_overview_shows_errors_and_features(self):
        self.assertEqual(self.rows.row("tf32", "deterministic"), ["tf32", "deterministic", "–", "emulated", "25 %", "7.0 × 10⁻⁴", "47", "5 900", "✔ 1"])
        self.assertEqual(self.rows.row("fp32", "deterministic")[2:5], ["≠ different", "2.00 ×", "50 %"])
        self.assertEqual(self.rows.row("fp32", "deterministic")[-1], "✘ 1")
        self.assertEqual(self.rows.row("fp64", "deterministic")[2:8], ["reference", "–", "100 %", "0", "40", "5 000"])

    def test_gates_show_value_limit_and_ratio(self):
        self.assertEqual(self.rows.row("✔ pass"), ["✔ pass", "sivol.l2_relative", "tf32/deterministic", "7.00 × 10⁻⁴", "2.00 × 10⁻³", "0.35", ""])

    def test_ensembles_show_mean_sd_control_and_spread(self):
        self.assertEqual(self.rows.row("quantity"), ["quantity", "members of", "ε = 2⁻²³", "ε = 2⁻⁷"])
        self.assertEqual(self.rows.row("members", "fp32"), ["members", "fp32", "8", "8"])
        self.assertEqual(self.rows.row("number of LKFs (1)", "fp32"), ["number of LKFs (1)", "fp32", "43.5 ± 1.2", "44.5 ± 2.2"])
        self.assertEqual(self.rows.row("total length of LKFs (km)", "fp64"), ["total length of LKFs (km)", "fp64", "5 010 ± 30", "5 200 ± 70"])
        self.assertEqual(self.rows.row("total length of LKFs (km)", "(evaluation alone)"), ["total length of LKFs (km)", "(evaluation alone)", "5 020 ± 15", "5 020 ± 15"])
        self.assertEqual(self.rows.row("spread of sivol (1)", "fp32"), ["spread of sivol (1)", "fp32", "5.0 × 10⁻⁶", "0.035"])

    def test_statistics_show_their_difference_to_the_reference(self):
        self.assertEqual(self.rows.row("total length of LKFs (km)", "fp32/deterministic", "5 300")[3:], ["300", "+6.0 %"])
        self.assertEqual(self.rows.row("number of LKFs (1)", "fp64/deterministic"), ["number of LKFs (1)", "fp64/deterministic", "40", "–", "–"])

    def test_gates_are_told_as_declared(self):
        self.assertEqual(self.rows.row("sivol.l2_relative", "field sivol"), ["sivol.l2_relative", "field sivol", "l2_relative", "2.00 × 10⁻³", "6 h", "fp32/*, tf32/*"])

    def test_costs_show_speed_up_updates_and_memory(self):
        self.assertEqual(self.rows.row("tf32/deterministic", "cpu"), ["tf32/deterministic", "cpu", "20 s", "emulated", "100", "15", "75.0", "2 KiB", "25 %"])

    def test_integrals_show_their_change(self):
        self.assertEqual(self.rows.row("ice volume (m³)", "fp32/deterministic"),
                         ["ice volume (m³)", "fp32/deterministic", "2.00000 × 10¹¹", "1.60000 × 10¹¹", "−0.20"])

    def test_metrics_stand_under_their_names(self):
        heading = next(row for row in self.rows.rows if row[:2] == ["run", "field"])
        values = dict(zip(heading, self.rows.row("tf32/deterministic", "sivol")))
        self.assertEqual({name: values[name] for name in ("rel. L2", "max |Δ|", "RMSE", "bias", "1 − R")},
                         {"rel. L2": "7.0 × 10⁻⁴", "max |Δ|": "0.014", "RMSE": "2.1 × 10⁻³", "bias": "−7.0 × 10⁻⁴", "1 − R": "4.9 × 10⁻⁷"})

    def test_equivalent_perturbation_compares_with_the_references_spread(self):
        self.assertIn("Its error in sivol (relative L2 5.0 × 10⁻⁷) is no larger than what a perturbation of ε = 2⁻²³ does to fp64.", self.rows.text)


if __name__ == "__main__":
    unittest.main()
