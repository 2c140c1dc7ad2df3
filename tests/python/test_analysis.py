#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The Python package's analysis: the numbers of the commands to the bit, whatever the objects, and what is refused."""
import os
import pathlib
import subprocess
import sys
import threading

import helpers

if __name__ == "__main__":
    helpers.main(__file__)

import numpy as np
import pytest
import xarray as xr

import ulpine

KINDS = {"double": {}, "float": {"kind": "f4"}, "missing": {"missing": 0.2}, "packed": {"kind": "packed", "missing": 0.1}, "weighted": {"measure": True, "missing": 0.1}}


@pytest.fixture(params=KINDS)
def pair(request, tmp_path):
    """Two files `reference` and `test` whose fields differ a little, and the folder."""
    chance = np.random.default_rng(len(request.param))
    values = helpers.write_fields(tmp_path / "reference", chance, **KINDS[request.param])
    again = np.random.default_rng(len(request.param))  # the same missing values and measures
    again.normal(size=values.shape)
    helpers.write_fields(tmp_path / "test", again, noise=values + 0.01 * chance.normal(size=values.shape), **KINDS[request.param])
    return tmp_path


@pytest.mark.parametrize("words, how", [((), {}), (("--all-times",), {"times": "all"}), (("--last", "--levels"), {"times": "last", "levels": True}),
                                        (("--weights", "none", "--variables", "T"), {"weights": "none", "variables": ["T"]})], ids=["worst", "all", "last", "unweighted"])
def test_comparisons_have_the_numbers_of_the_command(pair, words, how):
    wanted = helpers.ulpine_command(pair, "compare", "reference", "test", "--json", *words)
    assert wanted["variables"]
    with xr.open_dataset(pair / "reference", engine="netcdf4") as reference, xr.open_dataset(pair / "test", engine="netcdf4") as test:
        assert ulpine.compare(reference, test, **how) == wanted
        assert ulpine.compare(reference.load(), test.load(), **how) == wanted
    os.chdir(pair)
    assert ulpine.compare("reference", pathlib.Path("test"), **how) == wanted


def test_an_edit_finer_than_the_packing_is_seen(tmp_path):
    """xarray keeps the packing of a file on values that were changed since: to pack them again would hide the change."""
    chance = np.random.default_rng(3)
    helpers.write_fields(tmp_path / "reference", chance, kind="packed")
    reference = xr.open_dataset(tmp_path / "reference", engine="netcdf4").load()
    test = reference.copy(deep=True)
    step = np.float64(2.0**-20)
    test["T"].values[0, 1, 2, 3] += step
    found = ulpine.compare(reference, test)["variables"]["T"]
    moved = np.float64(test["T"].values[0, 1, 2, 3]) - np.float64(reference["T"].values[0, 1, 2, 3])
    assert moved != 0 and found["linf"] == moved and found["differing"] == 1
    assert found["worst"]["index"] == {"lev": 1, "y": 2, "x": 3}


def test_arrays_and_single_fields_are_compared_whatever_their_names():
    chance = np.random.default_rng(4)
    a = chance.normal(size=(6, 5))
    b = a + chance.normal(size=a.shape)
    field = xr.DataArray(a, {"x": np.arange(5.0)}, ("y", "x"), name="a", attrs={"units": "K"})
    for found in (ulpine.compare(a, b)["variables"]["values"], ulpine.compare(field, field.copy(data=b).rename("b"))["variables"]["a"], ulpine.compare(field, b)["variables"]["a"]):
        assert found["linf"] == np.abs(b - a).max()
        assert found["bias"] == pytest.approx((b - a).mean(), rel=1e-14)
        assert found["points"] == 30


def test_weights_may_be_an_array_with_places():
    chance = np.random.default_rng(5)
    a, b = (xr.Dataset({"T": (("y", "x"), chance.normal(size=(4, 3)))}) for _ in range(2))
    weights = xr.DataArray(chance.uniform(1, 2, size=(4, 3)), dims=("y", "x"), name="w")
    found = ulpine.compare(a, b, weights=weights)["variables"]["T"]
    assert found["bias"] == pytest.approx(float(((b - a).T.transpose("y", "x") * weights).sum() / weights.sum()), rel=1e-14)
    assert found["weights"].endswith("w")


def test_nothing_is_left_behind(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    ulpine.compare(np.zeros((3, 3)), np.ones((3, 3)))
    with pytest.raises(ValueError):
        ulpine.compare(np.zeros((3, 3)), np.ones((3, 3)), variables=["q"])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("words, how", [((), {}), (("--variant", "physical", "--level", "1"), {"variant": "physical", "level": 1}), (("--log10", "0.1", "--time", "0"), {"log10": 0.1, "time": 0})])
def test_spectra_have_the_numbers_of_the_command(pair, words, how):
    wanted = helpers.ulpine_command(pair, "spectrum", "reference", "--variable", "T", "--json", *words)
    with xr.open_dataset(pair / "reference", engine="netcdf4") as data:
        found = ulpine.spectrum(data["T"] if "cell_area" not in data else data, "T", **how)
    for key in ("power", "modes", "wavenumber"):
        assert found[key].values.tolist() == wanted[key]
    assert (float(found.outside_power), int(found.outside_modes), int(found.planes)) == (*wanted["outside"].values(), wanted["planes"])
    assert (found.wavenumber.units, found.attrs["field"], found.attrs["notes"]) == (wanted["units"], wanted["field"], wanted["notes"])
    assert ("floored" in found) == (wanted["floored"] is not None)


def test_spectra_of_all_times_are_one_table(pair):
    wanted = helpers.ulpine_command(pair, "spectrum", "reference", "--variable", "T", "--json", "--all-times")["spectra"]
    found = ulpine.spectrum(str(pair / "reference"), "T", all_times=True)
    assert found.power.dims == ("time_index", "wavenumber") and found.time_index.values.tolist() == [one["time_index"] for one in wanted]
    assert found.power.values.tolist() == [one["power"] for one in wanted]


def test_powers_of_an_array_add_up_to_its_squares():
    values = np.random.default_rng(6).normal(size=(12, 12))
    found = ulpine.spectrum(values, spacing=250)
    assert found.wavenumber.values[1] == 1 / (12 * 250)
    total = float((found.power * found.modes).sum() + found.outside_power * found.outside_modes)
    assert total == pytest.approx((values**2).sum(), rel=1e-13)


def ridges(chance, shape=(40, 50)):
    """A deformation in day-1 with two ridges across noise, some values missing."""
    rows, columns = np.mgrid[: shape[0], : shape[1]]
    values = 0.02 * np.exp(0.2 * chance.normal(size=shape)) + 0.6 * np.exp(-((rows - 0.6 * columns) ** 2) / 3) + 0.4 * np.exp(-((rows + columns - 55) ** 2) / 3)
    values[5:7, 30:33] = np.nan
    return values


@pytest.mark.parametrize("words, how", [((), {}), (("--rules", "lkf_tools", "--parameters", "dog15,lmin=6"), {"rules": "lkf_tools", "parameters": "dog15,lmin=6"}),
                                        (("--parameters", "lmin=6,use_eps=true"), {"parameters": {"lmin": 6, "use_eps": True}})])
def test_features_have_the_numbers_of_the_command(tmp_path, words, how):
    values = ridges(np.random.default_rng(7))
    data = xr.Dataset({"shear": (("y", "x"), values, {"units": "day-1"})}, {"y": ("y", np.arange(40) * 4000.0, {"units": "m"}), "x": ("x", np.arange(50) * 4000.0, {"units": "m"})})
    data.to_netcdf(tmp_path / "data", engine="netcdf4")
    wanted = helpers.ulpine_command(tmp_path, "lkf", "data", "--json", *words)
    assert wanted["count"] > 1
    for found in (ulpine.lkf(data, **how), ulpine.lkf(data["shear"], **how), ulpine.lkf(values, spacing=4000, **how), ulpine.lkf(tmp_path / "data", **how)):
        assert all(feature["cells"].dtype == np.int32 for feature in found["features"])
        for feature in found["features"]:
            feature["cells"] = feature["cells"].tolist()
        assert found == wanted
    alone = ulpine.lkf(data, orientations=False, **how)
    assert alone["orientations"] is None and alone["count"] == wanted["count"]


def members(chance, count, shift=0.0):
    return [xr.Dataset({"T": (("time", "y", "x"), chance.normal(size=(1, 6, 5)) + shift, {"units": "K"})}, {"time": ("time", [0.0], {"units": "days since 2000-01-01"})}) for _ in range(count)]


@pytest.mark.parametrize("shift", [0.0, 5.0])
def test_consistency_has_the_numbers_of_the_command(tmp_path, shift):
    chance = np.random.default_rng(8)
    accepted, tests = members(chance, 20), dict(zip("abc", members(chance, 3, shift)))
    for folder, runs in (("ensemble", {f"{number:04}": run for number, run in enumerate(accepted)}), ("tests", tests)):
        (tmp_path / folder).mkdir()
        for name, run in runs.items():
            run.to_netcdf(tmp_path / folder / name, engine="netcdf4")
    wanted = helpers.ulpine_command(tmp_path, "consistency", "--ensemble", "ensemble", "--test", "tests", "--json", "--parameter", "pca.sigma=2", "--seed", "7")
    told = []
    found = ulpine.consistency(accepted, tests, parameters={"pca.sigma": 2}, seed=7, progress=lambda fraction, what: told.append(fraction))
    assert (found["answer"] == "different") == (shift > 0) and told[-1] == 1
    named = ("provenance", "seal", "ensemble", "tests")  # objects have no names of files
    assert {key: value for key, value in found.items() if key not in named} == {key: value for key, value in wanted.items() if key not in named}


def test_an_exception_in_the_progress_ends_the_call():
    chance = np.random.default_rng(9)

    def stop(fraction, what):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ulpine.consistency(members(chance, 5), members(chance, 3), progress=stop)


def test_digits_have_the_numbers_of_the_command(tmp_path):
    chance = np.random.default_rng(10)
    exact = chance.normal(size=(2, 5, 4))
    samples = [xr.Dataset({"u": (("time", "y", "x"), (exact * (1 + 2.0**-20 * chance.normal(size=exact.shape))).astype("f4"), {"units": "m s-1"})}, {"time": [0.0, 1.0]}) for _ in range(4)]
    (tmp_path / "samples").mkdir()
    names = [f"samples/{number:04}" for number in range(4)]
    for name, sample in zip(names, samples):
        sample.to_netcdf(tmp_path / name, engine="netcdf4")
    wanted = helpers.ulpine_command(tmp_path, "digits", "-o", "out", "--json", "--mantissa", "24", "--scale", "u=2", *(word for name in names for word in ("--samples-from", name)))
    found = ulpine.significant_digits(samples, mantissa=24, scales={"u": 2})
    assert found["fields"] and {key: value for key, value in found.items() if key != "provenance"} == {key: value for key, value in wanted.items() if key not in ("provenance", "seal")}


def zeros(**how):
    return xr.Dataset({"T": (("y", "x"), np.zeros((3, 4)))}, **how)


@pytest.mark.parametrize("call, words", [
    (lambda: ulpine.compare("none.nc", zeros()), "none.nc: no such file"),
    (lambda: ulpine.compare(zeros(), zeros(), variables="q"), "reference: no variable 'q'"),
    (lambda: ulpine.compare(zeros(), zeros(), times="first"), "times: unknown 'first' (known are worst, all, last)"),
    (lambda: ulpine.compare(zeros(), zeros(), weights=3), "weights: are a name"),
    (lambda: ulpine.compare(zeros(), zeros().rename(T="S")), "no variable"),
    (lambda: ulpine.compare(zeros(), xr.Dataset({"T": ("x", np.zeros(3, complex))})), "test: T: is of type complex128"),
    (lambda: ulpine.compare(np.zeros(3, np.longdouble), np.zeros(3)), "reference: values: is of type"),
    (lambda: ulpine.compare(zeros(), zeros().assign(o=("y", [object()] * 3))), "test: cannot be written as NetCDF ("),
    (lambda: ulpine.spectrum(zeros(), variant="none"), "unknown spectrum variant 'none'"),
    (lambda: ulpine.spectrum(zeros(), time=1.5), "time: 1.5 is not taken"),
    (lambda: ulpine.spectrum(zeros(), log10=0), "log10: 0 is not taken (a number from 1e-300"),
    (lambda: ulpine.spectrum(zeros().assign(S=zeros()["T"])), "variable: is not named"),
    (lambda: ulpine.spectrum(np.zeros((2, 2, 2))), "values: have 3 dimensions"),
    (lambda: ulpine.spectrum(np.full((4, 4), np.nan)), "values has no values"),
    (lambda: ulpine.spectrum(np.zeros((4, 4)), level=1), "level: has no effect"),
    (lambda: ulpine.spectrum(zeros(), spacing=1), "spacing: has no effect"),
    (lambda: ulpine.spectrum(np.zeros((4, 4)), spacing=-1), "spacing: [-1.0,-1.0] is not taken"),
    (lambda: ulpine.lkf(zeros()["T"]), "it has no units"),
    (lambda: ulpine.lkf(np.full((9, 9), np.inf)), "values is infinite at (0, 0)"),
    (lambda: ulpine.lkf(np.zeros((9, 9)), rules="old"), "unknown rules 'old'"),
    (lambda: ulpine.lkf(np.zeros((9, 9)), parameters={"lmin": -1}), "lmin"),
    (lambda: ulpine.consistency([zeros()], []), "tests: no new run"),
    (lambda: ulpine.consistency([zeros()], [zeros()], methods="guess"), "guess"),
    (lambda: ulpine.consistency({"a/b": zeros()}, [zeros()]), "ensemble: 'a/b' is no name of a run"),
    (lambda: ulpine.significant_digits([zeros()]), "1 samples"),
    (lambda: ulpine.significant_digits([zeros(), zeros()], mantissa=1), "mantissa: 1 is not taken (a whole number from 2 to 113"),
    (lambda: ulpine.significant_digits([zeros(), zeros()], relative=True, scales={"T": 1}), "scales: have no effect"),
    (lambda: ulpine.significant_digits([zeros(), zeros()], absolute=True, scales={"T": 1}), "scales: have no effect"),
    (lambda: ulpine.significant_digits([zeros(), zeros()], relative=True, absolute=True), "absolute: has no effect"),
    (lambda: ulpine.open_trace(__file__), "not a trace"),
    (lambda: ulpine.open_study(os.path.dirname(__file__)), "results.json: not there"),
])
def test_what_cannot_be_used_is_a_value_error_of_one_line(call, words):
    with pytest.raises(ValueError) as refused:
        call()
    assert words in str(refused.value)
    assert len(str(refused.value).splitlines()) == 1 and "/tmp/ulpine-" not in str(refused.value)


def test_calls_go_on_beside_each_other():
    chance = np.random.default_rng(11)
    fields = [chance.normal(size=(30, 30)) for _ in range(6)]
    wanted = [ulpine.spectrum(field) for field in fields]
    found = [None] * len(fields)

    def work(number):
        found[number] = (ulpine.spectrum(fields[number]), ulpine.compare(fields[number], fields[0])["variables"]["values"]["linf"])

    threads = [threading.Thread(target=work, args=(number,)) for number in range(len(fields))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for number, (spectrum, largest) in enumerate(found):
        assert spectrum.identical(wanted[number]) and largest == np.abs(fields[number] - fields[0]).max()


def in_python(text, **variables):
    environment = dict(os.environ, PYTHONPATH=str(helpers.SOURCE / "probe/python"), **variables)
    return subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=False, env=environment)


def test_the_probe_alone_loads_neither_numpy_nor_the_analysis():
    done = in_python("import sys, ulpine; ulpine.step(1); print('numpy' in sys.modules, 'xarray' in sys.modules, 'libulpine_analysis' in open('/proc/self/maps').read(), 'compare' in dir(ulpine))")
    assert done.stdout == "False False False True\n", done.stderr


def test_a_library_that_is_missing_or_of_another_release_is_told(tmp_path):
    done = in_python("import ulpine; ulpine.spectrum([[1.0, 2.0], [3.0, 5.0]])", ULPINE_ANALYSIS_LIBRARY=str(tmp_path / "none.so"))
    assert done.stderr.splitlines()[-1].startswith("ImportError: ulpine: libulpine_analysis.so is not found (")
    assert in_python("import ulpine; ulpine.nothing").stderr.splitlines()[-1] == "AttributeError: module 'ulpine' has no attribute 'nothing'"


def test_files_that_python_has_open_are_still_closed_at_exit(tmp_path):
    """HDF5 is one for all of a process: reading with Ulpine first must not keep it from writing what others left open."""
    zeros().to_netcdf(tmp_path / "zeros", engine="netcdf4")
    text = f"""
import ctypes, ulpine
ulpine.compare({str(tmp_path / 'zeros')!r}, {str(tmp_path / 'zeros')!r})
import netCDF4
file = netCDF4.Dataset({str(tmp_path / 'open.nc')!r}, "w")
file.createDimension("x", 3)
file.createVariable("v", "f8", ("x",))[:] = [1, 2, 3]
ctypes.pythonapi.Py_IncRef(ctypes.py_object(file))  # it is not closed by Python
"""
    done = in_python(text)
    assert done.returncode == 0, done.stderr
    with xr.open_dataset(tmp_path / "open.nc", engine="netcdf4") as data:
        assert data.v.values.tolist() == [1, 2, 3]
