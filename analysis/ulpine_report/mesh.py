# SPDX-License-Identifier: Apache-2.0
"""Meshes of NetCDF files by the conventions UGRID-1.0: faces of three and more corners, and tetrahedra, which are cut."""

import itertools

import numpy as np

from .text import amount, labelled

EAST, NORTH = "degrees_east", "degrees_north"


def topology_of(data, variable):
    """The topology that a variable lies on, None where it lies on none that can be drawn."""
    name = variable.attrs.get("mesh")
    holder = data.variables.get(name) if isinstance(name, str) else None
    if holder is None or holder.attrs.get("cf_role") != "mesh_topology":
        return None
    topology = Topology(data, holder.attrs)
    return topology if topology.is_usable else None


class Topology:
    def __init__(self, data, attributes):
        coordinates = [data.variables[name] for name in str(attributes.get("node_coordinates", "")).split() if name in data.variables]
        self.is_solid = int(attributes.get("topology_dimension", 2)) == 3
        self.element = "volume" if self.is_solid else "face"
        connectivity = data.variables.get(str(attributes.get(f"{self.element}_node_connectivity")))
        self.is_usable = len(coordinates) >= (3 if self.is_solid else 2) and connectivity is not None and connectivity.ndim == 2
        if not self.is_usable:
            return
        self.node_dimension = coordinates[0].dims[0]
        dimension = attributes.get(f"{self.element}_dimension", connectivity.dims[0])
        self.element_dimension = dimension if dimension in connectivity.dims else connectivity.dims[0]
        self.coordinates, self.labels = coordinates, [label(variable, "xyz"[axis]) for axis, variable in enumerate(coordinates[:3])]
        self.connectivity = connectivity

    def dimension_of(self, location):
        return {"node": self.node_dimension, self.element: self.element_dimension}.get(location)

    def elements(self):
        """Nodes of each element (elements, largest number of nodes), from 0; -1 where one has fewer."""
        table = self.connectivity.transpose(self.element_dimension, ...).values.astype(float)
        nodes = np.nan_to_num(table - int(self.connectivity.attrs.get("start_index", 0)), nan=-1, posinf=-1, neginf=-1).astype(int)
        nodes[(nodes < 0) | (nodes >= self.coordinates[0].size)] = -1
        return nodes

    def points(self):
        return [np.array(variable.values, dtype=float) for variable in self.coordinates]

    def flat(self, location):
        """(x, y of nodes, nodes of each face or None, triangles or None): polygons for values on faces, triangles for values at nodes."""
        x, y = self.points()[:2]
        faces = [nodes[nodes >= 0] for nodes in self.elements()]
        if self.labels[0][1] == "°E":  # a face across the meridian where longitudes begin anew would cover the map
            faces = [nodes if np.ptp(x[nodes]) < 180 else nodes[:1] for nodes in faces]
        if location == "face":
            return x, y, faces, None
        triangles = [(nodes[0], nodes[corner], nodes[corner + 1]) for nodes in faces for corner in range(1, nodes.size - 1)]
        return x, y, None, np.array(triangles, dtype=int).reshape(-1, 3)

    def section(self, variable, axis):
        """(values, polygons of (corner, 2), labels of their axes, where): the cut of tetrahedra by a plane of constant y, or of the `axis` named.

        Values at nodes are linear within a tetrahedron; a polygon shows the mean of its corners'.
        """
        names = [name for name, _ in self.labels]
        across = names.index(axis) if axis in names[:2] else 1
        along = 1 - across
        points, cells = np.stack(self.points()[:3]), self.elements()
        if cells.shape[1] != 4:
            raise ValueError("only tetrahedra are cut")
        middle = float(points[across].min() + points[across].max()) / 2
        below = points[across][cells] < middle
        cut = np.flatnonzero(below.any(axis=1) & ~below.all(axis=1))
        values = np.array(variable.values, dtype=float)
        on_nodes = variable.attrs.get("location") == "node"
        corners, at_corners = [], []
        for first, second in itertools.combinations(range(4), 2):
            a, b = cells[cut, first], cells[cut, second]
            crossing = below[cut, first] != below[cut, second]
            with np.errstate(divide="ignore", invalid="ignore"):
                share = np.where(crossing, (middle - points[across][a]) / (points[across][b] - points[across][a]), np.nan)
            corners.append([points[which][a] + share * (points[which][b] - points[which][a]) for which in (along, 2)])
            at_corners.append(values[a] + share * (values[b] - values[a]) if on_nodes else share * 0)
        corners = np.moveaxis(np.array(corners), 2, 0)  # (cell, edge, 2)
        there = np.isfinite(corners[:, :, 0])
        polygons = []
        for polygon, known in zip(corners, there):
            polygon = polygon[known]
            centre = polygon.mean(axis=0)
            polygons.append(polygon[np.argsort(np.arctan2(*(polygon - centre).T[::-1]))])
        shown = np.where(there, np.array(at_corners).T, 0).sum(axis=1) / there.sum(axis=1) if on_nodes else values[cut]
        place = f"section at {names[across]} = {amount(middle)} {self.labels[across][1]}"
        return shown, polygons, (labelled(*self.labels[along]), labelled(*self.labels[2])), place


def label(variable, axis):
    """(name, units) of a coordinate of nodes."""
    units = str(variable.attrs.get("units", "m"))
    if units.lower() in (EAST, NORTH):
        return ("longitude", "°E") if units.lower() == EAST else ("latitude", "°N")
    return axis, units
