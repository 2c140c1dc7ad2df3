# SPDX-License-Identifier: Apache-2.0
"""Changes of new runs that a test of consistency is to find, each a function of the runs and of what they are drawn from.

A change gives runs of its own, or nothing where it does not apply. The function's name is that of the row; what it says is told in the table.
"""
import numpy

from ensembles import FILL, missing

CHANGES = {}


def change(function):
    CHANGES[function.__name__] = function
    return function


class Setting:
    """The accepted runs that a change is measured by, and random numbers of its own."""

    def __init__(self, source, members, rng):
        self.source, self.members, self.rng = source, members, rng
        self.names = [v.name for v in source.variables]
        self.mesh = {v.name: v.mesh for v in source.variables}
        means = source.means(members)
        self.last = dict(zip(self.names, means[:, :, -1].std(axis=1, ddof=1)))
        self.annual = dict(zip(self.names, means.mean(axis=2).std(axis=1, ddof=1)))
        self.first = self.names[0]


def copied(runs):
    return {name: values.copy() for name, values in runs.items()}


def added(runs, name, offset, where=...):
    """A copy in which values that are not missing have an offset, at `where` of the array."""
    runs = copied(runs)
    part = runs[name][where]
    runs[name][where] = numpy.where(missing(part), part, part + offset)
    return runs


def count(runs):
    return len(next(iter(runs.values())))


def broken(runs, setting, how_many):
    if count(runs) < how_many:
        return None
    for name in setting.names:
        runs = added(runs, name, 1000 * setting.last[name], numpy.s_[:how_many])
    return runs


def all_off(runs, setting, by):
    for i, name in enumerate(setting.names):
        runs = added(runs, name, by * setting.last[name] * (-1) ** i)
    return runs


@change
def equal(runs, setting):
    """nothing changed"""
    return runs


@change
def one_run_1000_sd(runs, setting):
    """one run: all variables 1000 sd off"""
    return broken(runs, setting, 1)


@change
def two_runs_1000_sd(runs, setting):
    """two such runs"""
    return broken(runs, setting, 2)


@change
def three_runs_1000_sd(runs, setting):
    """three such runs"""
    return broken(runs, setting, 3)


@change
def four_runs_1000_sd(runs, setting):
    """four such runs"""
    return broken(runs, setting, 4)


@change
def one_point_1e20(runs, setting):
    """one run: one point 1e20 at the last time"""
    runs = copied(runs)
    runs[setting.first][0, -1, 0, 0] = 1e20
    return runs


@change
def mirrored(runs, setting):
    """a field mirrored in all runs"""
    runs = copied(runs)
    runs[setting.first] = runs[setting.first][:, :, ::-1]
    return runs


@change
def many_off_1_sd(runs, setting):
    """all variables 1 sd off"""
    return all_off(runs, setting, 1)


@change
def many_off_3_sd(runs, setting):
    """all variables 3 sd off"""
    return all_off(runs, setting, 3)


@change
def many_off_10_sd(runs, setting):
    """all variables 10 sd off"""
    return all_off(runs, setting, 10)


@change
def many_off_1000_sd(runs, setting):
    """all variables 1000 sd off"""
    return all_off(runs, setting, 1000)


@change
def eleven_months(runs, setting):
    """all months but the last 2.3 sd of the annual mean off"""
    name = setting.first
    return added(runs, name, 2.3 * setting.annual[name] * 12 / 11, numpy.s_[:, :-1]) if setting.source.times > 1 else None


@change
def one_month(runs, setting):
    """one month 3 sd off"""
    return added(runs, setting.first, 3 * setting.last[setting.first], numpy.s_[:, 4]) if setting.source.times > 4 else None


@change
def first_month_1000_sd(runs, setting):
    """the first month 1000 sd off"""
    return added(runs, setting.first, 1000 * setting.last[setting.first], numpy.s_[:, 0]) if setting.source.times > 1 else None


@change
def level_biased(runs, setting):
    """a level 5 sd off, the others so that the mean stays"""
    if setting.source.variables[0].levels == 1:
        return None
    off, levels = 5 * setting.last[setting.first], setting.source.variables[0].levels
    runs = added(runs, setting.first, -off / (levels - 1), numpy.s_[..., 1:])
    return added(runs, setting.first, off, numpy.s_[..., 0])


@change
def region_biased(runs, setting):
    """a quarter of the points 5 sd off, the others so that the mean stays"""
    weights = setting.source.weights[setting.mesh[setting.first]]
    part = len(weights) // 4
    off = 5 * setting.last[setting.first]
    runs = added(runs, setting.first, -off * weights[:part].sum() / weights[part:].sum(), numpy.s_[:, :, part:])
    return added(runs, setting.first, off, numpy.s_[:, :, :part])


@change
def swapped(runs, setting):
    """two variables of one mean and spread swapped"""
    if "uZonal" not in runs or "uMeridional" not in runs or runs["uZonal"].shape != runs["uMeridional"].shape:
        return None
    return dict(runs, uZonal=runs["uMeridional"], uMeridional=runs["uZonal"])


@change
def missing_point(runs, setting):
    """one more point missing"""
    runs = copied(runs)
    runs[setting.first][:, :, 3] = FILL
    return runs


@change
def missing_as_zero(runs, setting):
    """missing values written as 0"""
    if not any(missing(values).any() for values in runs.values()):
        return None
    return {name: numpy.where(missing(values), 0, values) for name, values in runs.items()}


@change
def other_units(runs, setting):
    """a variable in other units"""
    return added(runs, setting.first, -273.15) if setting.source.name == "made" else dict(runs, **{setting.first: runs[setting.first] * 1000})


@change
def correlation(runs, setting):
    """each variable of another run: correlations alone"""
    return {name: numpy.roll(values, i, axis=0) for i, (name, values) in enumerate(runs.items())} if count(runs) > 3 else None


@change
def one_run_one_variable(runs, setting):
    """one run: one variable 6 sd off"""
    return added(runs, setting.first, 6 * setting.last[setting.first], numpy.s_[:1])


@change
def shift_3_sd(runs, setting):
    """one variable 3 sd off"""
    return added(runs, setting.first, 3 * setting.last[setting.first])


def spread(runs, setting, factor):
    runs = copied(runs)
    for name in setting.names:
        centre = setting.members[name].mean(axis=0)
        runs[name] = numpy.where(missing(runs[name]), FILL, centre + factor * (runs[name] - centre))
    return runs


@change
def spread_up(runs, setting):
    """spreads of all variables x 3"""
    return spread(runs, setting, 3)


@change
def spread_down(runs, setting):
    """spreads of all variables / 5"""
    return spread(runs, setting, 0.2)


@change
def at_climatology(runs, setting):
    """all runs stuck at the members' mean"""
    return spread(runs, setting, 0)


@change
def lag(runs, setting):
    """one month late"""
    return {name: numpy.roll(values, 1, axis=1) for name, values in runs.items()} if setting.source.times > 1 else None


@change
def constant_field(runs, setting):
    """a field constant in space, of the right mean"""
    weights = setting.source.weights[setting.mesh[setting.first]]
    runs = copied(runs)
    runs[setting.first][:] = numpy.average(runs[setting.first], axis=-2, weights=weights)[..., None, :]
    return runs


@change
def rounded(runs, setting):
    """all values rounded to 3 digits"""
    def three_digits(values):
        kept = missing(values) | (values == 0)
        scale = 10.0 ** (2 - numpy.floor(numpy.log10(numpy.abs(numpy.where(kept, 1, values)))))
        return numpy.where(kept, values, numpy.round(values * scale) / scale)
    return {name: three_digits(values) for name, values in runs.items()}


@change
def sign_flipped(runs, setting):
    """a variable of other sign"""
    name = "uMeridional" if "uMeridional" in runs else setting.first
    return dict(runs, **{name: -runs[name]})


@change
def noise(runs, setting):
    """noise of points, 3 times as large as theirs, whose mean is 0"""
    runs = copied(runs)
    values = runs[setting.first]
    weights = setting.source.weights[setting.mesh[setting.first]]
    extra = setting.rng.normal(size=values.shape) * 3 * setting.members[setting.first].std(axis=0)
    runs[setting.first] = values + extra - numpy.average(extra, axis=-2, weights=weights)[..., None, :]
    return runs


@change
def drift(runs, setting):
    """a drift that reaches 4 sd"""
    times = setting.source.times
    return added(runs, setting.first, 4 * setting.last[setting.first] * numpy.linspace(0, 1, times)[:, None, None]) if times > 1 else None


@change
def level_nan(runs, setting):
    """a level NaN"""
    runs = copied(runs)
    runs[setting.first][..., -1] = numpy.nan
    return runs


@change
def clipped(runs, setting):
    """extremes of points clipped at the members' 80 %"""
    limit = numpy.quantile(setting.members[setting.first], 0.8, axis=0)
    return dict(runs, **{setting.first: numpy.minimum(runs[setting.first], limit)})


@change
def duplicates(runs, setting):
    """all runs copies of one"""
    return {name: numpy.repeat(values[:1], count(runs), axis=0) for name, values in runs.items()}


@change
def smoothed(runs, setting):
    """a field smoothed over neighbours"""
    values = runs[setting.first]
    return dict(runs, **{setting.first: (numpy.roll(values, 1, 2) + values + numpy.roll(values, -1, 2)) / 3})


@change
def renumbered(runs, setting):
    """points of all fields in another order"""
    orders = {mesh: setting.rng.permutation(points) for mesh, points in setting.source.points.items()}
    return {name: values[:, :, orders[setting.mesh[name]]] for name, values in runs.items()}


@change
def without_variable(runs, setting):
    """a variable not written"""
    return {name: values for name, values in runs.items() if name != setting.first}
