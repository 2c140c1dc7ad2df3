# SPDX-License-Identifier: Apache-2.0
"""Ensembles of known truth in files laid out as those of MPAS: values on cells, edges and vertices of a mesh, each with a measure of its own.

Values are arrays of (runs, times, points, levels). A missing value is FILL, and NaN is NaN.
"""
import dataclasses

import netCDF4
import numpy

FILL = netCDF4.default_fillvals["f4"]
MEASURES = {"nCells": "areaCell", "nEdges": "dvEdge", "nVertices": "areaTriangle"}


@dataclasses.dataclass(frozen=True)
class Variable:
    name: str
    mesh: str = "nCells"
    levels: int = 1
    mean: float = 0.0
    sd: float = 1.0
    kind: str = "normal"  # or "rain", never negative and skewed; or "ice", from 0 to 1 and missing on land


def missing(values):
    return values == FILL


def weighted_mean(values, weights, axes):
    """Mean over the points, weighted, then over the other axes, of what is not missing; NaN where anything is."""
    weights = numpy.broadcast_to(weights[:, None], values.shape) * ~missing(values)
    total = numpy.where(missing(values), 0, values) * weights
    with numpy.errstate(all="ignore"):
        return (total.sum(axis=-2) / weights.sum(axis=-2)).mean(axis=axes)


class Source:
    """What runs are drawn from: `variables`, `points` of each part of the mesh, `weights`, `times` and the type that files have."""

    def __init__(self, name, variables, points, times, stored, seed):
        self.name, self.variables, self.points, self.times, self.stored = name, variables, points, times, stored
        self.fixed = numpy.random.default_rng([seed, 77])
        self.weights = {mesh: self.fixed.uniform(0.5, 1.5, count) * 1e10 for mesh, count in points.items()}

    def means(self, runs):
        """Mean over points and levels of each variable, NaN of those that `runs` lacks: (variables, runs, times)."""
        shape = next(iter(runs.values())).shape[:2]
        return numpy.stack([weighted_mean(runs[v.name], self.weights[v.mesh], (-1,)) if v.name in runs else numpy.full(shape, numpy.nan) for v in self.variables])

    def write(self, path, runs, run):
        """Writes one of the runs; variables that `runs` lacks are not in the file."""
        with netCDF4.Dataset(path, "w", format="NETCDF3_64BIT_OFFSET") as file:
            file.set_fill_off()
            file.createDimension("Time", self.times)
            file.createDimension("StrLen", 64)
            for mesh, count in self.points.items():
                file.createDimension(mesh, count)
            for levels in sorted({v.levels for v in self.variables}):
                file.createDimension(f"nVertLevels{levels}", levels)
            xtime = file.createVariable("xtime", "S1", ("Time", "StrLen"))
            arrays = []
            for mesh, measure in MEASURES.items():
                arrays.append((file.createVariable(measure, "f8", (mesh,)), self.weights[mesh]))
            # Of one length across all edges, so that dvEdge and dvEdge * dcEdge weight alike.
            arrays.append((file.createVariable("dcEdge", "f8", ("nEdges",)), numpy.full(self.points["nEdges"], 1e4)))
            for v in self.variables:
                if v.name not in runs:
                    continue
                dimensions = ("Time", v.mesh) + ((f"nVertLevels{v.levels}",) if v.levels > 1 else ())
                variable = file.createVariable(v.name, self.stored, dimensions, fill_value=FILL)
                variable.units = "1"
                variable.set_auto_maskandscale(False)
                values = runs[v.name][run]
                arrays.append((variable, values if v.levels > 1 else values[:, :, 0]))
            xtime[:] = netCDF4.stringtochar(numpy.array([f"2000-{t + 1:02d}-15_00:00:00".ljust(64) for t in range(self.times)], dtype="S64"))
            for variable, values in arrays:
                variable[:] = values


class Made(Source):
    """Ten variables of a year of months: shared modes that last for months, noise of points, an annual cycle, skewed and bounded values."""

    def __init__(self, seed):
        variables = [Variable("theta", levels=3, mean=300), Variable("qv", levels=3, mean=8, sd=0.5), Variable("w", levels=3, sd=0.1),
                     Variable("uZonal", levels=3, mean=3, sd=2), Variable("uMeridional", levels=3, mean=3, sd=2),
                     Variable("pressure", mean=1000, sd=3), Variable("rain", mean=1, sd=0.5, kind="rain"), Variable("ice", mean=0.5, sd=0.1, kind="ice"),
                     Variable("u", mesh="nEdges", levels=3, mean=1, sd=2), Variable("vorticity", mesh="nVertices", levels=3, sd=1e-5)]
        super().__init__("made", variables, {"nCells": 20, "nEdges": 30, "nVertices": 16}, 12, "f4", seed)
        modes, month = 12, numpy.arange(self.times)[:, None, None]
        self.patterns, self.cycle, self.land = {}, {}, self.fixed.choice(20, 4, replace=False)
        for v in variables:
            shape = (self.points[v.mesh], v.levels)
            self.patterns[v.name] = self.fixed.normal(0.3, 0.5, (modes, *shape)) / modes**0.5
            self.cycle[v.name] = self.fixed.normal(0, 1, shape) + 3 * numpy.cos((month + self.fixed.integers(12)) * numpy.pi / 6)

    def draw(self, rng, count, new=False):
        modes = len(next(iter(self.patterns.values())))
        amplitudes = rng.normal(size=(count, self.times, modes))
        for t in range(1, self.times):
            amplitudes[:, t] = 0.7 * amplitudes[:, t - 1] + 0.51**0.5 * amplitudes[:, t]
        runs = {}
        for v in self.variables:
            anomalies = numpy.einsum("rtm,mpl->rtpl", amplitudes, self.patterns[v.name])
            anomalies += rng.normal(0, 0.7, anomalies.shape)
            values = v.mean + v.sd * (anomalies + self.cycle[v.name])
            if v.kind == "rain":
                values = v.mean * numpy.exp(v.sd * (anomalies + 0.3 * self.cycle[v.name]))
            elif v.kind == "ice":
                values = numpy.clip(values, 0, 1)
                values[:, :, self.land] = FILL
            runs[v.name] = values.astype(self.stored).astype("f8")
        return runs


class FromSummary(Source):
    """Means that a summary file of PyCECT for MPAS has, each the mean of a small field of one time. `how`: "drawn" with their covariance; "real" are its members themselves,
    members and new runs being others; or the path of a file that PyCECT saved (--saveResults), whose runs are the new ones."""

    def __init__(self, path, seed, how="drawn"):
        with netCDF4.Dataset(path) as file:
            self.known = numpy.array(file["global_mean"][:])
            names = {mesh: [str(name) for name in netCDF4.chartostring(file[key][:])] if file.dimensions[size].size else []
                     for mesh, key, size in (("nCells", "varCell", "nvarsCell"), ("nEdges", "varEdge", "nvarsEdge"), ("nVertices", "varVertex", "nvarsVertex"))}
        variables = [Variable(name.strip(), mesh) for mesh in names for name in names[mesh]]
        super().__init__(how, variables, {"nCells": 12, "nEdges": 12, "nVertices": 12}, 1, "f8", seed)
        self.how, self.order = how, numpy.random.default_rng([seed, 78])
        self.mean, self.spread = self.known.mean(axis=1), self.known.std(axis=1, ddof=1)
        self.root = numpy.linalg.cholesky(numpy.corrcoef(self.known) + 1e-10 * numpy.eye(len(variables)))
        self.members = self.order.permutation(self.known.shape[1])
        self.patterns = {v.name: self.centred(v, self.fixed.normal(size=(self.points[v.mesh], 1))) for v in variables}

    def centred(self, variable, values):
        weights = self.weights[variable.mesh]
        return values - numpy.average(values, axis=-2, weights=weights)[..., None, :]

    def means_of(self, rng, count, new):
        if self.how == "drawn":
            return self.mean[:, None] + self.spread[:, None] * (self.root @ rng.normal(size=(len(self.mean), count)))
        if self.how == "real" or not new:
            return self.known[:, self.members[-count:] if new else self.members[:count]]
        with netCDF4.Dataset(self.how) as file:
            if [v.name for v in self.variables] != list(file["vars"][:]):
                raise SystemExit(f"{self.how}: other variables than the summary has (it was saved with another one) name its own")
            means = numpy.array(file["gm"][:])
        return means[:, self.order.permutation(means.shape[1])[:count]]

    def draw(self, rng, count, new=False):
        means = self.means_of(rng, count, new)
        runs = {}
        for i, v in enumerate(self.variables):
            noise = self.centred(v, rng.normal(size=(count, 1, self.points[v.mesh], 1)))
            runs[v.name] = means[i][:, None, None, None] + self.spread[i] * (noise + 10 * self.patterns[v.name])
        return runs
