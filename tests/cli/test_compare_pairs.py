#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`compare` on random pairs of files that differ nowhere or at one place, judged by numpy. ULPINE_PAIRS=N takes other numbers than 1000, ULPINE_PAIRS=M:N those from M to N - 1; ULPINE_PAIRS_FOLDER keeps the files of pairs with a complaint."""
import copy
import json
import os
import pathlib
import shutil
import tempfile
import unittest
from collections import Counter

try:
    import netCDF4
    import numpy as np
    import pairs
except ImportError:
    netCDF4 = None

from support import CommandTest

WITHOUT = "no numpy or netCDF4 (Debian: apt-get install python3-numpy python3-netcdf4)"
SEED = 20261127


def numbers():
    first, _, last = os.environ.get("ULPINE_PAIRS", "1000").rpartition(":")
    return range(int(first or 0), int(last))


@unittest.skipIf(netCDF4 is None, WITHOUT)
class RandomPairsTest(CommandTest):
    def answer(self, *words):
        done = self.call("compare", self.folder / "a.nc", self.folder / "b.nc", "--json", *words)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        return done.returncode, self.json_of(done.stdout)

    def json_of(self, text):
        def refuse(word):
            self.fail(f"{word} is no JSON")
        return json.loads(text, parse_constant=refuse)

    def test_no_answer_is_falsely_equal_and_none_falsely_different(self):
        wrong, truths = [], Counter()
        for number in numbers():
            plant = pairs.make(number, SEED, self.folder)
            reference, test = (pairs.read(self.folder / name) for name in ("a.nc", "b.nc"))
            truth = pairs.truth_of(reference, test)
            # The planted difference shows, and nothing else does.
            self.assertEqual(truth.answer == "differs" or truth.units, plant.strict is not None, f"pair {number}: {plant} {truth}")
            truths[truth.answer] += 1
            found = []
            try:
                code, answer = self.answer()
                found = pairs.complaints(truth, plant, code, answer, reference)
                if number % 10 == 0:
                    found += self.of_other_times(truth, answer)
            except (AssertionError, KeyError, TypeError, ValueError) as error:
                found.append(f"{type(error).__name__}: {error}")
            wrong += [f"ULPINE_PAIRS={number}:{number + 1} ({plant.kind} {plant.name} {plant.index}): {line}" for line in found]
            if found and "ULPINE_PAIRS_FOLDER" in os.environ:
                for name in ("a.nc", "b.nc"):
                    shutil.copy(self.folder / name, pathlib.Path(os.environ["ULPINE_PAIRS_FOLDER"]) / f"{number}{name}")
        if wrong:
            self.fail("\n".join([f"{len(wrong)} complaints", *wrong[:40]]))
        if len(numbers()) >= 1000:
            self.assertGreater(min(truths[answer] for answer in ("bits", "values", "differs")), 100, truths)

    def of_other_times(self, truth, answer):
        _, every = self.answer("--all-times")
        _, last = self.answer("--last")
        result = []
        if every["equal"] != answer["equal"]:
            result.append(f"equal is {every['equal']} with --all-times and {answer['equal']} without")
        if last["equal"] is True and (truth.answer == "differs" or any(entry["times"] > 1 for entry in answer["variables"].values())):
            result.append("equal is true with --last")
        if last["equal"] is False and truth.answer != "differs":
            result.append("equal is false with --last")
        return result


@unittest.skipIf(netCDF4 is None, WITHOUT)
class JudgeTest(unittest.TestCase):
    """The judge notices what is false: differences that numpy is to see, and answers that are to be refused."""
    FIELD = ("f8", ("y", "x"), (2, 3))

    def file(self, **changes):
        return {"": ("file", (), (), None, {}),
                "h": (*self.FIELD, np.arange(6.0).reshape(2, 3), {"units": "m", "_FillValue": 5.0}),
                "w": ("f4", ("x",), (3,), np.array([np.nan, np.inf, 2], "f4"), {}),
                "n": ("i8", ("x",), (3,), 2**60 + np.arange(3), {}),
                "s": (("rows", "text"), ("x",), (3,), np.array(["a", "b", "c"], object), {}),
                "time": ("f8", ("time",), (2,), np.array([0.0, 6.0]), {"units": "hours since 2000-01-01", "bounds": "edges"}),
                "edges": ("f8", ("time", "nv"), (2, 2), np.array([[0.0, 6.0], [6.0, 12.0]]), {}),
                **changes}

    def truth(self, change):
        test = copy.deepcopy(self.file())
        change(test)
        return pairs.truth_of(self.file(), test)

    def test_every_fault_planted_into_the_data_is_seen(self):
        def stored(name, index, value):
            def change(file):
                file[name][3][index] = value
            return change

        def described(name, **attributes):
            return lambda file: file[name][4].update(attributes)
        for change in (stored("w", 0, 1), stored("w", 1, np.nan), stored("w", 1, -np.inf), stored("w", 2, np.nan), stored("h", (0, 1), np.nextafter(1.0, 2)), stored("h", (1, 2), 4.0), stored("h", (0, 0), 5.0), stored("h", (0, 0), np.nan),
                       stored("n", 2, 2**60 + 3), stored("s", 1, "b "), stored("time", 0, 0.5), stored("edges", (1, 1), 13.0),
                       described("h", _FillValue=-1.0), described("h", scale_factor=2.0, add_offset=0.0), described("h", valid_max=3.0),
                       described("time", units="hours since 2000-01-01 01:00"), described("time", calendar="noleap", units="hours since 2000-03-01"),
                       lambda file: file.pop("n"), lambda file: file.update(more=file["n"])):
            self.assertEqual(self.truth(change).answer, "differs")
        self.assertEqual(self.truth(lambda file: None).answer, "bits")
        for change in (stored("h", (0, 0), -0.0), described("", history="later"), described("h", comment="1"),
                       lambda file: file.update(time=("f8", ("time",), (2,), np.array([0.0, 0.25]), {"units": "days since 2000-01-01 00:00", "bounds": "edges"}),
                                                edges=("f8", ("time", "nv"), (2, 2), np.array([[0.0, 0.25], [0.25, 0.5]]), {}))):
            self.assertEqual(self.truth(change).answer, "values")
        self.assertTrue(self.truth(described("h", units="cm")).units)

        def otherwise_missing(file):
            file["h"][3][1, 2] = np.nan
            file["h"][4]["_FillValue"] = np.nan
        self.assertEqual(self.truth(otherwise_missing).answer, "values")
        self.assertEqual(pairs.decode("i2", np.array([-32767, 1], "i2"), {})[1].tolist(), [True, False])
        self.assertEqual(pairs.decode("i1", np.array([-127, 1], "i1"), {})[1].tolist(), [False, False])

    def test_every_false_answer_is_refused(self):
        def differ(file):
            file["h"][3][0, 1] = 7.0

        def lose(file):
            file["h"][3][0, 1] = 5.0
        entry = {"same": "no", "differing": 1, "times": 1, "worst": {"index": {"y": 0, "x": 1}}, "missing_only_in_reference": 0, "missing_only_in_test": 0,
                 "nan_only_in_reference": 0, "nan_only_in_test": 0}
        same = dict(entry, same="bits", differing=0, worst=None)
        lost = dict(entry, missing_only_in_test=1, worst=None)
        number, mask, nothing = pairs.Plant("number", "h", (0, 1)), pairs.Plant("mask", "h", (0, 1)), pairs.Plant(strict=None)

        def judged(change, plant, code, equal, entry):
            return pairs.complaints(self.truth(change), plant, code, {"equal": equal, "variables": {"h": entry}}, self.file())
        right = ((differ, number, 0, False, entry), (lose, mask, 1, False, lost), (lambda file: None, nothing, 0, True, same),
                 (lambda file: file["h"][4].update(comment="1"), nothing, 0, None, same))
        for words in right:
            self.assertEqual(judged(*words), [])
        for words in ((differ, number, 0, True, entry), (differ, number, 0, None, entry), (differ, number, 2, False, entry), (differ, number, 0, False, same),
                      (differ, number, 0, False, dict(entry, differing=2)), (differ, number, 0, False, dict(entry, same="bits")),
                      (lambda file: None, nothing, 0, True, dict(same, same="no")), (differ, pairs.Plant("place", "y", (0,), strict=False), 0, True, entry), (differ, number, 0, False, dict(entry, worst={"index": {"y": 1, "x": 0}})),
                      (differ, number, 0, False, dict(entry, worst=None)), (lose, mask, 0, False, lost), (lose, mask, 1, False, entry),
                      (lambda file: None, nothing, 0, None, same), (lambda file: None, nothing, 1, True, same), (lambda file: None, nothing, 0, True, entry),
                      (lambda file: file["h"][4].update(comment="1"), nothing, 0, False, same), (lambda file: file["h"][4].update(units="K"), nothing, 0, True, same)):
            self.assertNotEqual(judged(*words), [], words)

    def test_netcdf4_masks_and_unpacks_as_the_judge_does(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            compared = 0
            for number in range(40):
                pairs.make(number, SEED, folder)
                with netCDF4.Dataset(folder / "b.nc") as file:
                    for name, (kind, _, shape, stored, attributes) in pairs.read(folder / "b.nc").items():
                        if not isinstance(kind, str) or kind in ("S1", "file") or 0 in shape:
                            continue
                        values, missing = pairs.decode(kind, stored, attributes)
                        theirs = np.ma.masked_array(file[name][...])
                        np.testing.assert_array_equal(np.ma.getmaskarray(theirs), missing, name)
                        np.testing.assert_array_equal(theirs.filled(1), np.where(missing, 1, values), name)
                        compared += 1
            self.assertGreater(compared, 100)


if __name__ == "__main__":
    unittest.main()
