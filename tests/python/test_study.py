#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Studies and traces as the Python package reads them, and the JSON schemas of their files, all with files that the program makes now."""
import copy
import csv
import json
import os
import re
import subprocess

import helpers

if __name__ == "__main__":
    helpers.main(__file__)

import numpy as np
import pytest
import xarray as xr

import ulpine

CASE = helpers.SOURCE / "cases/seaice/cyclone_quick.toml"
SCHEMAS = helpers.SOURCE / "docs/reference/schemas"


def run_program(*words, codes=(0,)):
    # Without a Python for it the program writes no page, whose pictures take longest.
    done = subprocess.run([helpers.PROGRAM, *map(str, words)], capture_output=True, text=True, check=False, env=dict(os.environ, ULPINE_PYTHON="/bin/false"))
    assert done.returncode in codes, done.stderr


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    folder = tmp_path_factory.mktemp("study") / "study"
    run_program("ensemble", CASE, "-o", folder, "--until", "4 min", "--set", 'output.interval="2 min"', "--policies", "fp64,fp32", "--assemblies", "deterministic",
                "--members", "2", "--epsilons", "2^-20,2^-10", "--quad-until", "0 s", "-q", codes=(0, 1, 4))
    return folder


@pytest.fixture(scope="module")
def traced(tmp_path_factory):
    folder = tmp_path_factory.mktemp("traced") / "run"
    run_program("run", CASE, "-o", folder, "--steps", "2", "--trace", "-q")
    return folder


def test_a_study_is_a_table_of_its_runs(study):
    opened = ulpine.open_study(study)
    raw = json.loads((study / "results.json").read_text())
    assert (opened.answer, opened.reference) == (raw["answer"], "fp64/deterministic")
    assert [row["id"] for row in opened.runs] == [run["id"] for run in raw["runs"]] and {row["state"] for row in opened.runs} == {"done"}
    for run in raw["runs"]:
        for field, metrics in run["metrics"].items():
            for metric, value in metrics.items():
                found = float(opened.metrics[metric].sel(run=run["id"], field=field))
                assert found == value or (value is None and np.isnan(found))
        for field, errors in run["series"]["fields"].items():
            for time, value in zip(run["series"]["time_s"], errors["l2_relative"]):
                found = float(opened.series["l2_relative"].sel(run=run["id"], field=field, time=time))
                assert found == value or (value is None and np.isnan(found))
        for name, value in run["statistics"].items():
            found = float(opened.statistics[name].sel(run=run["id"]))
            assert found == value or (value is None and np.isnan(found))
    assert opened.metrics["rmse"].attrs["long_name"] == raw["metrics"]["rmse"]["meaning"]
    assert opened.verdicts == raw["verdicts"] and opened.record("fp32/deterministic")["policy"] == "fp32"


def test_outputs_of_runs_are_opened_and_compared_as_the_study_did(study):
    opened = ulpine.open_study(study)
    with opened.outputs("fp64/deterministic") as reference, opened.outputs("fp32/deterministic") as test:
        assert reference.sizes["time"] == 3
        found = ulpine.compare(reference, test, times="last", variables=["sivol", "shear"])["variables"]
    for field in ("sivol", "shear"):
        assert found[field]["l2_relative"] == float(opened.metrics["l2_relative"].sel(run="fp32/deterministic", field=field))


def test_members_are_those_of_one_amplitude(study):
    opened = ulpine.open_study(study)
    members = opened.members()
    assert len(members) == 2 and all("eps-2p-10" in path and os.path.exists(path) for path in members.values())
    assert all("fp32" in path and "eps-2p-20" in path for path in opened.members("fp32/deterministic", "2^-20").values())
    with pytest.raises(ValueError, match="no members of fp16/deterministic"):
        opened.members("fp16/deterministic")
    with pytest.raises(ValueError, match="is a study"):
        ulpine.consistency(study, members)
    with pytest.raises(ValueError, match="has no run 'none'"):
        opened.outputs("none")


def test_what_was_altered_is_refused(study, tmp_path):
    for old, new, words in (('"passed"', '"passt"', "was altered"), ("ulpine.results/1", "ulpine.results/9", 'schema "ulpine.results/9"'), ("{", "", "no valid JSON")):
        (tmp_path / "results.json").write_text((study / "results.json").read_text().replace(old, new, 1))
        with pytest.raises(ValueError, match=words):
            ulpine.open_study(tmp_path)


def test_the_figures_of_the_report_come_by_one_call(study):
    pytest.importorskip("matplotlib")
    pytest.importorskip("jinja2")
    before = sorted(study.rglob("*"))
    figures = ulpine.open_study(study).plot(fields=[])
    assert len({figure.name for figure in figures}) == len(figures) > 3
    for figure in figures:
        assert figure.title and figure._repr_png_().startswith(b"\x89PNG")
    assert sorted(study.rglob("*")) == before
    with pytest.raises(ValueError, match="no such folder|not there|nothing"):
        ulpine.plot_report(study / "none")


def test_records_of_a_trace_are_those_of_the_command(traced, tmp_path):
    run_program("trace", traced / "trace.bin", "--csv", tmp_path / "records.csv")
    with open(tmp_path / "records.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    trace = ulpine.open_trace(traced / "trace.bin")
    assert len(trace.records) == len(rows) > 100 and (trace.ranks, trace.notes) == (1, [])
    for record, row in zip(trace.records, rows):
        assert [str(record[key]) for key in ("step", "loops", "stage", "field", "elements", "missing")] == [row[key] for key in ("step", "loops", "stage", "field", "elements", "missing")]
        assert f"{record['hash']:016x}" == row["hash"]
    assert set(trace.records["stage"]) <= set(trace.stages) and set(trace.records["field"]) <= set(trace.fields)


def test_a_trace_that_was_cut_off_is_read_in_part_alone(traced, tmp_path):
    whole = (traced / "trace.bin").read_bytes()
    (tmp_path / "trace.bin").write_bytes(whole[:-9])
    with pytest.raises(ValueError, match="trace.bin"):
        ulpine.open_trace(tmp_path / "trace.bin")
    trace = ulpine.open_trace(tmp_path / "trace.bin", partial=True)
    assert trace.notes and len(trace.records) <= len(ulpine.open_trace(traced / "trace.bin").records)


# ---- the page ----


def test_the_how_to_page_runs(study, traced, tmp_path, monkeypatch):
    """docs/how-to/analyse-in-python.md: its blocks of Python, one after the other, with files of the names that it has."""
    pytest.importorskip("matplotlib").use("agg")
    monkeypatch.setattr("ulpine._report.plot_report", lambda folder, fields: [folder])  # drawn by the test above
    monkeypatch.chdir(tmp_path)
    (tmp_path / "out").mkdir()
    (tmp_path / "out/study").symlink_to(study)
    (tmp_path / "out/run").symlink_to(traced)
    chance = np.random.default_rng(1)
    for name in ("cpu.nc", "gpu.nc"):
        helpers.write_fields(tmp_path / name, chance, shape=(2, 7, 6, 6))
    rows, columns = np.mgrid[:40, :40]
    shear = 1e-5 * (0.02 * np.exp(0.2 * chance.normal(size=(40, 40))) + np.exp(-((rows - 0.6 * columns) ** 2) / 3))
    xr.Dataset({"shear": (("y", "x"), shear, {"units": "s-1"})}).to_netcdf(tmp_path / "ice.nc", engine="netcdf4")

    def run():
        return xr.Dataset({name: (("y", "x"), chance.normal(size=(5, 4)), {"units": "1"}) for name in ("T", "u")})

    known = {"members": [run() for _ in range(12)], "new_run": run()}
    blocks = re.findall(r"```python\n(.*?)```", (helpers.SOURCE / "docs/how-to/analyse-in-python.md").read_text(encoding="utf-8"), re.S)
    assert len(blocks) == 5
    for block in blocks:
        exec(compile(block, "page", "exec"), known)
    assert known["longest"]["length_cells"] > 20 and known["answer"]["outcomes"] and len(known["records"]) > 0


# ---- schemas ----


def objects(node, path=()):
    """The paths of all objects and lists within a document."""
    if isinstance(node, dict):
        yield path, node
        for key, value in node.items():
            yield from objects(value, (*path, key))
    elif isinstance(node, list):
        for index, value in enumerate(node[:1]):
            yield from objects(value, (*path, index))


def validator(name):
    jsonschema = pytest.importorskip("jsonschema")
    if not hasattr(jsonschema, "Draft202012Validator"):
        pytest.skip("jsonschema knows no draft 2020-12")
    schema = json.loads((SCHEMAS / f"{name}.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


@pytest.mark.parametrize("name", ["results", "manifest", "run"])
def test_files_are_as_their_schemas_say(study, traced, name):
    check = validator(name)
    files = {"results": [study / "results.json"], "manifest": [study / "manifest.json"], "run": [*study.rglob("run.json"), traced / "run.json"]}[name]
    assert files
    for file in files:
        document = json.loads(file.read_text())
        assert [f"{list(error.absolute_path)}: {error.message}" for error in check.iter_errors(document)] == []


@pytest.mark.parametrize("name", ["results", "manifest", "run"])
def test_wrong_keys_and_types_are_refused(study, name):
    check = validator(name)
    file = study / ("runs/fp32-deterministic/run.json" if name == "run" else f"{name}.json")
    document = json.loads(file.read_text())
    for key in document:
        for wrong in ({**document, key: [{"wrong": {}}]}, {other: value for other, value in document.items() if other != key}):
            if (name, key) != ("results", "calibration") or key not in wrong:
                assert not check.is_valid(wrong), key
    # Within: a key that no program writes is refused everywhere but where keys are names, whose values have a type.
    refused = 0
    for path, _ in objects(document):
        wrong = copy.deepcopy(document)
        place = wrong
        for step in path:
            place = place[step]
        place["no such key"] = {"neither": ["object", {"nor": "list"}]}
        if path[:1] != ("calibration",):
            assert not check.is_valid(wrong), path
            refused += 1
    assert refused > 3
