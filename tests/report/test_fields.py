# SPDX-License-Identifier: Apache-2.0
"""Fields of outputs: lattices and meshes, maps and sections, by the attributes of the file; and a study whose core has other names."""

import math
import random
import shutil
import tempfile
import unittest
from pathlib import Path

import make_study
import make_toy_study
import netCDF4
import numpy as np
from matplotlib.collections import PolyCollection, QuadMesh
from support import Page, StudyTest, unrendered
from ulpine_report import fields, load, maps, render

POLICIES = ("fp64", "fp32")


class FieldTest(StudyTest):
    def study(self, build, figures=None, build_other=None):
        """A study of two policies with these outputs: (study, fields to draw)."""
        runs = [{"id": f"{policy}/deterministic", "policy": policy, "assembly": "deterministic", "path": f"runs/{policy}"} for policy in POLICIES]
        make_study.write_results(self.folder, {"schema": load.SCHEMA, "reference": "fp64/deterministic", "runs": runs, "figures": figures or []})
        for policy in POLICIES:
            folder = self.folder / f"runs/{policy}"
            folder.mkdir(parents=True, exist_ok=True)
            with netCDF4.Dataset(folder / "output.nc", "w") as file:
                (build_other if policy == "fp32" and build_other else build)(file)
        study = load.load(self.folder)
        return study, fields.load_fields(study)[0]

    def panels(self, study, read, part=0):
        """The axes of the first field's maps (0) or differences (1), looked at while they are drawn."""
        drawing = unrendered()
        drawn = drawing.__enter__()
        self.addCleanup(drawing.__exit__, None, None, None)
        pair = maps.figures(study, read)[0]
        return drawn[pair[part].name].axes


def dimensions(file, **sizes):
    for name, size in sizes.items():
        file.createDimension(name, size)


def variable(file, name, dims, values, **attributes):
    made = file.createVariable(name, "f8", dims, fill_value=attributes.pop("fill", None))
    made.setncatts(attributes)
    made[:] = values
    return made


class Lattices(FieldTest):
    def test_of_several_fields_the_first_horizontal_one_at_the_last_time(self):
        def build(file):
            dimensions(file, time=2, z=5, y=4, x=6)
            variable(file, "height", ("y", "x"), 1)
            variable(file, "theta", ("time", "z", "y", "x"), 300)
            variable(file, "rain", ("time", "y", "x"), np.arange(48).reshape(2, 4, 6), units="mm", long_name="rain since the start")

        _, (field,) = self.study(build)
        self.assertEqual((field.name, field.long_name, field.units, field.kind), ("rain", "rain since the start", "mm", "map"))
        np.testing.assert_array_equal(field.values["fp32"], np.arange(24, 48).reshape(4, 6))
        self.assertEqual((field.geometry.x_label, field.geometry.y_label), ("x (cells)", "y (cells)"))

    def test_of_fields_with_levels_a_map_of_the_middle_and_a_section(self):
        theta = np.arange(5 * 4 * 6, dtype=float).reshape(1, 5, 4, 6)

        def build(file):
            dimensions(file, time=1, z=5, y=4, x=6)
            variable(file, "z", ("z",), 100 * (np.arange(5) + 0.5), units="m", standard_name="height", positive="up")
            variable(file, "y", ("y",), 1000 * np.arange(4), units="m", axis="Y")
            variable(file, "x", ("x",), 1000 * np.arange(6), units="m", axis="X")
            variable(file, "theta", ("time", "z", "y", "x"), theta, units="K")

        _, (level, section) = self.study(build)
        self.assertEqual((level.kind, level.place), ("map", "level 3 of 5 along z (height = 250 m)"))
        np.testing.assert_array_equal(level.values["fp64"], theta[0, 2])
        self.assertEqual((section.kind, section.place), ("section", "section at y index 3 of 4 (y = 2 000 m)".replace("2 000", "2\u202f000")))
        np.testing.assert_array_equal(section.values["fp64"], theta[0, :, 2, :])
        self.assertEqual((section.geometry.x_label, section.geometry.y_label, section.geometry.aspect), ("x (km)", "height (m)", "auto"))

    def test_level_axis_and_index_are_those_asked_for(self):
        theta = np.arange(5 * 4 * 6, dtype=float).reshape(1, 5, 4, 6)

        def build(file):
            dimensions(file, time=1, level=5, y=4, x=6)
            variable(file, "theta", ("time", "level", "y", "x"), theta)

        _, (level, section) = self.study(build, [{"kind": "map", "field": "theta", "level": 4, "scale": "linear"},
                                                 {"kind": "section", "field": "theta", "axis": "x", "index": 1}])
        np.testing.assert_array_equal(level.values["fp64"], theta[0, 4])
        np.testing.assert_array_equal(section.values["fp64"], theta[0, :, :, 1])
        self.assertEqual((section.geometry.x_label, section.geometry.y_label), ("y (cells)", "level (cells)"))

    def test_attributes_say_which_dimension_is_which(self):
        """Stored (time, east, north, bottom): the dimensions' names and order say nothing."""
        values = np.arange(6 * 4 * 5, dtype=float).reshape(1, 6, 4, 5)

        def build(file):
            dimensions(file, hours=1, a=6, b=4, c=5)
            variable(file, "hours", ("hours",), [3], units="hours since 2000-01-01")
            variable(file, "a", ("a",), np.arange(6.0), units="degrees_east")
            variable(file, "b", ("b",), 60 + np.arange(4.0), units="degrees_north")
            variable(file, "c", ("c",), np.arange(5.0), units="m", positive="down")
            variable(file, "salinity", ("hours", "a", "b", "c"), values)

        study, (level, section) = self.study(build)
        np.testing.assert_array_equal(level.values["fp64"], values[0, :, :, 2].T)
        self.assertEqual((level.geometry.x_label, level.geometry.y_label, level.time_s), ("longitude (°E)", "latitude (°N)", 10800.0))
        self.assertAlmostEqual(level.geometry.aspect, 1 / math.cos(math.radians(61.5)))
        np.testing.assert_array_equal(section.values["fp64"], values[0, :, 2, :].T)
        self.assertTrue(section.geometry.downward)
        self.assertTrue(self.panels(study, [section])[0].yaxis_inverted())

    def test_curvilinear_coordinates_and_heights_above_terrain(self):
        longitude, latitude = np.meshgrid(np.arange(6.0), np.arange(4.0))
        heights = np.add.outer(np.arange(5.0) * 100, np.add.outer(np.arange(4.0), np.arange(6.0) * 10))

        def build(file):
            dimensions(file, time=1, level=5, j=4, i=6)
            variable(file, "lon", ("j", "i"), longitude + 0.1 * latitude, units="degrees_east")
            variable(file, "lat", ("j", "i"), latitude, units="degrees_north")
            variable(file, "height", ("level", "j", "i"), heights, units="m", positive="up")
            variable(file, "theta", ("time", "level", "j", "i"), 300 + np.arange(120).reshape(1, 5, 4, 6), coordinates="lon lat height")

        study, (level, section) = self.study(build)
        np.testing.assert_allclose(level.geometry.x, longitude + 0.1 * latitude)
        self.assertEqual(level.geometry.y_label, "latitude (°N)")
        np.testing.assert_allclose(section.geometry.y, heights[:, 2, :])
        self.assertEqual(section.geometry.y_label, "height (m)")
        for field in (level, section):
            self.assertTrue(any(isinstance(item, QuadMesh) for item in self.panels(study, [field])[0].collections))

    def test_missing_values_are_no_numbers_and_grey(self):
        values = np.arange(35.0).reshape(1, 5, 7)
        values[0, 0, :3] = make_study.FILL

        def build(file):
            dimensions(file, time=None, y=5, x=7)
            variable(file, "y", ("y",), [0, 1000, 2500, 4500, 7000], units="m")
            variable(file, "x", ("x",), np.arange(7) * 2000.0, units="m")
            variable(file, "depth_of_snow", ("time", "y", "x"), values, fill=make_study.FILL, units="m")

        study, (field,) = self.study(build)
        self.assertTrue(np.isnan(field.values["fp64"][0, :3]).all())
        self.assertEqual(np.isnan(field.values["fp64"]).sum(), 3)
        axis = self.panels(study, [field])[0]
        self.assertEqual(np.ma.getmaskarray(axis.collections[0].get_array()).sum(), 3)
        self.assertEqual(axis.collections[0].cmap(np.ma.masked), maps.plt.matplotlib.colors.to_rgba(maps.MISSING))
        with unrendered():
            self.assertIn("Grey: no value there.", maps.maps(study, field).caption)

    def test_a_record_without_its_time_does_not_count(self):
        def build(file):
            dimensions(file, time=None, y=3, x=4)
            variable(file, "time", ("time",), [0, 3600, make_study.FILL], fill=make_study.FILL, units="seconds since 2000-01-01")
            variable(file, "h", ("time", "y", "x"), np.arange(36).reshape(3, 3, 4))

        _, (field,) = self.study(build)
        self.assertEqual((field.time_s, field.values["fp64"][0, 0]), (3600.0, 12.0))

    def test_other_shapes_are_named_and_left_out(self):
        def build(file):
            dimensions(file, time=1, y=3, x=4)
            variable(file, "h", ("time", "y", "x"), 1)

        def build_other(file):
            dimensions(file, time=1, y=3, x=5)
            variable(file, "h", ("time", "y", "x"), 1)

        study, (field,) = self.study(build, [{"kind": "map", "field": "h"}, {"kind": "map", "field": "absent"}], build_other)
        self.assertEqual(list(field.values), ["fp64"])
        self.assertIn("runs/fp32/output.nc: another shape than the others; fp32 is missing in the maps.", study.problems)
        self.assertTrue(any("No map of absent" in problem for problem in study.problems), study.problems)

    def test_scale_follows_the_values_where_none_is_asked_for(self):
        for values, scale in ((np.linspace(1, 2, 12), "linear"), (np.logspace(-6, 0, 12), "log"), (np.linspace(-1, 2, 12), "diverging"),
                              (np.linspace(-0.001, 2, 12), "linear"), (np.full(12, math.nan), "linear")):
            field = fields.Field("f", "f", "1", "map", None, "", None, values={"fp64": values})
            self.assertEqual(maps.scale_of(field), scale)

    def test_labels_of_a_bar_stand_apart_and_reach_its_end(self):
        for decades in range(1, 9):
            for height in (2.0, 3.5, 6.0):
                ticks = maps.bar_ticks(100.0, decades, height)
                self.assertAlmostEqual(ticks[-1], 100.0)
                norm = maps.SymLogNorm(linthresh=100.0 * 10.0**-decades, vmin=-100, vmax=100, base=10, linscale=maps.LINEAR)
                places = maps.BAR * height * np.array(norm([0.0, *ticks]))
                self.assertGreater(np.diff(places).min(), 0.16, (decades, height))  # letters are 0.14 inches high

    def test_diverging_colours_have_their_middle_at_zero(self):
        def build(file):
            dimensions(file, time=1, y=3, x=4)
            variable(file, "w", ("time", "y", "x"), np.linspace(-1, 3, 12).reshape(1, 3, 4), units="m s-1")

        study, read = self.study(build)
        norms = [axis.get_images()[0].norm for axis in self.panels(study, read)[:2]]
        self.assertEqual({norm.vmin + norm.vmax for norm in norms}, {0.0})
        self.assertEqual(len({norm.vmax for norm in norms}), 1)


def ugrid(file, start=0, with_fill=True):
    """A quadrilateral and two triangles on the unit square and beside it; connectivity counted from `start`."""
    dimensions(file, time=2, node=6, face=3, corner=4)
    topology = file.createVariable("mesh", "i4")
    topology.setncatts({"cf_role": "mesh_topology", "topology_dimension": 2, "node_coordinates": "node_x node_y", "face_node_connectivity": "face_nodes"})
    variable(file, "node_x", ("node",), [0, 1, 1, 0, 2, 2], units="m")
    variable(file, "node_y", ("node",), [0, 0, 1, 1, 0, 1], units="m")
    nodes = file.createVariable("face_nodes", "i4", ("face", "corner"), fill_value=-999)
    nodes.start_index = start
    nodes[:] = np.ma.masked_less(np.array([[0, 1, 2, 3], [1, 4, 2, -1], [4, 5, 2, -1]]), 0) + start


CORNERS = [[(0, 0), (1, 0), (1, 1), (0, 1)], [(1, 0), (2, 0), (1, 1)], [(2, 0), (2, 1), (1, 1)]]


class Meshes(FieldTest):
    def test_faces_of_three_and_four_corners_are_polygons_with_their_values(self):
        for start in (0, 1):
            def build(file, start=start):
                ugrid(file, start)
                variable(file, "q", ("time", "face"), [[9, 9, 9], [1, make_study.FILL, 3]], fill=make_study.FILL, mesh="mesh", location="face", units="kg kg-1")

            study, (field,) = self.study(build)
            self.assertEqual([sorted(map(tuple, polygon)) for polygon in field.geometry.polygons], [sorted(corners) for corners in CORNERS])
            np.testing.assert_array_equal(field.values["fp64"], [1, math.nan, 3])
            collection, = self.panels(study, [field])[0].collections
            self.assertIsInstance(collection, PolyCollection)
            np.testing.assert_array_equal(np.ma.getmaskarray(collection.get_array()), [False, True, False])
            self.assertEqual(collection.cmap(np.ma.masked), maps.plt.matplotlib.colors.to_rgba(maps.MISSING))
            self.assertEqual((field.geometry.x_label, field.geometry.aspect), ("x (m)", 1.0))

    def test_values_at_nodes_are_triangles_and_missing_ones_cut_theirs_out(self):
        def build(file):
            ugrid(file)
            variable(file, "theta", ("time", "node"), [[0] * 6, [1, 2, 3, 4, 5, make_study.FILL]], fill=make_study.FILL, mesh="mesh", location="node", units="K")

        study, (field,) = self.study(build)
        self.assertEqual({frozenset(nodes) for nodes in field.geometry.triangles.tolist()}, {frozenset(nodes) for nodes in ((0, 1, 2), (0, 2, 3), (1, 4, 2), (4, 5, 2))})
        grey, image = self.panels(study, [field])[0].collections
        self.assertEqual(len(grey.get_paths()), 4)
        self.assertEqual(len(image._triangulation.get_masked_triangles()), 3)
        self.assertNotIn(0.0, field.values["fp64"])

    def test_layers_over_faces_are_levels(self):
        def build(file):
            ugrid(file)
            file.createDimension("layer", 3)
            variable(file, "u", ("time", "layer", "face"), np.arange(18).reshape(2, 3, 3), mesh="mesh", location="face")

        _, (field,) = self.study(build)
        np.testing.assert_array_equal(field.values["fp64"], [12, 13, 14])
        self.assertEqual(field.place, "level 2 of 3 along layer")

    def test_tetrahedra_are_cut_and_linear_fields_are_exact_there(self):
        """The six tetrahedra of a unit cube: the section at y = 0.5 is the unit square, and x + 2 z is known at its polygons' corners."""
        points = np.array([(i & 1, i >> 1 & 1, i >> 2 & 1) for i in range(8)], dtype=float)
        cells = [[0, a, b, 7] for a, b in ((1, 3), (3, 2), (2, 6), (6, 4), (4, 5), (5, 1))]

        def build(file):
            dimensions(file, time=1, node=8, volume=6, corner=4)
            topology = file.createVariable("mesh", "i4")
            topology.setncatts({"cf_role": "mesh_topology", "topology_dimension": 3, "node_coordinates": "node_x node_y node_z",
                                "volume_node_connectivity": "cells", "volume_dimension": "volume"})
            for axis, name in enumerate("xyz"):
                variable(file, f"node_{name}", ("node",), points[:, axis], units="m")
            variable(file, "cells", ("volume", "corner"), cells)
            variable(file, "theta", ("time", "node"), [points[:, 0] + 2 * points[:, 2]], mesh="mesh", location="node", units="K")
            variable(file, "k", ("time", "volume"), [np.arange(6)], mesh="mesh", location="volume")

        _, (theta, k) = self.study(build, [{"kind": "section", "field": "theta"}, {"kind": "map", "field": "k"}])
        area = 0
        for polygon, value in zip(theta.geometry.polygons, theta.values["fp64"]):
            x, z = polygon.T
            area += abs(np.dot(x, np.roll(z, 1)) - np.dot(z, np.roll(x, 1))) / 2
            self.assertAlmostEqual(value, np.mean(x + 2 * z))
        self.assertAlmostEqual(area, 1.0)
        self.assertEqual((theta.place, theta.geometry.x_label, theta.geometry.y_label), ("section at y = 0.5000 m", "x (m)", "z (m)"))
        self.assertEqual(sorted(k.values["fp64"]), [0, 1, 2, 3, 4, 5])

    def test_nothing_is_drawn_of_what_has_no_topology(self):
        def build(file):
            dimensions(file, time=1, node=40)
            variable(file, "theta", ("time", "node"), 1)
            variable(file, "q", ("time", "node"), 1, mesh="absent", location="node")

        self.assertEqual(self.study(build)[1], [])


class Odd(FieldTest):
    def test_no_attribute_of_a_file_ends_the_report(self):
        """Attributes taken away or replaced by junk, at random: a figure, or a line on what cannot be drawn."""
        draw = random.Random(3)
        junk = ["", "x", "node_x", "mesh", "X", "Z", "T", "degrees_east", "days since never", 0, -1, 3, 10**9, 1e300, math.nan, [1, 2], "down", "$\\frac{<b>"]

        def spoil(file):
            for item in [file, *file.variables.values()]:
                for name in item.ncattrs():
                    if name != "_FillValue" and draw.random() < 0.15:
                        item.delncattr(name)
                        if draw.random() < 0.7:
                            item.setncattr(name, draw.choice(junk))

        make_toy_study.write(self.folder)
        outputs = [self.folder / f"runs/{policy}-deterministic/output.nc" for policy in ("fp64", "fp32", "bf16")]
        whole = outputs[0].read_bytes()
        data = make_toy_study.results()
        drawn = 0
        for trial in range(24):
            for output in outputs:
                output.write_bytes(whole)
            with netCDF4.Dataset(outputs[trial % 3], "a") as file:
                spoil(file)
            make_study.write_results(self.folder, {**data, "figures": data["figures"] if trial % 2 else []})
            study = load.load(self.folder)
            with unrendered():
                drawn += bool(maps.figures(study, fields.load_fields(study)[0]))
        self.assertGreater(drawn, 12)


def drawn_page(folder, **options):
    """(figures by name, page, a call that closes the figures) of a study's folder."""
    drawing = unrendered()
    drawn = drawing.__enter__()
    html, _ = render.build(load.load(folder), **options)
    return drawn, Page(html), lambda: drawing.__exit__(None, None, None)


class Toy(unittest.TestCase):
    """A core whose fields, statistics and curves have other names: a mesh, a profile and four statistics; drawn once."""

    @classmethod
    def setUpClass(cls):
        folder = Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, folder)
        cls.data = make_toy_study.write(folder)
        cls.drawn, cls.page, end = drawn_page(folder)
        cls.addClassCleanup(end)

    def test_every_figure_proposed_is_drawn_and_no_other(self):
        self.assertEqual({name for name in self.drawn if not name.startswith("chosen-")}, {"digits-of-runs", "map-tracer", "difference-tracer", "section-w", "difference-section-w", "curve-temperature-profile", "curve-energy-spectrum",
                                      "statistics", "statistics-2", "series", "growth", "cost", "ensemble-growth"})
        self.assertEqual(self.page.faults, [])

    def test_profiles_stand_upright(self):
        axis, beside = self.drawn["curve-temperature-profile"].axes
        line = axis.get_lines()[0]
        given = self.data["runs"][0]["curves"]["temperature_profile"]
        np.testing.assert_allclose(line.get_ydata(), given["x"])
        np.testing.assert_allclose(line.get_xdata(), given["y"])
        self.assertEqual((axis.get_xlabel(), axis.get_ylabel(), beside.get_xlabel()), ("temperature (K)", "height (m)", "minus fp64\n(K)"))
        other = self.data["runs"][2]["curves"]["temperature_profile"]
        np.testing.assert_allclose(beside.get_lines()[1].get_xdata(), np.array(other["y"]) - np.array(given["y"]), atol=1e-12)

    def test_statistics_are_told_by_their_own_names_and_units(self):
        for words in ("turbulent kinetic energy (m² s⁻²)", "largest vertical speed (m s⁻¹)", "heat content (J)", "share of wet points",
                      "energy_spectrum", "statistic w_max", "every 5th percentile"):
            self.assertIn(words, self.page.text)
        self.assertIn("72 min", self.page.row("w_max.relative", "statistic w_max"))
        self.assertNotRegex(self.page.text.lower(), r"\b(lkfs?|shear|siu|sivol|sea|ice)\b")

    def test_statistics_of_two_figures_hold_three_and_one(self):
        self.assertEqual([[axis.get_ylabel() for axis in self.drawn[name].axes if axis.get_ylabel()] for name in ("statistics", "statistics-2")],
                         [["turbulent kinetic energy\n(m² s⁻²)", "largest vertical speed (m s⁻¹)", "heat content (J)"], ["share of wet points (1)"]])


class OtherToy(StudyTest):
    """The same with other results; its page without fields to choose from."""

    def made(self, change):
        data = make_toy_study.write(self.folder)
        change(data)
        make_study.write_results(self.folder, data)
        drawn, page, end = drawn_page(self.folder, choosing=False)
        self.addCleanup(end)
        return drawn, page

    def test_a_limit_that_follows_the_spread_is_told_as_a_range(self):
        def spread(data):
            for gate, limit in zip(data["gates"], (0.01, 0.02)):
                gate["limit"] = limit

        _, page = self.made(spread)
        self.assertEqual(page.row("w_max.relative", "statistic w_max")[3], "0.0100 to 0.0200")

    def test_only_the_series_asked_for(self):
        drawn, _ = self.made(lambda data: data["figures"].append({"kind": "series", "statistic": "w_max"}))
        self.assertEqual([axis.get_title(loc="left") for axis in drawn["series"].axes], ["largest vertical speed (m s⁻¹)"])

    def test_without_proposals_all_curves_and_a_chosen_field(self):
        drawn, _ = self.made(lambda data: data.update(figures=[]))
        self.assertEqual({name for name in drawn if name.startswith(("map", "section", "curve"))}, {"map-tracer", "curve-temperature-profile", "curve-energy-spectrum"})


if __name__ == "__main__":
    unittest.main()
