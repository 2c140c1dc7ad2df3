# SPDX-License-Identifier: Apache-2.0
"""Reads a study folder into plain, checked objects; nothing downstream sees raw JSON.

What the report cannot do without (schema, runs with id and policy) is required and its absence an InputError. All else is
optional: a value of the wrong type counts as absent, and non-finite numbers count as undefined.
"""

import json
import math
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import xarray as xr

from ulpine_report import seal

SCHEMA = "ulpine.results/1"
ANSWERS = ("equal", "equivalent", "undecided", "different")


class InputError(Exception):
    """Input that cannot be used; the text is one line `<problem> (<why>) <suggestion>`. Exit code 2."""


@dataclass
class Run:
    """One model run; unperturbed where `member` is None."""

    id: str
    policy: str
    assembly: str
    device: str | None
    epsilon: float | None
    member: int | None
    path: str | None
    wall_s: float | None
    steps: int | None
    cells: int | None
    memory_bytes: float | None
    hash: str | None
    failed: str | None
    metrics: dict  # field -> metric -> float or None
    undefined: dict  # "field.metric" -> reason
    lkf_count: float | None
    lkf_length_km: float | None
    lkf_polylines: list  # arrays of (j, i)
    series: dict  # "time_s" -> array, field -> array of relative L2
    spectrum: dict | None  # "field", "wavenumber", "power"
    integrals: dict  # name -> (initial, final)


@dataclass
class Ensemble:
    """Statistics of the perturbed members of one policy at one amplitude."""

    policy: str
    epsilon: float
    epsilon_text: str
    assembly: str | None
    members: int | None
    lkf_count: tuple  # (mean, sd)
    lkf_length_km: tuple
    detector_count: tuple
    detector_length_km: tuple
    spread: dict  # field -> (mean, sd) of the relative L2
    spectrum: dict | None  # "wavenumber", "mean", "sd"
    growth: dict  # "time_s" -> array, field -> (mean array, sd array)


@dataclass
class Gate:
    name: str
    run: str
    policy: str
    assembly: str
    value: float | None
    limit: float | None
    passed: bool
    skipped: str | None  # why it could not be judged
    reason: str | None  # why it failed without a value


@dataclass
class Evidence:
    """One piece of what a verdict rests on; all of it as results.json says."""

    kind: str  # "error", "statistic" or "gate"
    subject: str
    epsilon_text: str | None
    pairs: int | None
    value: float | None
    interval: tuple | None
    margin: float | None
    detectable: float | None
    answer: str | None  # one of ANSWERS; None where it cannot speak
    reason: str | None


@dataclass
class Verdict:
    """The answer on one unperturbed configuration other than the reference."""

    configuration: str
    policy: str
    assembly: str
    answer: str | None  # one of ANSWERS; None where results.json gives none
    would_decide: str | None
    evidence: list


@dataclass
class Control:
    """LKFs of the reference's own shear times (1 + noise * U(-1, 1)): the detector's share of a signal."""

    policy: str
    noise: float | None
    draws: int | None
    count: tuple
    length_km: tuple


@dataclass
class Study:
    folder: Path
    core: str
    name: str
    case_hash: str | None
    case_text: str | None
    provenance: dict
    reference: str
    runs: list  # unperturbed
    members: list
    ensembles: list
    gates: list
    statistics: dict  # name -> units
    verdicts: list
    controls: list
    bitwise: list  # (hash, [run ids])
    answer: str | None  # on the study as a whole, one of ANSWERS
    would_decide: str | None
    notes: list
    plan: dict  # what the study was asked for, from manifest.json
    run_states: dict  # state -> how many runs, from manifest.json
    problems: list = field(default_factory=list)  # what could not be read, said in the report

    @property
    def policies(self):
        """Policies in the order of the runs, the reference's first."""
        names = dict.fromkeys(run.policy for run in self.runs)
        first = self.reference_policy
        return ([first] if first in names else []) + [name for name in names if name != first]

    @property
    def reference_policy(self):
        return self.reference.split("/")[0]

    @property
    def reference_run(self):
        return next((run for run in self.runs if run.id == self.reference), None)

    def run_of(self, policy):
        """The unperturbed run that stands for a policy in figures: deterministic where there is one, not failed."""
        runs = [run for run in self.runs if run.policy == policy]
        return min(runs, key=lambda run: (run.failed is not None, run.assembly != "deterministic"), default=None)

    @property
    def fields(self):
        return list(dict.fromkeys(name for run in self.runs for name in run.metrics))


def number(value):
    """A finite float or None."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    try:
        value = float(value)
    except OverflowError:
        return None
    return value if math.isfinite(value) else None


def integer(value):
    value = number(value)
    return None if value is None else int(value)


def text(value):
    return value if isinstance(value, str) and value else None


def mapping(value):
    return value if isinstance(value, dict) else {}


def objects(value):
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def array(value):
    """1-D float array with NaN for what is no number."""
    if not isinstance(value, list):
        return np.empty(0)
    return np.array([math.nan if number(item) is None else number(item) for item in value])


def mean_sd(value, mean="mean", sd="sd"):
    value = mapping(value)
    return number(value.get(mean)), number(value.get(sd))


def power_text(value):
    """2^-23 for 1.19e-7, else the number."""
    exponent = math.log2(value) if value > 0 else 0.5
    return f"2^{round(exponent)}" if abs(exponent - round(exponent)) < 1e-2 else f"{value:.3g}"


def load(folder):
    """The study in `folder`; InputError where there is none or it cannot be used."""
    folder = Path(folder)
    if not folder.is_dir():
        raise InputError(f"{folder}: no such folder (a study folder is what `ulpine ensemble -o DIR` writes) check the path")
    results = read_json(folder / "results.json")
    if results is None:
        raise InputError(f"{folder / 'results.json'}: not there (the report is made from it) run `ulpine ensemble` or `ulpine report`")
    schema = results.get("schema")
    if schema != SCHEMA:
        raise InputError(f"{folder / 'results.json'}: schema {json.dumps(schema)[:60]} (this report reads {SCHEMA}) use the ulpine version that wrote the study")
    if not isinstance(results.get("runs"), list):
        raise InputError(f"{folder / 'results.json'}: runs: not a list (every study has runs) make the study anew")

    problems = []
    plan, run_states = read_manifest(folder / "manifest.json", problems)
    runs = [read_run(folder, index, raw) for index, raw in enumerate(results["runs"])]
    by_id = {run.id: run for run in runs}
    unperturbed = [run for run in runs if run.member is None and run.epsilon is None]
    case = mapping(results.get("case"))
    reference = text(results.get("reference")) or "fp64/deterministic"
    if reference not in by_id:
        problems.append(f"The reference run {reference} is not among the runs; comparisons with it are missing.")

    return Study(
        folder=folder, core=text(case.get("core")) or "unknown core", name=text(case.get("name")) or folder.name,
        case_hash=text(case.get("hash")), case_text=read_text(folder / "case.toml"),
        provenance={str(key): provenance_text(value) for key, value in mapping(results.get("provenance")).items()},
        reference=reference, runs=unperturbed, members=[run for run in runs if run not in unperturbed],
        ensembles=[ensemble for ensemble in map(read_ensemble, objects(results.get("ensembles"))) if ensemble],
        gates=[read_gate(raw, by_id) for raw in objects(results.get("gates"))],
        statistics={str(raw.get("name")): text(raw.get("units")) or "" for raw in objects(results.get("statistics"))},
        verdicts=[read_verdict(raw) for raw in objects(results.get("verdicts"))],
        controls=[Control(str(raw.get("policy")), number(raw.get("noise")), integer(raw.get("draws")), mean_sd(raw.get("count")),
                          mean_sd(raw.get("total_length_km"))) for raw in objects(results.get("lkf_control"))],
        bitwise=[(text(raw.get("hash")) or "", [str(run) for run in raw.get("runs") or []] if isinstance(raw.get("runs"), list) else [])
                 for raw in objects(results.get("bitwise"))],
        answer=answer(results.get("answer")), would_decide=text(results.get("would_decide")),
        notes=[str(note) for note in results.get("notes")] if isinstance(results.get("notes"), list) else [],
        plan=plan, run_states=run_states, problems=problems)


def read_json(path):
    """The object in a JSON file, None where there is no file."""
    try:
        data = path.read_bytes()
        value = json.loads(data.decode("utf-8"))
    except FileNotFoundError:
        return None
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}) check its permissions") from None
    except (ValueError, RecursionError) as error:
        line = f"line {error.lineno}: {error.msg}" if isinstance(error, json.JSONDecodeError) else type(error).__name__
        raise InputError(f"{path}: no valid JSON ({line}) make it anew with `ulpine report`") from None
    if not isinstance(value, dict):
        raise InputError(f"{path}: no JSON object at the top ({type(value).__name__}) make it anew with `ulpine report`")
    if not seal.is_whole(data):
        raise InputError(f"{path}: was altered (its seal does not fit its content) make it anew with `ulpine report`")
    return value


def read_text(path):
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None


def provenance_text(value):
    if isinstance(value, str):
        return value
    return json.dumps(value) if value is not None else ""


def read_run(folder, index, raw):
    where = f"{folder / 'results.json'}: runs[{index}]"
    if not isinstance(raw, dict):
        raise InputError(f"{where}: not an object (a run has keys) make it anew with `ulpine report`")
    for key in ("id", "policy"):
        if not text(raw.get(key)):
            raise InputError(f"{where}.{key}: missing or no text (every run needs it) make it anew with `ulpine report`")
    series, lkf = mapping(raw.get("series")), mapping(raw.get("lkf"))
    spectrum = mapping(raw.get("spectrum"))
    polylines = []
    for feature in objects(lkf.get("features")):
        cells = feature.get("cells")
        if isinstance(cells, list) and all(isinstance(cell, list) and len(cell) == 2 for cell in cells):
            polylines.append(np.array([[number(c) if number(c) is not None else math.nan for c in cell] for cell in cells]).reshape(-1, 2))
    return Run(
        id=raw["id"], policy=raw["policy"], assembly=text(raw.get("assembly")) or "", device=text(raw.get("device")),
        epsilon=number(raw.get("epsilon")), member=integer(raw.get("member")), path=text(raw.get("path")), wall_s=number(raw.get("wall_s")),
        steps=integer(raw.get("steps")), cells=integer(raw.get("cells")), memory_bytes=number(raw.get("memory_bytes")), hash=text(raw.get("hash")),
        failed=text(raw.get("failed")) or ("failed" if raw.get("failed") is True else None),
        metrics={str(name): {str(key): number(value) for key, value in mapping(values).items()} for name, values in mapping(raw.get("metrics")).items()},
        undefined={str(key): str(value) for name in ("undefined", "incomparable") for key, value in mapping(raw.get(name)).items()},
        lkf_count=number(lkf.get("count")), lkf_length_km=number(lkf.get("total_length_km")), lkf_polylines=polylines,
        series={"time_s": array(series.get("time_s")),
                **{str(name): array(mapping(values).get("l2_relative")) for name, values in mapping(series.get("fields")).items()}},
        spectrum={"field": text(spectrum.get("field")) or "", "wavenumber": array(spectrum.get("wavenumber")), "power": array(spectrum.get("power"))}
        if spectrum else None,
        integrals={str(name): mean_sd(values, "initial", "final") for name, values in mapping(raw.get("integrals")).items()})


def read_ensemble(raw):
    epsilon = number(raw.get("epsilon"))
    if not text(raw.get("policy")) or epsilon is None:
        return None
    detector, spectrum, growth = (mapping(raw.get(key)) for key in ("lkf_detector", "spectrum", "growth"))
    return Ensemble(
        policy=raw["policy"], epsilon=epsilon, epsilon_text=text(raw.get("epsilon_text")) or power_text(epsilon), assembly=text(raw.get("assembly")),
        members=integer(raw.get("members")), lkf_count=mean_sd(raw.get("lkf_count")), lkf_length_km=mean_sd(raw.get("lkf_total_length_km")),
        detector_count=mean_sd(detector, "count_mean", "count_sd"), detector_length_km=mean_sd(detector, "length_mean", "length_sd"),
        spread={str(name): mean_sd(values, "l2_relative_mean", "l2_relative_sd") for name, values in mapping(raw.get("spread")).items()},
        spectrum={key: array(spectrum.get(key)) for key in ("wavenumber", "mean", "sd")} if spectrum else None,
        growth={"time_s": array(growth.get("time_s")),
                **{str(name): (array(mapping(values).get("mean")), array(mapping(values).get("sd")))
                   for name, values in mapping(growth.get("fields")).items()}})


def read_gate(raw, by_id):
    run = str(raw.get("run") or "")
    parts = run.split("/")
    known = by_id.get(run)
    return Gate(name=str(raw.get("name") or "unnamed"), run=run, policy=known.policy if known else parts[0],
                assembly=known.assembly if known else "/".join(parts[1:2]), value=number(raw.get("value")), limit=number(raw.get("limit")),
                passed=raw.get("passed") is True and not raw.get("skipped"),
                skipped=str(raw["skipped"]) if raw.get("skipped") else ("no result given" if not isinstance(raw.get("passed"), bool) else None),
                reason=text(raw.get("reason")))


def answer(value):
    return value if isinstance(value, str) and value in ANSWERS else None


def read_verdict(raw):
    return Verdict(configuration=str(raw.get("configuration") or "unnamed"), policy=str(raw.get("policy") or ""), assembly=text(raw.get("assembly")) or "",
                   answer=answer(raw.get("answer")), would_decide=text(raw.get("would_decide")),
                   evidence=[read_evidence(item) for item in objects(raw.get("evidence"))])


def read_evidence(raw):
    bounds = [number(bound) for bound in raw["interval"]] if isinstance(raw.get("interval"), list) else []
    return Evidence(kind=str(raw.get("kind") or ""), subject=str(raw.get("subject") or ""), epsilon_text=text(raw.get("epsilon_text")),
                    pairs=integer(raw.get("pairs")), value=number(raw.get("value")),
                    interval=tuple(bounds) if len(bounds) == 2 and None not in bounds else None, margin=number(raw.get("margin")),
                    detectable=number(raw.get("detectable")), answer=answer(raw.get("answer")), reason=text(raw.get("reason")))


def read_manifest(path, problems):
    """(plan, how many runs are in which state); both empty without a manifest."""
    try:
        manifest = read_json(path) or {}
    except InputError as error:
        problems.append(str(error))
        return {}, {}
    counts = {}
    for entry in objects(list(mapping(manifest.get("runs")).values())):
        state = text(entry.get("state"))
        if state:
            counts[state] = counts.get(state, 0) + 1
    return mapping(manifest.get("plan")), counts


@dataclass
class Map:
    """A horizontal field at one time; NaN over land. Axes in km where the file has metres, else as they are."""

    values: np.ndarray  # (y, x)
    x: np.ndarray
    y: np.ndarray
    axis_unit: str
    units: str
    time_s: float | None


@dataclass
class Maps:
    """The mapped field of one run per policy, all of one shape."""

    name: str
    level: str  # which level of a 3-D field, else empty
    by_policy: dict  # policy -> Map
    runs: dict  # policy -> Run


def load_maps(study):
    """Last common map per policy: `shear` where there is one, else the first common field of two horizontal dimensions.

    Returns (Maps or None, attribution texts); what cannot be read goes into study.problems.
    """
    files, attributions = {}, []
    for policy in study.policies:
        run = study.run_of(policy)
        if run.failed or not run.path:
            continue
        file = (study.folder / run.path / "output.nc").resolve()
        if not file.is_relative_to(study.folder.resolve()):
            study.problems.append(f"{run.id}: its path leads out of the study folder; its output was not read.")
            continue
        try:
            data = xr.open_dataset(file, decode_times=False)
        except (OSError, ValueError, RuntimeError) as error:
            what = "is not there" if isinstance(error, FileNotFoundError) else "cannot be read as NetCDF"
            study.problems.append(f"{run.path}/output.nc {what}; {policy} is missing in the maps.")
            continue
        files[policy] = (run, data)
        attribution = data.attrs.get("attribution")
        if isinstance(attribution, str) and attribution not in attributions:
            attributions.append(attribution)
    try:
        return choose_maps(study, files), attributions
    finally:
        for _, data in files.values():
            data.close()


def time_dimension(variable):
    return next((dimension for dimension in variable.dims if dimension.lower() in ("time", "t")), None)


def choose_maps(study, files):
    """Maps of the best field of `files` (policy -> (run, dataset)); None where there is no field to map."""
    if not files:
        return None

    def rank(name):
        ranks = []
        for _, data in files.values():
            variable = data.variables.get(name)
            time = time_dimension(variable) if variable is not None and variable.dtype.kind in "fi" else None
            if time is None or variable.shape[variable.dims.index(time)] == 0:
                return 0
            ranks.append(len(variable.dims) - 1 if min(variable.shape[-2:]) > 1 else 0)
        return ranks[0] if len(set(ranks)) == 1 and ranks[0] in (2, 3) else 0

    first = next(iter(files.values()))[1]
    names = [str(name) for name in first.data_vars]
    candidates = [name for name in names if rank(name) == 2] or [name for name in names if rank(name) == 3]
    if not candidates:
        return None
    name = "shear" if "shear" in candidates else candidates[0]
    maps, runs, level = {}, {}, ""
    for policy, (run, data) in files.items():
        try:
            maps[policy], level = read_map(data, name)
            runs[policy] = run
        except (OSError, RuntimeError, ValueError, IndexError):
            study.problems.append(f"{run.path}/output.nc: {name} cannot be read (is the file cut short?); {policy} is missing in the maps.")
    shape = next((maps[p].values.shape for p in maps), None)
    for policy in [policy for policy in maps if maps[policy].values.shape != shape]:
        study.problems.append(f"{runs[policy].path}/output.nc: another shape than the others; {policy} is missing in the maps.")
        del maps[policy]
    return Maps(name, level, maps, runs) if maps else None


def read_map(data, name):
    """(Map, level text) of a variable at its last time; of a 3-D field the middle level."""
    variable = data[name]
    time = time_dimension(variable)
    seconds = number(data[time].values[-1].item()) if time in data.coords and data[time].dtype.kind in "fi" else None
    variable = variable.isel({time: -1})
    level = ""
    if variable.ndim == 3:
        vertical = variable.dims[0]
        middle = variable.sizes[vertical] // 2
        variable = variable.isel({vertical: middle})
        level = f"level {middle} of {data[name].sizes[vertical]} along {vertical}"
    values = np.array(variable.values, dtype=float)
    if "mask" in data and data["mask"].dims == variable.dims and data["mask"].shape == values.shape:
        values[~(data["mask"].values > 0)] = math.nan
    coordinates = [data[dimension] if dimension in data.coords else None for dimension in variable.dims]
    if any(axis is None or axis.dtype.kind not in "fi" or axis.ndim != 1 for axis in coordinates):
        axes, unit = [np.arange(size, dtype=float) for size in values.shape], "cells"
    else:
        axes, unit = [np.array(axis.values, dtype=float) for axis in coordinates], str(coordinates[0].attrs.get("units", "m"))
    if unit in ("m", "metre", "metres", "meter", "meters"):
        axes, unit = [axis / 1000 for axis in axes], "km"
    return Map(values, axes[1], axes[0], unit, str(variable.attrs.get("units", "")), seconds), level
