#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Outputs of all cores as other programs open them: VTK (its reader of CF and, of ParaView, that of XDMF), xarray and CDO find each field, its place and its mask."""
import importlib
import math
import os
import shutil
import subprocess
import tempfile
import unittest
from xml.etree import ElementTree

from support import CommandTest, PROGRAM, SOURCE, write_netcdf

WITHOUT = "no numpy or netCDF4 (Debian: apt-get install python3-numpy python3-netcdf4)"
WITHOUT_VTK = "no VTK of Python with a reader of CF (Debian: apt-get install python3-vtk9)"
try:
    import netCDF4
    import numpy as np
except ImportError:
    np = netCDF4 = None


def module(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


vtk_netcdf, vtk_xdmf, xarray = module("vtkmodules.vtkIONetCDF"), module("vtkmodules.vtkIOXdmf2"), module("xarray")
# The cells that the town and the land fill, by their first and last rows and columns, without symmetry.
TOWN = {"rows": (4, 6), "columns": (10, 13), "height": 14.0}
LAND = {"rows": (0, 2), "columns": (5, 7)}
CASES = {}


def made(name):
    def register(make):
        CASES[name] = make
        return make
    return register


@made("ice")
def ice(folder):
    """Of 16 km cells, with land amid the sea."""
    cells = [(j, i) for j in range(8) for i in range(8)]
    sea = [0.0 if LAND["rows"][0] <= j <= LAND["rows"][1] and LAND["columns"][0] <= i <= LAND["columns"][1] else 1.0 for j, i in cells]
    write_netcdf(folder / "ice.nc", {"y": 8, "x": 8}, {
        "h": (("y", "x"), [1 + 0.1 * i + 0.01 * j for j, i in cells], {"units": "m"}),
        "c": (("y", "x"), [0.9 for _ in cells], {"units": "1"}),
        "m": (("y", "x"), sea, {"units": "1", "standard_name": "sea_binary_mask"})})
    start = {"initial.source": "'file'", "initial.file": f"'{folder / 'ice.nc'}'", "initial.height_variable": "'h'", "initial.concentration_variable": "'c'", "initial.mask": "'m'"}
    return SOURCE / "cases/seaice/cyclone_quick.toml", {"grid.nx": 8, "grid.ny": 8, "grid.length": 128e3, "time.substeps": 4, "output.interval": "'4 min'", **start}, "8 min"


@made("globe")
def globe(folder):
    """A square of 9 by 6 cells round the pole."""
    case = folder / "globe.toml"
    case.write_text("""core = "seaice"
name = "globe"
[grid]
west = -3.0
east = 3.0
south = -2.0
north = 2.0
nx = 9
ny = 6
rotation_z = 20.0
rotation_y = -88.0
[discretisation]
coordinates = "spherical"
[time]
step = "120 s"
substeps = 4
end = "8 min"
[initial]
source = "uniform"
height = 1.0
concentration = 0.9
[output]
interval = "4 min"
""")
    return case, {}, "8 min"


@made("town")
def town(folder):
    """Of 4 m cells round one building."""
    heights = [["0"] * 16 for _ in range(12)]
    for j in range(TOWN["rows"][0], TOWN["rows"][1] + 1):
        for i in range(TOWN["columns"][0], TOWN["columns"][1] + 1):
            heights[j][i] = str(TOWN["height"])
    head = ["ncols 16", "nrows 12", "xllcorner 0", "yllcorner 0", "cellsize 4"]
    (folder / "town.asc").write_text("\n".join(head + [" ".join(row) for row in reversed(heights)]) + "\n")
    return SOURCE / "cases/les/urban.toml", {"grid.nx": 16, "grid.ny": 12, "grid.nz": 8, "buildings.kind": "'raster'", "buildings.file": f"'{folder / 'town.asc'}'",
                                             "start.disturbance_top": 20.0, "output.interval": "'2 s'"}, "4 s"


@made("storm")
def storm(_):
    return SOURCE / "cases/fdm/supercell_quick.toml", {"grid.nx": 12, "grid.ny": 10, "grid.dx": 4000.0, "output.interval": "'1 min'"}, "2 min"


@made("ridge")
def ridge(_):
    """One row over a mountain of 800 m."""
    return SOURCE / "cases/fdm/bell_mountain.toml", {"grid.nx": 40, "grid.nz": 50, "grid.dz": 400.0, "terrain.height": 800.0, "terrain.half_width": 5000.0, "output.interval": "'1 min'"}, "2 min"


@made("bubble")
def bubble(_):
    return SOURCE / "cases/fem/bubble_quick.toml", {"output.interval": "'8 s'"}, "16 s"


def values(variable, time=-1):
    return variable[time] if variable.dimensions[:1] == ("time",) else variable[:]


@unittest.skipIf(np is None, WITHOUT)
class ElsewhereTest(CommandTest):
    outputs = {}

    @classmethod
    def tearDownClass(cls):
        if "folder" in cls.outputs:
            cls.outputs.pop("folder").cleanup()
        cls.outputs.clear()

    def output(self, name):
        """The folder of the case's run, made once."""
        if "folder" not in self.outputs:
            self.outputs["folder"] = tempfile.TemporaryDirectory()
        folder = self.folder.__class__(self.outputs["folder"].name)
        if name not in self.outputs:
            case, settings, until = CASES[name](folder)
            words = [word for key, value in settings.items() for word in ("--set", f"{key}={value}")]
            self.assert_done("run", case, "--threads", 1, "--until", until, "-o", folder / name, *words)
            self.outputs[name] = folder / name
        return self.outputs[name]

    def dataset(self, name):
        data = netCDF4.Dataset(self.output(name) / "output.nc")
        data.set_auto_mask(False)
        self.addCleanup(data.close)
        return data

    def places(self, data):
        """What is no field: coordinates, theirs of more dimensions and their bounds."""
        names = {name for name in data.variables if name in data.dimensions}
        for variable in data.variables.values():
            names |= set(getattr(variable, "bounds", "").split())
            # VTK knows longitudes and latitudes; other places of more dimensions it shows as fields.
            names |= {name for name in getattr(variable, "coordinates", "").split() if name.startswith(("lon", "lat"))}
        return names

    # ---- what the files are made of ----

    def test_no_type_is_one_that_others_stop_at(self):
        for name in CASES:
            data = self.dataset(name)
            for variable in data.variables.values():
                self.assertIn(variable.dtype.kind + str(variable.dtype.itemsize), ("f8", "f4", "i4", "i2", "i1"), (name, variable.name))

    def test_masks_are_bytes_that_say_what_they_mean(self):
        for name, masks in (("ice", {"mask": ["land", "sea"]}), ("globe", {"mask": ["land", "sea"]}), ("town", {air: ["building", "air"] for air in ("air", "air_u", "air_v", "air_w")})):
            data = self.dataset(name)
            for mask, meanings in masks.items():
                variable = data[mask]
                self.assertEqual((variable.dtype, list(variable.flag_values), variable.flag_meanings.split()), (np.int8, [0, 1], meanings), (name, mask))
                self.assertEqual(variable.flag_values.dtype, np.int8)
                self.assertLessEqual(set(np.unique(variable[:])), {0, 1})

    def test_masks_are_where_land_and_buildings_are(self):
        rows, columns = (slice(part[0], part[1] + 1) for part in (LAND["rows"], LAND["columns"]))
        sea = np.ones((8, 8), int)
        sea[rows, columns] = 0
        data = self.dataset("ice")
        self.assertTrue(np.array_equal(data["mask"][:], sea))
        thickness = data["sivol"]
        self.assertTrue(np.array_equal(thickness[0] == thickness._FillValue, sea == 0))
        self.assertTrue(np.allclose(thickness[0][sea == 1], (1 + 0.1 * np.arange(8) + 0.01 * np.arange(8)[:, None])[sea == 1], rtol=1e-12))
        data = self.dataset("town")
        z, y, x = np.meshgrid(data["z"][:], data["y"][:], data["x"][:], indexing="ij")
        low = {axis: 4.0 * TOWN[part][0] for axis, part in (("y", "rows"), ("x", "columns"))}
        high = {axis: 4.0 * (TOWN[part][1] + 1) for axis, part in (("y", "rows"), ("x", "columns"))}
        inside = (z < TOWN["height"]) & (low["y"] < y) & (y < high["y"]) & (low["x"] < x) & (x < high["x"])
        self.assertTrue(inside.any())
        self.assertTrue(np.array_equal(data["air"][:] == 0, inside))
        self.assertTrue(np.array_equal(data["p"][-1] == data["p"]._FillValue, inside))

    def test_the_air_of_a_base_state_is_that_of_its_formulas(self):
        data = self.dataset("storm")
        z, theta, pressure, density, vapour = (data[name][:] for name in ("z", "theta_base", "p_base", "rho_base", "qv_base"))
        # M. L. Weisman and J. B. Klemp, Mon. Wea. Rev. 110 (1982), 504-520, eq. (1): 300 K at the ground, 343 K and 213 K at 12 km.
        expected = np.where(z < 12000, 300 + 43 * (np.minimum(z, 12000) / 12000) ** 1.25, 343 * np.exp(9.81 / (1004 * 213) * (z - 12000)))
        self.assertTrue(np.allclose(theta, expected, rtol=1e-3), theta - expected)
        virtual = theta * (1 + 0.608 * vapour)
        self.assertTrue(np.allclose(density, pressure / (287.0 * virtual * (pressure / 1e5) ** (2 / 7)), rtol=2e-3))
        self.assertTrue(np.allclose(np.diff(pressure) / np.diff(z), -9.81 * np.sqrt(density[1:] * density[:-1]), rtol=2e-2))
        self.assertEqual((data["theta_base"].dimensions, data["theta_base"].units), (("z",), "K"))
        data = self.dataset("ridge")
        height = data["height"][:]
        # Of one Brunt-Väisälä frequency, N = 0.01 s-1 from 280 K; g is 9.8 m s-2.
        self.assertTrue(np.allclose(data["theta_base"][:], 280 * np.exp(1e-4 / 9.8 * height), rtol=1e-12))
        self.assertEqual(data["theta_base"].dimensions, ("z", "y", "x"))

    def test_heights_over_terrain_are_those_of_the_ground_and_the_levels(self):
        data = self.dataset("ridge")
        x, faces, top = data["x"][:], data["z_w"][:], 20000.0
        mountain = 800 / (1 + ((x - 20000) / 5000) ** 2)
        expected = mountain + faces[:, None] * (top - mountain) / top
        self.assertTrue(np.allclose(data["height_w"][:, 0], expected, rtol=1e-12, atol=1e-9))
        centres = (expected[1:] + expected[:-1]) / 2
        self.assertTrue(np.allclose(data["height"][:, 0], centres, rtol=1e-12))
        self.assertTrue(np.allclose(data["height_u"][:, 0, 1:-1], (centres[:, 1:] + centres[:, :-1]) / 2, rtol=1e-12))
        for field, height in (("theta", "height"), ("p", "height"), ("u", "height_u"), ("v", "height_v"), ("w", "height_w"), ("w_linear", "height_w")):
            self.assertEqual(data[field].coordinates, height)
            self.assertEqual(data[height].dimensions, data[field].dimensions[-3:], field)
            self.assertEqual((data[height].units, data[height].positive), ("m", "up"))
            self.assertNotIn("_FillValue", data[height].ncattrs())
        self.assertNotIn("coordinates", self.dataset("storm")["theta"].ncattrs())

    # ---- VTK ----

    def read_by_vtk(self, path, dimensions, time, rectilinear=False):
        pipeline = importlib.import_module("vtkmodules.vtkCommonExecutionModel").vtkStreamingDemandDrivenPipeline
        reader = vtk_netcdf.vtkNetCDFCFReader()
        reader.SetFileName(str(path))
        if rectilinear:
            reader.SetOutputTypeToRectilinear()
        reader.UpdateMetaData()
        reader.SetDimensions(dimensions)
        reader.UpdateInformation()
        times = reader.GetOutputInformation(0).Get(pipeline.TIME_STEPS())
        if times:
            self.assertEqual(max(times), time)
            reader.UpdateTimeStep(time)
        else:
            reader.Update()
        return reader.GetOutput()

    def arrays(self, attributes):
        convert = importlib.import_module("vtkmodules.util.numpy_support").vtk_to_numpy
        return {attributes.GetArrayName(k): convert(attributes.GetArray(k)) for k in range(attributes.GetNumberOfArrays())}

    def sets_of_dimensions(self, data):
        """Those that fields have, time apart, with the fields."""
        sets, places = {}, self.places(data)
        for name, variable in data.variables.items():
            dimensions = tuple(d for d in variable.dimensions if d != "time")
            if name not in places and dimensions:
                sets.setdefault(dimensions, set()).add(name)
        return sets

    @unittest.skipIf(vtk_netcdf is None, WITHOUT_VTK)
    def test_vtk_shows_each_field_of_a_plane_at_its_place_in_metres(self):
        for name in ("ice", "town", "storm", "ridge"):
            data = self.dataset(name)
            for dimensions, fields in self.sets_of_dimensions(data).items():
                shown = self.read_by_vtk(self.output(name) / "output.nc", "(" + ", ".join(dimensions) + ")", data["time"][-1], rectilinear=name == "ridge")
                arrays = self.arrays(shown.GetPointData())
                self.assertEqual(set(arrays), fields, (name, dimensions))
                shape = [len(data.dimensions[d]) for d in dimensions]
                self.assertEqual(shown.GetNumberOfPoints(), math.prod(shape))
                for axis, dimension in enumerate(reversed(dimensions)):
                    low, high = shown.GetBounds()[2 * axis:2 * axis + 2]
                    expected = data[dimension][:]
                    self.assertAlmostEqual(low, expected.min(), delta=1e-9 * abs(expected).max(), msg=(name, dimensions))
                    self.assertAlmostEqual(high, expected.max(), delta=1e-9 * abs(expected).max(), msg=(name, dimensions))
                for field in fields:
                    self.assertTrue(np.array_equal(arrays[field].reshape(shape), values(data[field])), (name, field))

    @unittest.skipIf(vtk_netcdf is None, WITHOUT_VTK)
    def test_vtk_finds_the_building_where_it_stands(self):
        shown = self.read_by_vtk(self.output("town") / "output.nc", "(z, y, x)", 4.0)
        air = self.arrays(shown.GetPointData())["air"]
        x, y = (4.0 * (sum(TOWN[part]) + 1) / 2 for part in ("columns", "rows"))
        for place, expected in (((x, y, 6.0), 0), ((x, y, 18.0), 1), ((x - 16, y, 6.0), 1), ((x, y + 16, 6.0), 1), ((y, x, 6.0), 1)):
            self.assertEqual(air[shown.FindPoint(place)], expected, place)

    @unittest.skipIf(vtk_netcdf is None, WITHOUT_VTK)
    def test_vtk_shows_the_ice_of_a_globe_where_it_lies(self):
        data = self.dataset("globe")

        def on_unit_sphere(longitude, latitude):
            east, north = (np.radians(data[name][:]).ravel() for name in (longitude, latitude))
            return np.stack([np.cos(north) * np.cos(east), np.cos(north) * np.sin(east), np.sin(north)], axis=-1)

        for dimensions, longitude, latitude, fields in (("y", "x"), "lon", "lat", {"mask", "cell_area", "sivol", "siconc", "shear"}), (("yn", "xn"), "lon_node", "lat_node", {"siu", "siv", "east_angle"}):
            shown = self.read_by_vtk(self.output("globe") / "output.nc", "(" + ", ".join(dimensions) + ")", data["time"][-1])
            arrays = self.arrays(shown.GetPointData())
            self.assertEqual(set(arrays), fields)
            points = np.array([shown.GetPoint(k) for k in range(shown.GetNumberOfPoints())])
            self.assertLess(np.abs(points - on_unit_sphere(longitude, latitude)).max(), 1e-12)
            for field, shown_values in arrays.items():
                self.assertTrue(np.array_equal(shown_values, values(data[field]).ravel()), field)

    def test_cells_of_a_globe_have_the_corners_of_their_nodes(self):
        data = self.dataset("globe")
        for corners, nodes in (("lon_corners", "lon_node"), ("lat_corners", "lat_node")):
            at = data[nodes][:]
            # The order of CF-1.11, section 7.1.
            self.assertTrue(np.array_equal(data[corners][:], np.stack([at[:-1, :-1], at[:-1, 1:], at[1:, 1:], at[1:, :-1]], axis=-1)))
        self.assertEqual((data["lon"].bounds, data["lat"].bounds), ("lon_corners", "lat_corners"))

    # ---- tetrahedra ----

    def test_the_xdmf_file_names_the_arrays_of_the_mesh_and_of_each_time(self):
        data, folder = self.dataset("bubble"), self.output("bubble")
        root = ElementTree.parse(folder / "output.xdmf").getroot()

        def array(item):
            if item.get("ItemType") == "HyperSlab":
                start, stride, count = np.array(item[0].text.split(), int).reshape(3, 2)
                whole = array(item[1])
                self.assertEqual((list(stride), start[1], count[0]), ([1, 1], 0, 1))
                return whole[start[0], :count[1]]
            file, path = item.text.strip().split(":/")
            self.assertEqual(file, "output.nc")
            read = data[path][:]
            shape = tuple(int(n) for n in item.get("Dimensions").split())
            # Records that came later are behind those named.
            self.assertEqual(read.shape[1:], shape[1:])
            self.assertEqual((item.get("NumberType"), item.get("Precision")), {"f8": ("Float", "8"), "i4": ("Int", "4")}[read.dtype.str[1:]])
            return read[:shape[0]]

        grids = root.findall("Domain/Grid/Grid")
        self.assertEqual([float(grid.find("Time").get("Value")) for grid in grids], [0, 8, 16])
        for record, grid in enumerate(grids):
            nodes = np.stack([array(item) for item in grid.find("Geometry")], axis=-1)
            cells = array(grid.find("Topology/DataItem"))
            self.assertEqual((grid.find("Topology").get("TopologyType"), cells.shape), ("Tetrahedron", (1536, 4)))
            corners = nodes[cells]
            volumes = np.linalg.det(corners[:, 1:] - corners[:, :1]) / 6
            self.assertTrue((volumes > 0).all())
            self.assertAlmostEqual(volumes.sum() / data["cell_volume"][:].sum(), 1, delta=1e-12)
            fields = {item.get("Name"): item for item in grid.findall("Attribute")}
            self.assertEqual(set(fields), {name for name, variable in data.variables.items() if "location" in variable.ncattrs()})
            for name, item in fields.items():
                self.assertEqual(item.get("Center"), "Node")
                self.assertTrue(np.array_equal(array(item[0]), values(data[name], record)), name)

    @unittest.skipIf(vtk_xdmf is None, "no VTK of Python with a reader of XDMF (Debian: apt-get install python3-paraview)")
    def test_paraview_shows_fields_on_tetrahedra_through_time(self):
        data = self.dataset("bubble")
        reader = vtk_xdmf.vtkXdmfReader()
        reader.SetFileName(str(self.output("bubble") / "output.xdmf"))
        for record, time in enumerate(data["time"][:]):
            reader.UpdateTimeStep(time)
            shown = reader.GetOutputDataObject(0)
            self.assertEqual((shown.GetNumberOfCells(), shown.GetNumberOfPoints()), (1536, 405))
            self.assertEqual(shown.GetBounds()[:4] + shown.GetBounds()[5:], (0, 2000, 0, 1000, 2000))
            points = np.array([shown.GetPoint(k) for k in range(405)])
            self.assertTrue(np.array_equal(points, np.stack([data["mesh_node_" + axis][:] for axis in "xyz"], axis=-1)))
            for name, array in self.arrays(shown.GetPointData()).items():
                self.assertTrue(np.array_equal(array, values(data[name], record)), name)

    def test_a_restart_keeps_the_earlier_output_with_its_xdmf_file(self):
        folder = self.output("bubble")
        kept = self.folder / "a"
        kept.mkdir()
        for name in ("output.nc", "output.xdmf", "restart.nc"):
            shutil.copy(folder / name, kept / name)
        before = (kept / "output.xdmf").read_text()
        self.assert_done("run", SOURCE / "cases/fem/bubble_quick.toml", "--threads", 1, "--set", "output.interval='8 s'", "--until", "24 s", "--restart", kept / "restart.nc", "-o", kept)
        self.assertEqual((kept / "output-1.xdmf").read_text(), before.replace("output.nc:", "output-1.nc:"))
        self.assertIn("Value=\"24\"", (kept / "output.xdmf").read_text())
        self.assertNotIn("Value=\"8\"", (kept / "output.xdmf").read_text())

    def test_a_grid_without_a_mesh_has_no_xdmf_file(self):
        self.assertFalse((self.output("storm") / "output.xdmf").exists())

    # ---- xarray ----

    @unittest.skipIf(xarray is None, "no xarray (Debian: apt-get install python3-xarray)")
    def test_xarray_finds_places_times_and_masks(self):
        places = {"ice": ("sivol", {"y", "x"}), "globe": ("sivol", {"y", "x", "lon", "lat"}), "town": ("p", {"z", "y", "x"}), "storm": ("theta", {"z", "y", "x"}),
                  "ridge": ("w", {"z_w", "y", "x", "height_w"}), "bubble": ("theta", {"mesh_node_x", "mesh_node_y", "mesh_node_z"})}
        for name, (field, expected) in places.items():
            with xarray.open_dataset(self.output(name) / "output.nc") as data:
                self.assertEqual(set(data[field].coords) - {"time"}, expected, name)
                self.assertEqual(str(data.time.values[0])[:19], "2000-01-01T00:00:00")
                self.assertGreater(data.time.values[-1], data.time.values[0])
        with xarray.open_dataset(self.output("ice") / "output.nc") as data:
            self.assertEqual(data["mask"].dtype.kind, "i")
            self.assertTrue((data["sivol"].isel(time=0).notnull() == (data["mask"] == 1)).all())
            self.assertTrue(bool(data["sivol"].sel(x=100e3, y=24e3, method="nearest").isel(time=0).isnull()))
        with xarray.open_dataset(self.output("storm") / "output.nc") as data:
            whole = data["theta"] + data["theta_base"]
            self.assertEqual(set(whole.dims), {"time", "z", "y", "x"})
            self.assertGreater(float(whole.isel(time=0).min()), 299)

    # ---- CDO ----

    @unittest.skipIf(shutil.which("cdo") is None, "no CDO (Debian: apt-get install cdo)")
    def test_cdo_reads_every_field_of_grids_without_a_warning(self):
        for name in ("ice", "globe", "town", "storm", "ridge"):
            path, data = self.output(name) / "output.nc", self.dataset(name)
            done = subprocess.run(["cdo", "-s", "showname", path], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0)
            # Heights of three dimensions are none of its coordinates.
            told = [line for line in done.stderr.splitlines() if "Coordinates variable height" not in line]
            self.assertEqual(told, [], name)
            # The area is part of CDO's grid, and so are places.
            fields = set().union(*self.sets_of_dimensions(data).values()) - {"height", "height_u", "height_v", "height_w", "cell_area"}
            self.assertLessEqual(fields, set(done.stdout.split()), name)
            done = subprocess.run(["cdo", "-s", "showtimestamp", path], capture_output=True, text=True)
            self.assertEqual(done.stdout.split()[0], "2000-01-01T00:00:00")
            self.assertEqual(len(done.stdout.split()), 3)

    @unittest.skipIf(shutil.which("cdo") is None, "no CDO (Debian: apt-get install cdo)")
    def test_cdo_regrids_the_ice_of_a_globe_and_keeps_its_volume(self):
        path, data = self.output("globe") / "output.nc", self.dataset("globe")

        def cdo(*words, environment=None):
            done = subprocess.run(["cdo", "-s", *words], capture_output=True, text=True, env={**os.environ, **(environment or {})})
            self.assertEqual((done.returncode, done.stderr), (0, ""), words)
            return done.stdout

        self.assertIn("curvilinear", cdo("griddes", "-selname,sivol", path))
        volume = float(cdo("outputf,%.17g", "-fldint", "-seltimestep,3", "-selname,sivol", path).split()[0])
        self.assertAlmostEqual(volume / float((data["sivol"][-1] * data["cell_area"][:]).sum()), 1, delta=1e-6)
        # Shares of cells that ours fill in part are of the whole cell.
        regridded = cdo("outputf,%.17g", "-fldint", "-seltimestep,3", "-setmisstoc,0", "-remapcon,r720x1440", "-selname,sivol", path, environment={"CDO_REMAP_NORM": "destarea"})
        self.assertAlmostEqual(float(regridded.split()[0]) / volume, 1, delta=1e-4)


if __name__ == "__main__":
    unittest.main()
