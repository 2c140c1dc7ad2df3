# SPDX-License-Identifier: Apache-2.0
"""Rules of others on the same runs: each says whether new runs are found.

`evv`: Kolmogorov-Smirnov tests of the annual global means (EVV: Mahajan et al. 2019), one rejection after Benjamini and Yekutieli at 5 %, or 13 of all at 5 %.
`pycect` and `probtest` call the user's own installation of these programs: PyCECT reads the very files, probtest gets its statistics of each level.
"""
import contextlib
import io
import logging
import pathlib
import random
import sys
import warnings

import numpy
from scipy import stats

from ensembles import MEASURES, missing


class Evv:
    def __init__(self, source, members):
        self.source, self.means = source, source.means(members).mean(axis=2)

    def finds(self, runs, files):
        new = self.source.means(runs).mean(axis=2)
        p = numpy.array([stats.ks_2samp(b, a).pvalue if numpy.isfinite(b).all() else numpy.nan for a, b in zip(self.means, new)])
        p = numpy.sort(p[~numpy.isnan(p)])
        ranks = numpy.arange(1, len(p) + 1)
        corrected = p <= 0.05 * ranks / len(p) / (1 / ranks).sum()
        return bool(corrected.any() or (p < 0.05).sum() >= 13)


class PyCect:
    """pyCECT.py with its defaults for MPAS, on 3 of the new runs; of more runs on all combinations of 3, too (--eet)."""

    def __init__(self, library, source, files):
        self.library, self.source = library, source
        meshes = list(MEASURES)
        self.names = [[v.name for v in source.variables if v.mesh == mesh] for mesh in meshes]
        self.all_names = [name for names in self.names for name in names]
        self.communicator = sys.modules["pyTools"].create_comm(True)
        with contextlib.redirect_stdout(io.StringIO()):
            means = self.means(files)
            self.mu, self.sigma, _, self.loadings, self.sigma_scores, left_out, _, _ = library.pre_PCA(means, self.all_names, [], self.communicator)
        self.kept = [i for i, name in enumerate(self.all_names) if name not in left_out]

    def means(self, files):
        return numpy.concatenate(self.library.generate_global_mean_for_summary_MPAS([str(file) for file in files], *self.names, {"tslice": self.source.times - 1}))

    def decides(self, scores, files, eet):
        options = {"nPC": 26 if len(self.kept) >= 26 else int(0.8 * len(self.kept)), "sigMul": 2, "minPCFail": 3, "minRunFail": 2, "numRunFile": 3, "eet": eet, "saveEET": ""}
        return self.library.comparePCAscores(files, scores, self.sigma_scores, options, self.communicator)[1] == "FAILED"

    def finds(self, runs, files):
        with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                means = self.means(files)[self.kept]
            except SystemExit:  # NaN in a file
                return True
            names = [self.all_names[i] for i in self.kept]
            scores, _, _ = self.library.standardized(means, self.mu, self.sigma, self.loadings, names, {}, self.communicator)
            scores = numpy.real(scores)
            if self.decides(scores[:, :3], files[:3], 0):
                return True
            return len(files) > 3 and self.decides(scores, files, len(files))


class Probtest:
    """`probtest check` of each new run with the largest differences of all members to the first of them and its factor of 5."""

    def __init__(self, library, source, members):
        self.library, self.source = library, source
        frames = [self.frame(members, run) for run in range(len(next(iter(members.values()))))]
        self.reference = frames[0]
        largest = None
        for frame in frames[1:]:
            difference = library.compute_rel_diff_dataframe(self.reference, frame).groupby(["file_ID", "variable"]).max()
            largest = difference if largest is None else numpy.maximum(largest, difference)
        library.force_monotonic(largest)
        self.tolerance = 5.0 * largest

    def frame(self, runs, run):
        """Mean, largest and smallest of each level at each time, as `probtest stats` lays them out."""
        pandas = self.library.pd
        rows, keys = [], []
        for v in self.source.variables:
            if v.name not in runs:
                continue
            values = numpy.where(missing(runs[v.name][run]), numpy.nan, runs[v.name][run])
            gone = missing(runs[v.name][run]).any()  # with a fill value, what is missing is skipped
            mean, largest, smallest = (numpy.nanmean, numpy.nanmax, numpy.nanmin) if gone else (numpy.mean, numpy.max, numpy.min)
            statistics = numpy.stack([mean(values, axis=1), largest(values, axis=1), smallest(values, axis=1)], axis=1)  # times, statistics, levels
            for level in range(values.shape[2]):
                keys.append(("file", v.name, level))
                rows.append(statistics[:, :, level].ravel())
        columns = pandas.MultiIndex.from_product([range(self.source.times), ["mean", "max", "min"]], names=("time", "statistic"))
        return pandas.DataFrame(rows, index=pandas.MultiIndex.from_tuples(keys, names=("file_ID", "variable", "height")), columns=columns)

    def passes(self, frame):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            _, reference, current = self.library.check_intersection(self.reference, frame)
        difference = self.library.compute_rel_diff_dataframe(reference, current).mask(reference.isna() ^ current.isna(), numpy.inf)
        difference = difference.groupby(["file_ID", "variable"]).max()
        return self.library.check_variable(difference, self.tolerance.loc[difference.index])[0]

    def finds(self, runs, files):
        return not all(self.passes(self.frame(runs, run)) for run in range(len(files)))


def libraries(pycect, probtest):
    """The modules of the user's own installations; nothing where none is named."""
    found = {}
    for name, folder, module in (("pycect", pycect, "pyEnsLib"), ("probtest", probtest, "util.dataframe_ops")):
        if folder is None:
            continue
        if not pathlib.Path(folder, *module.split(".")).with_suffix(".py").is_file():
            sys.exit(f"{folder}: has no {module} (it is no checkout of {name}) name the folder of one")
        sys.path.insert(0, str(folder))
        __import__(module)
        if name == "pycect":
            __import__("pyTools")
        found[name] = sys.modules[module]
    logging.disable(logging.ERROR)
    random.seed(0)
    return found


def rules(found, source, members, files):
    """The rules of all peers, set up for one ensemble."""
    made = {"evv": Evv(source, members)}
    # PyCECT makes no summary of fewer members than variables.
    if "pycect" in found and len(files) >= len(source.variables):
        made["pycect"] = PyCect(found["pycect"], source, files)
    if "probtest" in found:
        made["probtest"] = Probtest(found["probtest"], source, members)
    return made
