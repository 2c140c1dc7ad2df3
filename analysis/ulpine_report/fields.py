# SPDX-License-Identifier: Apache-2.0
"""Reads from the outputs of a study the fields that are drawn: horizontal maps and vertical sections, on lattices and on meshes.

Which dimension or coordinate is which follows the CF conventions (axis, standard_name, units, positive), meshes UGRID-1.0; where a file
says nothing, the order of the dimensions does: time, vertical, y, x.
"""

import contextlib
import math
import re
from dataclasses import dataclass, field

import numpy as np
import xarray as xr

from . import mesh
from .text import amount, labelled
from .values import is_ordinary

LARGEST_NUMBER = 6  # of figures with maps
METRES = ("m", "metre", "metres", "meter", "meters")
SECONDS = {"second": 1, "seconds": 1, "s": 1, "sec": 1, "minute": 60, "minutes": 60, "min": 60, "hour": 3600, "hours": 3600, "h": 3600, "day": 86400, "days": 86400, "d": 86400}
EAST = ("degrees_east", "degree_east", "degree_E", "degrees_E", "degreeE", "degreesE")
NORTH = ("degrees_north", "degree_north", "degree_N", "degrees_N", "degreeN", "degreesN")
VERTICAL = re.compile(r"z|z_?[cfwns]|lev(el)?s?|height|altitude|depth|pressure|layers?|nz", re.I)
READING = (OSError, RuntimeError, ValueError, IndexError, KeyError, TypeError)  # what the libraries throw at broken or odd files


@dataclass
class Geometry:
    """Where the values of a panel lie: on a lattice, or on polygons or nodes of a mesh."""

    x: np.ndarray  # of columns, or of each point (rows, columns); on a mesh of nodes
    y: np.ndarray
    x_label: str
    y_label: str
    aspect: float | str  # of matplotlib's axes
    downward: bool = False  # y counts from the top
    polygons: list | None = None  # arrays of (corner, 2), a value each
    triangles: np.ndarray | None = None  # nodes of each, a value a node

    @property
    def ratio(self):
        """Height of a panel over its width."""
        if self.aspect == "auto":
            return 0.5
        points = np.concatenate(self.polygons) if self.polygons else np.stack([self.x.ravel()[[0, -1]], self.y.ravel()[[0, -1]]], axis=1)
        if self.triangles is not None or self.x.ndim == 2:
            points = np.stack([self.x.ravel(), self.y.ravel()], axis=1)
        width, height = np.ptp(points, axis=0)
        return float(np.clip(self.aspect * height / width, 0.15, 3)) if width > 0 and height > 0 else 1.0


@dataclass
class Field:
    """A field of one run per policy at the last time, all of one shape; NaN where it is missing."""

    name: str
    long_name: str
    units: str
    kind: str  # "map" or "section"
    scale: str | None  # as asked for
    place: str  # which level or section; empty where there is but one
    time_s: float | None
    geometry: Geometry = None
    values: dict = field(default_factory=dict)  # policy -> array
    runs: dict = field(default_factory=dict)  # policy -> Run
    prefix: str = ""  # of the names of its figures


def load_fields(study):
    """(the fields to draw, attribution texts): those that the core proposes, else a chosen one; what cannot be read goes into study.problems."""
    with outputs(study) as (files, attributions):
        read = [read_field(study, files, *wanted) for wanted in choose(study, files)]
        return [item for item in read if item][:LARGEST_NUMBER], attributions


@contextlib.contextmanager
def outputs(study):
    """(policy -> (run, its open output), attribution texts)."""
    files, attributions = {}, []
    try:
        for policy in study.policies:
            run = study.run_of(policy)
            if run.failed or not run.path:
                continue
            file = (study.folder / run.path / "output.nc").resolve()
            if not file.is_relative_to(study.folder.resolve()):
                study.problems.append(f"{run.id}: its path leads out of the study folder; its output was not read.")
                continue
            try:
                if file.exists() and not is_ordinary(file):
                    raise OSError("no ordinary file")
                data = xr.open_dataset(file, decode_times=False)
            except READING as error:
                what = "is not there" if isinstance(error, FileNotFoundError) else "cannot be read as NetCDF"
                study.problems.append(f"{run.path}/output.nc {what}; {policy} is missing in the maps.")
                continue
            files[policy] = (run, data)
            attribution = data.attrs.get("attribution")
            if isinstance(attribution, str) and attribution not in attributions:
                attributions.append(attribution)
        yield files, attributions
    finally:
        for _, data in files.values():
            data.close()


def choose(study, files):
    """(name, kind, request or None) of each figure: as proposed by the core, else of the most telling field."""
    if not files:
        return []
    asked = [request for request in study.requests if request.kind in ("map", "section")]
    if asked:
        return [(request.subject, request.kind, request) for request in asked]
    first = next(iter(files.values()))[1]
    names = [str(name) for name in first.data_vars]
    shapes = {name: {shape_of(data, name) for _, data in files.values()} for name in names}
    names = study.leading([name for name in names if len(shapes[name]) == 1 and None not in shapes[name]])
    flat = [name for name in names if not View(first, name).has_levels]
    if flat:
        return [(flat[0], "map", None)]
    if not names:
        return []
    topology = View(first, names[0]).topology
    kinds = ("map", "section") if topology is None else ("section",) if topology.is_solid else ("map",)
    return [(names[0], kind, None) for kind in kinds]


def shape_of(data, name):
    """The shape of what can be drawn, else None."""
    try:
        return View(data, name).shape if name in data.data_vars else None
    except READING:
        return None


def read_field(study, files, name, kind, request):
    result = None
    for policy, (run, data) in files.items():
        if name not in data.data_vars:
            continue
        try:
            view = View(data, name)
            if view.shape is None:
                continue
            values, geometry, place = view.section(request) if kind == "section" else view.map(request)
        except READING:
            study.problems.append(f"{run.path}/output.nc: {name} cannot be read (is the file cut short?); {policy} is missing in the maps.")
            continue
        if result is None:
            attributes = data[name].attrs
            result = Field(name, str(attributes.get("long_name") or name), str(attributes.get("units", "")), kind, request.scale if request else None, place,
                           view.time_s, geometry)
        first = next(iter(result.values.values()), values)
        if values.shape != first.shape:
            study.problems.append(f"{run.path}/output.nc: another shape than the others; {policy} is missing in the maps.")
            continue
        result.values[policy], result.runs[policy] = values, run
    if result is None and request:
        study.problems.append(f"No {kind} of {name}, which the core proposes: no output has that field on a grid that can be drawn.")
    return result


def role(dimension, coordinate):
    """"T", "Z", "Y" or "X" by the CF attributes of a coordinate (None where there is none) or the dimension's name; else None."""
    attributes = coordinate.attrs if coordinate is not None else {}
    units, standard = str(attributes.get("units", "")), str(attributes.get("standard_name", ""))
    if str(attributes.get("axis", "")) in ("T", "Z", "Y", "X"):
        return str(attributes["axis"])
    if " since " in units or dimension.lower() in ("time", "t"):
        return "T"
    if units in EAST or standard in ("longitude", "projection_x_coordinate", "grid_longitude"):
        return "X"
    if units in NORTH or standard in ("latitude", "projection_y_coordinate", "grid_latitude"):
        return "Y"
    if "positive" in attributes or VERTICAL.fullmatch(dimension):
        return "Z"
    return None


class View:
    """A variable of a dataset as something to draw; `shape` is None where it is nothing of that kind."""

    def __init__(self, data, name):
        self.data, self.variable, self.name = data, data[name], name
        self.shape = self.time = self.level = self.time_s = self.topology = None
        roles = {dimension: role(str(dimension), data[dimension] if dimension in data.coords else None) for dimension in self.variable.dims}
        self.time = next((dimension for dimension, what in roles.items() if what == "T"), None)
        if self.variable.dtype.kind not in "fi" or self.time is None or self.variable.sizes[self.time] == 0:
            return
        space = [dimension for dimension in self.variable.dims if dimension != self.time]
        self.topology = mesh.topology_of(data, self.variable)
        if self.topology:
            *levels, self.place = space or [None]
            if len(levels) > 1 or self.place != self.topology.dimension_of(self.variable.attrs.get("location")):
                return
            self.level = levels[0] if levels else None
        else:
            if len(space) == 3:
                flagged = [dimension for dimension in space if roles[dimension] == "Z"]
                other = [dimension for dimension in space if roles[dimension] not in ("X", "Y")]
                self.level = (flagged or other or space)[0]
            horizontal = [dimension for dimension in space if dimension != self.level]
            if len(horizontal) != 2 or min(self.variable.sizes[dimension] for dimension in horizontal) < 2:
                return
            if (roles[horizontal[0]], roles[horizontal[1]]) in (("X", "Y"), ("X", None), (None, "Y"), ("X", "Z"), ("Y", "Z")):
                horizontal.reverse()
            self.rows, self.columns = horizontal
        self.shape = self.variable.shape

    @property
    def has_levels(self):
        return self.level is not None or (self.topology is not None and self.topology.is_solid)

    def at_time(self, request):
        """The last record whose time is there, or the first where that is asked for."""
        at = 0 if request and request.first else -1
        record = at
        if self.time in self.data.coords and self.data[self.time].dtype.kind in "fi":
            times = np.atleast_1d(self.data[self.time].values).astype(float)
            whole = np.flatnonzero(np.isfinite(times))
            if whole.size:
                record = int(whole[at])
                length = SECONDS.get(str(self.data[self.time].attrs.get("units", "s")).split(" ")[0], None)
                self.time_s = None if length is None else float(times[record]) * length
        return self.variable.isel({self.time: record})

    def map(self, request):
        """(values, geometry, which level of several)."""
        variable = self.at_time(request)
        place = ""
        if self.topology and self.topology.is_solid:
            return self.section(request)
        if self.level is not None:
            size = variable.sizes[self.level]
            index = request.level if request and request.level is not None and 0 <= request.level < size else size // 2
            place = f"level {index + 1} of {size} along {self.level}{self.position(self.level, index)}"
            variable = variable.isel({self.level: index})
        if self.topology:
            location = variable.attrs.get("location")
            x, y, polygons, triangles = self.topology.flat(location)
            (x, x_label), (y, y_label), aspect = horizontal_axes(x, self.topology.labels[0], y, self.topology.labels[1])
            geometry = Geometry(x, y, x_label, y_label, aspect, polygons=None if polygons is None else [np.stack([x[nodes], y[nodes]], axis=1) for nodes in polygons],
                                triangles=triangles)
            return np.array(variable.values, dtype=float), geometry, place
        values = np.array(variable.transpose(self.rows, self.columns).values, dtype=float)
        return values, self.lattice(variable, self.rows, self.columns), place

    def section(self, request):
        """(values, geometry, where it is cut): a vertical section, by default across y through the middle."""
        variable = self.at_time(request)
        if self.topology and self.topology.is_solid:
            values, points, labels, place = self.topology.section(variable, request.axis if request else None)
            points_x, points_y = [polygon[:, 0] for polygon in points], [polygon[:, 1] for polygon in points]
            geometry = Geometry(np.concatenate(points_x), np.concatenate(points_y), labels[0], labels[1], "auto", polygons=points)
            return values, geometry, place
        if self.level is None or self.topology:
            return self.map(request)
        axis = request.axis if request and request.axis in (self.rows, self.columns) else self.rows
        size = variable.sizes[axis]
        index = request.index if request and request.index is not None and 0 <= request.index < size else size // 2
        place = f"section at {axis} index {index + 1} of {size}{self.position(axis, index)}"
        along = self.columns if axis == self.rows else self.rows
        variable = variable.isel({axis: index})
        values = np.array(variable.transpose(self.level, along).values, dtype=float)
        return values, self.lattice(variable, self.level, along), place

    def position(self, dimension, index):
        """" (height = 250 m)" where the file has such a coordinate."""
        if dimension not in self.data.coords or self.data[dimension].dtype.kind not in "fi":
            return ""
        coordinate = self.data[dimension]
        unit = str(coordinate.attrs.get("units", "")).replace("degrees_", "° ").strip()
        return f" ({str(coordinate.attrs.get('standard_name', dimension)).replace('_', ' ')} = {amount(float(coordinate.values[index]))} {unit})".replace(" )", ")")

    def lattice(self, variable, rows, columns):
        vertical = rows == self.level or role(str(rows), self.coordinate(rows)) == "Z"
        x, x_name = self.axis(columns)
        y, y_name = self.axis(rows)
        downward = vertical and str(getattr(self.coordinate(rows), "attrs", {}).get("positive", "")) == "down"
        wide = [coordinate for coordinate in variable.coords.values() if coordinate.ndim == 2 and coordinate.dtype.kind in "fi" and set(coordinate.dims) == {rows, columns}
                and np.all(np.isfinite(coordinate.values))]
        by_role = {role(str(coordinate.name), coordinate): coordinate.transpose(rows, columns) for coordinate in wide}
        if vertical and "Z" in by_role:  # following the terrain
            coordinate = by_role["Z"]
            y, y_name = np.array(coordinate.values, dtype=float), name_of(coordinate)
            x = np.broadcast_to(x, y.shape).copy()
            downward = str(coordinate.attrs.get("positive")) == "down"
        elif {"X", "Y"} <= by_role.keys() and self.coordinate(rows) is None and self.coordinate(columns) is None:
            (x, x_name), (y, y_name) = ((np.array(by_role[which].values, dtype=float), name_of(by_role[which])) for which in "XY")
        if vertical:
            (x, x_label), (y, y_label) = in_kilometres(x, x_name), in_kilometres(y, y_name)
            return Geometry(x, y, x_label, y_label, "auto", downward)
        (x, x_label), (y, y_label), aspect = horizontal_axes(x, x_name, y, y_name)
        return Geometry(x, y, x_label, y_label, aspect)

    def coordinate(self, dimension):
        """The coordinate variable of a dimension, None where there is none of numbers."""
        found = self.data[dimension] if dimension in self.data.coords else None
        return found if found is not None and found.dtype.kind in "fi" and found.ndim == 1 and np.all(np.isfinite(found.values)) else None

    def axis(self, dimension):
        """(coordinates, (name, units)) along a dimension; numbers of cells where the file has no coordinate."""
        coordinate = self.coordinate(dimension)
        if coordinate is None:
            return np.arange(self.variable.sizes[dimension], dtype=float), (str(dimension), "cells")
        return np.array(coordinate.values, dtype=float), name_of(coordinate)


def name_of(coordinate):
    """(name, units) of a coordinate for an axis."""
    attributes = coordinate.attrs
    which, units = role(str(coordinate.name), coordinate), str(attributes.get("units", "m"))
    if units in EAST or units in NORTH:
        return ("longitude", "°E") if units in EAST else ("latitude", "°N")
    if which in ("X", "Y"):
        return which.lower(), units
    return str(attributes.get("standard_name", coordinate.name)).replace("_", " "), units


def in_kilometres(values, name):
    """(values, label); km where they are metres and span two or more of them."""
    if name[1] in METRES and np.ptp(values) >= 2000:
        return values / 1000, labelled(name[0], "km")
    return values, labelled(name[0], "m" if name[1] in METRES else name[1])


def horizontal_axes(x, x_name, y, y_name):
    """(x, label), (y, label), aspect: both in one unit, and as long as on the ground."""
    if {x_name[1], y_name[1]} <= set(METRES) and max(np.ptp(x), np.ptp(y)) >= 2000:
        x, x_name, y, y_name = x / 1000, (x_name[0], "km"), y / 1000, (y_name[0], "km")
    aspect = 1.0
    if y_name[1] == "°N":
        aspect = 1 / max(math.cos(math.radians(min(abs(float(np.mean(y))), 80))), 0.2)
    return (x, labelled(x_name[0], x_name[1])), (y, labelled(y_name[0], y_name[1])), aspect
