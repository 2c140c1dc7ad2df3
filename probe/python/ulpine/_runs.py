# SPDX-License-Identifier: Apache-2.0
"""Many runs at once: the answers of `ulpine consistency` and `ulpine digits --samples-from`."""
import os

import xarray as xr

from . import _analysis, _files, _verification


def _named(runs, label):
    """The runs by the names of their files; those of a list are named by their number."""
    if runs is None:
        return {}
    if _files.is_path(runs) or isinstance(runs, (xr.Dataset, xr.DataArray)):
        runs = [runs]
    named = {}
    for name, run in runs.items() if isinstance(runs, dict) else ((f"{number:04}", run) for number, run in enumerate(runs)):
        name = str(name)
        if os.sep in name or name in ("", ".", ".."):
            raise ValueError(f"{label}: '{name}' is no name of a run (it would be that of a folder) choose one without '{os.sep}'")
        if _files.is_path(run) and os.path.exists(os.path.join(run, "manifest.json")):
            raise ValueError(f"{label}: {os.fspath(run)} is a study (its runs are of several configurations) give open_study(...).members() of it")
        named[f"{label}/{name}"] = run
    return named


def _paths(groups, files):
    """Of each group of runs a list of their paths."""
    named = {label: _named(runs, label) for label, runs in groups.items()}
    together = {name: run for runs in named.values() for name, run in runs.items()}
    paths = dict(zip(together, files.paths(together)))
    return {label: [paths[name] for name in runs] for label, runs in named.items()}


def _alone(paths, key):
    """Of a group of one run its path, or None."""
    return {**paths, key: paths[key][0] if paths[key] else None}


def _one(run):
    return None if run is None else {"run": run}


def consistency(ensemble, tests, *, unperturbed=None, control=None, truth=None, methods=None, variables=None, times="all", levels=False, weights=None, parameters=None, seed=1,
                progress=None):
    """Are new runs statistically the same as an ensemble? What `ulpine consistency --json` prints, as a dictionary (docs/explanation/consistency.md).

    ensemble, tests  the accepted and the new runs: a list, or a dictionary by name, of Datasets, DataArrays, files and folders of files; of the ensemble also a summary file
    unperturbed      the accepted run without noise, for tolerance and growth
    control, truth   as of the command: other accepted runs; runs with a shorter step, one for each member
    methods, variables, times, levels, weights, seed  as of the command
    parameters       {"pca.sigma": 2}
    progress         called with (fraction, what is read); an exception within it ends the call

    Objects in memory are written as NetCDF, each value as it is, into a temporary folder (as by compare()), which needs room for all runs at once; runs are read as they are needed.
    """
    with _files.Files() as files:
        paths = _alone(_paths({"ensemble": ensemble, "tests": tests, "control": control, "truth": truth, "unperturbed": _one(unperturbed)}, files), "unperturbed")
        request = {**paths,
                   "methods": _analysis._names(methods), "variables": _analysis._names(variables), "times": times, "levels": bool(levels),
                   "weights": _analysis.weights_text(weights, files), "seed": _analysis._whole("seed", seed),
                   "parameters": {str(key): value if isinstance(value, str) else _analysis._parameter(value) for key, value in (parameters or {}).items()}}
        return _unsealed(_verification.call_with_progress("ulpine_consistency", request, progress, files))


def significant_digits(samples, *, nearest=None, wider=None, mantissa=53, variables=None, relative=False, absolute=False, scales=None, probability=None, confidence=None, progress=None):
    """How many bits of each field hold under arithmetic that rounds at random: what `ulpine digits --samples-from --json` prints, as a dictionary (docs/how-to/digits.md).

    samples      outputs of runs that differ in their random rounding alone: a list of Datasets, DataArrays, arrays of numpy or files
    nearest      the run with usual rounding, to hold against `wider`, a run in a wider arithmetic
    mantissa     bits of the arithmetic: 24 of float
    variables    these alone
    relative     errors relative to each point's mean
    absolute     errors over the leading bit of each point's mean
    scales       {field: number}: what the field's errors are relative to, in its units; without it its root mean square
    probability, confidence  0.95 each
    progress     as of consistency()

    Objects in memory are written into a temporary folder, as by consistency().
    """
    with _files.Files() as files:
        paths = _alone(_alone(_paths({"samples": samples, "nearest": _one(nearest), "wider": _one(wider)}, files), "nearest"), "wider")
        request = {**paths, "mantissa": _analysis._whole("mantissa", mantissa),
                   "variables": _analysis._names(variables), "relative": bool(relative), "absolute": bool(absolute), "scales": {str(name): _analysis._number(scale) for name, scale in (scales or {}).items()},
                   "probability": _analysis._number(probability), "confidence": _analysis._number(confidence)}
        return _unsealed(_verification.call_with_progress("ulpine_digits", request, progress, files))


def _unsealed(document):
    """Without the seal, which is of the file that the command writes."""
    document.pop("seal", None)
    return document
