# SPDX-License-Identifier: Apache-2.0
"""A study's results as tables."""
import functools
import importlib.util
import json
import pathlib

import numpy as np
import xarray as xr

from . import _report

_SCHEMAS = {"results.json": ("ulpine.results/1",), "run.json": ("ulpine.run/1",), "manifest.json": ("ulpine.manifest/3", "ulpine.manifest/2", "ulpine.manifest/1")}


@functools.lru_cache(maxsize=None)
def _seal():
    spec = importlib.util.spec_from_file_location("ulpine_report_seal", _report.analysis_folder() / "ulpine_report/seal.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _read(path):
    """The object in one of Ulpine's JSON files; ValueError where there is none that is whole."""
    try:
        data = path.read_bytes()
        document = json.loads(data)
    except FileNotFoundError:
        raise ValueError(f"{path}: not there (a study is what `ulpine ensemble -o DIR` writes) check the path, or run `ulpine report`") from None
    except ValueError as error:
        raise ValueError(f"{path}: no valid JSON ({error}) make it anew with `ulpine report`") from None
    known = _SCHEMAS[path.name]
    schema = document.get("schema") if isinstance(document, dict) else None
    if schema not in known:
        raise ValueError(f"{path}: schema {json.dumps(schema)[:60]} (this package reads {', '.join(known)}) use the release that wrote it")
    if not _seal().is_whole(data):
        raise ValueError(f"{path}: was altered (its seal does not fit its content) make it anew with `ulpine report`")
    document.pop("seal", None)
    return document


def open_study(folder):
    """The study in a folder that `ulpine ensemble -o DIR` has made. ValueError where there is none, or a file was altered."""
    return Study(folder)


class Study:
    """Results of a study.

    folder    its path
    results   results.json as a dictionary (docs/reference/studies.md; schemas/results.schema.json)
    manifest  manifest.json as a dictionary, None where there is none
    """

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.results = _read(self.folder / "results.json")
        self.manifest = _read(self.folder / "manifest.json") if (self.folder / "manifest.json").exists() else None

    def __repr__(self):
        case = self.results["case"]
        return f"<study {self.folder}: {case['core']} {case['name']}, {len(self.results['runs'])} runs, {self.answer}>"

    @property
    def answer(self):
        """"equal", "equivalent", "undecided" or "different"."""
        return self.results["answer"]

    @property
    def reference(self):
        """The id of the run that all others are held against."""
        return self.results["reference"]

    @functools.cached_property
    def runs(self):
        """A dictionary a run, done or only planned: what results.json says of it in single values, and `state` and `reason` of the manifest."""
        planned = dict(self.manifest["runs"]) if self.manifest else {}
        rows = []
        for run in self.results["runs"]:
            row = {key: value for key, value in run.items() if not isinstance(value, (dict, list))}
            state = planned.pop(run["id"], {})
            rows.append({**row, "state": state.get("state", "failed" if run["failed"] else "done"), "reason": state.get("reason", "")})
        empty = dict.fromkeys(rows[0]) if rows else {}
        return rows + [{**empty, "id": name, **entry} for name, entry in planned.items()]

    @property
    def verdicts(self):
        """A dictionary a configuration, with `answer`, `evidence` and `would_decide`."""
        return self.results["verdicts"]

    @property
    def gates(self):
        return self.results["gates"]

    @functools.cached_property
    def metrics(self):
        """Metrics of each run's last state against the reference's: a Dataset over `run` and `field`, NaN where undefined (`undefined` of a run in `results` says why)."""
        runs = self.results["runs"]
        fields = list(dict.fromkeys(field for run in runs for field in run["metrics"]))
        data = {}
        # Results of earlier releases do not say what their metrics are.
        known = self.results.get("metrics") or dict.fromkeys((name for run in runs for of_field in run["metrics"].values() for name in of_field), {})
        for metric, about in known.items():
            values = [[_number(run["metrics"].get(field, {}).get(metric)) for field in fields] for run in runs]
            if any(metric in of_field for run in runs for of_field in run["metrics"].values()):
                data[metric] = (("run", "field"), np.array(values, dtype="f8").reshape(len(runs), len(fields)), {"units": about.get("unit", ""), "long_name": about.get("meaning", metric)})
        return xr.Dataset(data, {"run": [run["id"] for run in runs], "field": fields})

    @functools.cached_property
    def series(self):
        """Errors against the reference at each output time, `l2_relative` and `linf`: a Dataset over `run`, `field` and `time` (s), NaN where a run has none."""
        runs = [run for run in self.results["runs"] if "series" in run]
        times = sorted({time for run in runs for time in run["series"]["time_s"]})
        fields = list(dict.fromkeys(field for run in runs for field in run["series"]["fields"]))
        shape = len(runs), len(fields), len(times)
        data = {"l2_relative": np.full(shape, np.nan), "linf": np.full(shape, np.nan)}
        for i, run in enumerate(runs):
            at = np.searchsorted(times, run["series"]["time_s"])
            for field, errors in run["series"]["fields"].items():
                for metric, values in errors.items():
                    data[metric][i, fields.index(field), at] = [_number(value) for value in values]
        return xr.Dataset({name: (("run", "field", "time"), values) for name, values in data.items()},
                          {"run": [run["id"] for run in runs], "field": fields, "time": ("time", times, {"long_name": "time since the start", "units": "s"})})

    @functools.cached_property
    def statistics(self):
        """What is evaluated of each run's last state: a Dataset over `run` with a variable a statistic."""
        runs = self.results["runs"]
        data = {known["name"]: ("run", np.array([_number(run["statistics"].get(known["name"])) for run in runs], dtype="f8"),
                                {"units": known["units"], "long_name": known["long_name"] or known["name"]}) for known in self.results["statistics"]}
        return xr.Dataset(data, {"run": [run["id"] for run in runs]})

    def path(self, run):
        """The folder of a run."""
        rows = {row["id"]: row for row in self.runs}
        if run not in rows:
            raise ValueError(f"{self.folder}: has no run {run!r} ({len(rows)} are in `runs`) choose one of them")
        return self.folder / rows[run]["path"]

    def record(self, run):
        """run.json of a run, as a dictionary."""
        return _read(self.path(run) / "run.json")

    def outputs(self, run, **how):
        """The output of a run, as xarray.open_dataset() gives it, which takes `how`: values are read when they are asked for."""
        path = self.path(run) / "output.nc"
        if not path.exists():
            raise ValueError(f"{path}: not there (the run failed at its start, or has not been done) look at `runs`")
        return xr.open_dataset(path, **how)

    def members(self, configuration=None, epsilon=None, control=False):
        """Paths of the outputs of a configuration's members (the reference's), by run: what consistency() takes. Of several amplitudes the largest, or the one of that text ("2^-10")."""
        rows = [row for row in self.runs if row.get("member") is not None and bool(row.get("control")) == control
                and (control or row.get("ensemble") == (configuration or self.reference)) and (epsilon is None or row.get("epsilon_text") == epsilon)]
        if not rows:
            raise ValueError(f"{self.folder}: no members of {'the control' if control else configuration or self.reference}"
                             f"{f' with {epsilon}' if epsilon else ''} (`runs` lists what there is) choose others, or repeat the study with --members")
        largest = max(row["epsilon"] for row in rows)
        return {row["id"].replace("/", "_"): str(self.folder / row["path"] / "output.nc") for row in rows if row["epsilon"] == largest}

    def plot(self, fields=None):
        """The report's figures: see plot_report()."""
        return _report.plot_report(self.folder, fields)


def _number(value):
    return np.nan if value is None else value
