# SPDX-License-Identifier: Apache-2.0
"""Meshes of tetrahedra for finite elements: gmsh 2.2 and 4.1, and UGRID."""
import itertools

import numpy as np
from netCDF4 import Dataset

from absurd.trial import Trial

CASE = """core = "fem"
[mesh]
kind = "{kind}"
file = "{file}"
[air]
viscosity = 2.0
[base]
theta = 300.0
u = 3.0
[boundary]
fixed = ["inflow"]
[time]
step = "4 s"
end = "8 s"
[output]
interval = "4 s"
[start]
kind = "bubble"
amplitude = 1.0
centre_x = 1024.0
centre_y = 512.0
centre_z = 512.0
radius_x = 800.0
radius_y = 800.0
radius_z = 600.0
"""
SIDES = {1: "ground", 2: "lid", 3: "south", 4: "outflow", 5: "north", 6: "inflow"}
WORDS = ["run", "case.toml", "-o", "out", "--steps", "1", "--quiet"]


class Mesh:
    """A box of 4 x 3 x 4 cells of six tetrahedra each; twists alter it before it is written."""

    def __init__(self):
        nx, ny, nz = 4, 3, 4
        self.points = np.array([(512.0 * x, 512.0 * y, 512.0 * z) for z in range(nz + 1) for y in range(ny + 1) for x in range(nx + 1)])
        at = lambda x, y, z: x + (nx + 1) * (y + (ny + 1) * z)  # noqa: E731
        tetrahedra = []
        for z, y, x in itertools.product(range(nz), range(ny), range(nx)):
            for order in itertools.permutations(range(3)):
                corner, nodes = [x, y, z], [at(x, y, z)]
                for axis in order:
                    corner[axis] += 1
                    nodes.append(at(*corner))
                tetrahedra.append(nodes)
        self.elements = np.array(tetrahedra)
        faces = {}
        for element in self.elements:
            for face in itertools.combinations(element, 3):
                faces[tuple(sorted(face))] = faces.get(tuple(sorted(face)), 0) + 1
        self.triangles = np.array([face for face, times in faces.items() if times == 1])
        limits = ((2, 0), (2, 512 * nz), (1, 0), (0, 512 * nx), (1, 512 * ny), (0, 0))
        self.sides = np.array([next(s for s, (axis, value) in enumerate(limits, 1) if (self.points[face][:, axis] == value).all()) for face in self.triangles])
        self.names, self.numbers = dict(SIDES), None
        self.node_tags, self.words, self.groups = np.arange(1, len(self.points) + 1), [], True
        self.extra, self.head, self.count_error, self.form = [], None, (0, 0), 2
        # Of UGRID: first index, order of dimensions, units of lengths, attributes.
        self.start, self.turned, self.units, self.padded, self.integer, self.attributes, self.topology, self.netcdf = 0, False, ["m"] * 3, 0, "i4", {}, {}, "NETCDF4"


SAME, ABSURD = [], []


def same(function):
    SAME.append(function)
    return function


def absurd(function):
    ABSURD.append(function)
    return function


@same
def nodes_renumbered(mesh, r):
    order = np.array(r.sample(range(len(mesh.points)), len(mesh.points)))
    place = np.argsort(order)
    mesh.points, mesh.elements, mesh.triangles = mesh.points[order], place[mesh.elements], place[mesh.triangles]


@same
def elements_reordered(mesh, r):
    mesh.elements = mesh.elements[r.sample(range(len(mesh.elements)), len(mesh.elements))]
    order = r.sample(range(len(mesh.triangles)), len(mesh.triangles))
    mesh.triangles, mesh.sides = mesh.triangles[order], mesh.sides[order]


@same
def elements_inverted(mesh, r):
    some = np.array([r.random() < 0.4 for _ in mesh.elements])
    mesh.elements[some] = mesh.elements[some][:, [1, 0, 2, 3]]


@same
def elements_turned(mesh, r):
    mesh.elements = np.array([r.sample(list(element), 4) for element in mesh.elements])
    mesh.triangles = np.array([r.sample(list(face), 3) for face in mesh.triangles])


@same
def far_tags(mesh, r):
    mesh.node_tags = np.array(sorted(r.sample(range(1, r.choice((1000, 10**6, 2**31 - 1))), len(mesh.points))))
    r.shuffle(mesh.node_tags)


@same
def a_node_of_no_element(mesh, r):
    if mesh.kind != "ugrid":
        mesh.points = np.append(mesh.points, [[r.uniform(-1e4, 1e4) for _ in range(3)]], 0)
        mesh.node_tags = np.append(mesh.node_tags, mesh.node_tags.max() + 1)


@same
def first_index(mesh, r):
    mesh.start = r.choice((0, 1))


@same
def connectivity_turned(mesh, r):
    mesh.turned = True


@same
def padded_rows(mesh, r):
    mesh.padded = r.choice((1, 4))


@same
def other_integers(mesh, r):
    mesh.integer = r.choice(("i2", "i8", "u4", "i4"))


@same
def sections_of_others(mesh, r):
    mesh.extra = r.choice((["$Comments", "made by hand", "$EndComments"], ["$Periodic", "0", "$EndPeriodic"], ["$NodeData", "1", '"a"', "1", "0.0", "3", "0", "1", "0", "$EndNodeData"]))


@same
def unit_of_length(mesh, r):
    mesh.points = mesh.points / 1024 * 1.024
    if mesh.kind == "ugrid":
        mesh.units = ["km"] * 3
    else:
        mesh.words = ["--set", 'mesh.unit="km"']


@same
def another_netcdf(mesh, r):
    mesh.netcdf = r.choice(("NETCDF3_64BIT_OFFSET", "NETCDF4_CLASSIC"))


@absurd
def in_degrees(mesh, r):
    mesh.points = mesh.points * np.array([9e-6, 9e-6, r.choice((1, 9e-6))])


@absurd
def in_kilometres_or_feet(mesh, r):
    mesh.points = mesh.points * r.choice((1e-3, 1e-6, 1e3, 1e6, 1e30, 1e-30, 1e300))


@absurd
def a_number_that_is_none(mesh, r):
    mesh.points[r.randrange(len(mesh.points)), r.randrange(3)] = r.choice((np.nan, np.inf, -np.inf, 1e30, -1e300, 9.97e36, -9999.0))


@absurd
def two_nodes_at_a_place(mesh, r):
    a, b = r.sample(range(len(mesh.points)), 2)
    mesh.points[a] = mesh.points[b]


@absurd
def a_node_outside(mesh, r):
    node = r.randrange(len(mesh.points))
    mesh.points[node] = mesh.points[node] + np.array([r.choice((-1, 1)) * 3000.0 for _ in range(3)])
    mesh.lenient = True  # a corner may be drawn out


@absurd
def a_flat_mesh(mesh, r):
    mesh.points[:, r.randrange(3)] = r.choice((0.0, 500.0, 1e6))


@absurd
def an_element_twice(mesh, r):
    mesh.elements = np.append(mesh.elements, mesh.elements[[r.randrange(len(mesh.elements))]], 0)


@absurd
def an_element_missing(mesh, r):
    mesh.elements = np.delete(mesh.elements, r.randrange(len(mesh.elements)), 0)
    mesh.lenient = mesh.kind != "ugrid"  # a hole whose sides are in no group is a wall


@absurd
def an_element_of_three_nodes(mesh, r):
    element = r.randrange(len(mesh.elements))
    mesh.elements[element, 0] = mesh.elements[element, 1]


@absurd
def a_node_that_is_not_there(mesh, r):
    mesh.node_tags = mesh.node_tags.astype(object)
    mesh.absent = r.choice((0, -1, 10**6, 2**31, 2**32 + 1, 2**63 - 1, 2**64, -2**31))


@absurd
def no_elements(mesh, r):
    mesh.elements = mesh.elements[:0]


@absurd
def two_parts(mesh, r):
    count = len(mesh.points)
    mesh.points = np.append(mesh.points, mesh.points + np.array([5000.0, 0, 0]), 0)
    for name in ("elements", "triangles"):
        values = getattr(mesh, name)
        setattr(mesh, name, np.append(values, values + count, 0))
    mesh.sides = np.append(mesh.sides, mesh.sides)
    mesh.node_tags = np.arange(1, 2 * count + 1)


@absurd
def parts_that_touch(mesh, r):
    """A box beside another, joined in one node or one edge alone."""
    count, joined = len(mesh.points), r.choice((1, 2))
    corner = np.array([2048.0, 1536.0, 2048.0 if joined == 1 else 0.0])
    points = np.append(mesh.points, mesh.points + corner, 0)
    elements, triangles = np.append(mesh.elements, mesh.elements + count, 0), np.append(mesh.triangles, mesh.triangles + count, 0)
    unique, place = np.unique(points, axis=0, return_inverse=True)
    place = place.reshape(-1)
    mesh.points, mesh.elements, mesh.triangles, mesh.sides = unique, place[elements], place[triangles], np.append(mesh.sides, mesh.sides)
    mesh.node_tags = np.arange(1, len(unique) + 1)


@absurd
def a_triangle_missing(mesh, r):
    which = r.randrange(len(mesh.triangles))
    mesh.triangles, mesh.sides = np.delete(mesh.triangles, which, 0), np.delete(mesh.sides, which)
    mesh.lenient = mesh.kind != "ugrid"  # gmsh's meshes may have surfaces in no group


@absurd
def a_triangle_inside(mesh, r):
    element = mesh.elements[r.randrange(len(mesh.elements))]
    mesh.triangles, mesh.sides = np.append(mesh.triangles, [element[:3]], 0), np.append(mesh.sides, r.randrange(1, 7))
    mesh.lenient = True  # of four faces one may be at the boundary, and gmsh's may be inside


@absurd
def a_triangle_twice(mesh, r):
    which = r.randrange(len(mesh.triangles))
    mesh.triangles, mesh.sides = np.append(mesh.triangles, mesh.triangles[[which]], 0), np.append(mesh.sides, r.randrange(1, 7))
    mesh.lenient = mesh.kind != "ugrid"


@absurd
def names_that_are_none(mesh, r):
    mesh.names = mesh.names | {r.choice((1, 2, 6)): r.choice(("", " ", "inflow", "a b", "\t", "x" * 5000, "é", "boundary", "0", "6", "3", "-1", "a\\b", "$EndPhysicalNames", "1e5"))}
    mesh.lenient = True


@absurd
def sides_that_are_not_there(mesh, r):
    mesh.words = ["--set", "boundary.%s" % r.choice(('fixed=["west"]', 'fixed=["7"]', 'fixed=["-1"]', 'fixed=[""]', 'fixed=["inflow", "inflow"]', 'fixed=["6", "inflow"]', 'open=["inflow"]', 'fixed="inflow"',
                                                     "fixed=[6]", 'fixed=["6.0"]', 'fixed=["18446744073709551622"]', 'open=["lid", "6"]', 'fixed=["Inflow"]', 'fixed=["0"]'))]
    mesh.lenient = "inflow\", \"inflow" in mesh.words[1] or "\"6\", \"inflow" in mesh.words[1]


@absurd
def counts_that_lie(mesh, r):
    mesh.count_error = r.choice(((1, 0), (-1, 0), (0, 1), (0, -1), (10**9, 0), (0, 10**12), (2**32, 0), (-10**6, 0)))


@absurd
def heads_that_lie(mesh, r):
    mesh.head = r.choice(("3.0 0 8", "2.2 1 8", "4.1 1 8", "2.2 0 4", "nan 0 8", "2.2", "22 0 8", "-2.2 0 8", "4.1 0 0", "4.0 0 8" if mesh.form == 2 else "2.2 0 8"))


@absurd
def units_that_are_none(mesh, r):
    if mesh.kind == "ugrid":
        mesh.units[r.randrange(3)] = r.choice(("degrees_north", "radians", "K", "hPa", "1", "level", "s"))
    else:
        mesh.words = ["--set", "mesh.unit=%s" % r.choice(('"degrees"', '"ft"', '""', "1000", '"M"', '"m "', '"mi"'))]


@absurd
def heights_downwards(mesh, r):
    mesh.points[:, 2] = -mesh.points[:, 2] if r.random() < 0.5 else mesh.points[:, 2] - 2048
    mesh.attributes = {"positive": "down", "standard_name": r.choice(("depth", "height"))}


@absurd
def keys_that_lie(mesh, r):
    mesh.words = ["--set", r.choice(("mesh.nx=4", "mesh.length=[1.0, 1.0, 1.0]", 'mesh.kind="box"', 'mesh.kind="netcdf"', "mesh.refinement=2", "mesh.jitter=0.1", "mesh.seed=5", 'mesh.file="."', 'mesh.file=""',
                                     'mesh.file="/dev/zero"', "mesh.stretch=1.1", "mountain.radius=0", "mountain.height=1e5", "mountain.height=-3000.0", "mountain.height=2047.9", "mesh.grading=2.0"))]


@absurd
def topology_that_lies(mesh, r):
    mesh.topology = r.choice(({"topology_dimension": 2}, {"topology_dimension": "3"}, {"volume_node_connectivity": "none"}, {"node_coordinates": "x y"}, {"node_coordinates": "x x z"},
                              {"node_coordinates": "x y z x"}, {"volume_node_connectivity": "boundary"}, {"boundary_node_connectivity": "volumes"}, {"cf_role": "mesh"}))


GMSH_ONLY = {sections_of_others, far_tags, counts_that_lie, heads_that_lie, a_node_of_no_element, names_that_are_none}
UGRID_ONLY = {first_index, connectivity_turned, padded_rows, other_integers, another_netcdf, topology_that_lies, heights_downwards}


def tag(mesh, node):
    return str(mesh.node_tags[node])


def write_gmsh(mesh, path):
    names = ["$PhysicalNames", str(len(mesh.names)), *[f'2 {number} "{name}"' for number, name in mesh.names.items()], "$EndPhysicalNames"]
    elements = [[tag(mesh, node) for node in element] for element in mesh.elements]
    if hasattr(mesh, "absent"):
        elements[len(elements) // 2][1] = str(mesh.absent)
    triangles = [[tag(mesh, node) for node in face] for face in mesh.triangles]
    more_nodes, more_elements = mesh.count_error
    number = lambda value: repr(float(value))  # noqa: E731
    lines = ["$MeshFormat", mesh.head or ("2.2 0 8" if mesh.form == 2 else "4.1 0 8"), "$EndMeshFormat", *names]
    count = len(mesh.points)
    total = len(triangles) + len(elements)
    if mesh.form == 2:
        lines += ["$Nodes", str(count + more_nodes), *[f"{tag(mesh, k)} " + " ".join(map(number, point)) for k, point in enumerate(mesh.points)], "$EndNodes", "$Elements", str(total + more_elements)]
        lines += [f"{k} 2 2 {side} {side} " + " ".join(face) for k, (side, face) in enumerate(zip(mesh.sides, triangles), 1)]
        lines += [f"{k} 4 2 0 1 " + " ".join(element) for k, element in enumerate(elements, len(triangles) + 1)] + ["$EndElements"]
    else:
        lines += ["$Entities", "0 0 6 1", *[f"{side} 0 0 0 1 1 1 1 {side} 0" for side in range(1, 7)], "1 0 0 0 1 1 1 0 0", "$EndEntities"]
        tags = [int(value) for value in mesh.node_tags]
        lines += ["$Nodes", f"1 {count + more_nodes} {min(tags)} {max(tags)}", f"3 1 0 {count}", *[str(value) for value in tags], *[" ".join(map(number, point)) for point in mesh.points], "$EndNodes"]
        of_side = {side: [face for face, of in zip(triangles, mesh.sides) if of == side] for side in range(1, 7)}
        lines += ["$Elements", f"{sum(map(bool, of_side.values())) + bool(elements)} {total + more_elements} 1 {total}"]
        k = 0
        for side, of in of_side.items():
            lines += [f"2 {side} 2 {len(of)}"] * bool(of)
            for face in of:
                k += 1
                lines.append(f"{k} " + " ".join(face))
        lines += [f"3 1 4 {len(elements)}"] * bool(elements)
        lines += [f"{i} " + " ".join(element) for i, element in enumerate(elements, k + 1)] + ["$EndElements"]
    path.write_text("\n".join(lines + mesh.extra) + "\n")


def write_ugrid(mesh, path):
    with Dataset(path, "w", format=mesh.netcdf) as file:
        for name, size in (("node", len(mesh.points)), ("volume", len(mesh.elements)), ("corner", 4 + mesh.padded), ("side", len(mesh.triangles)), ("three", 3)):
            file.createDimension(name, size)
        topology = file.createVariable("mesh", "i4")
        topology.setncatts({"cf_role": "mesh_topology", "topology_dimension": np.int32(3), "node_coordinates": "x y z", "volume_node_connectivity": "volumes", "boundary_node_connectivity": "boundary",
                            **mesh.topology})
        for axis, name in enumerate("xyz"):
            variable = file.createVariable(name, "f8", ("node",))
            variable.setncatts({"units": mesh.units[axis], **(mesh.attributes if axis == 2 else {})})
            variable[:] = mesh.points[:, axis]
        elements = np.array(mesh.elements, dtype=object) + mesh.start
        if hasattr(mesh, "absent"):
            elements[len(elements) // 2, 1] = max(-2**31, min(mesh.absent, 2**31 - 2))
        for name, values, axes in (("volumes", elements, ("volume", "corner")), ("boundary", mesh.triangles + mesh.start, ("side", "three"))):
            padding = name == "volumes" and mesh.padded
            if padding:
                values = np.concatenate([values, np.full((len(values), padding), -1 if mesh.integer != "u4" else 2**32 - 1)], 1)
            variable = file.createVariable(name, mesh.integer, axes[::-1] if mesh.turned and name == "volumes" else axes, fill_value=(-1 if mesh.integer != "u4" else 2**32 - 1) if padding else None)
            variable.set_auto_maskandscale(False)
            variable.setncatts({"start_index": np.int32(mesh.start), "cf_role": f"{name}_node_connectivity"})
            values = np.array(values, dtype="i8")
            variable[:] = (values.T if mesh.turned and name == "volumes" else values).astype(mesh.integer)
        sides = file.createVariable("boundary_id", "i4", ("side",))
        sides.setncatts({"flag_values": np.arange(1, 7, dtype="i4"), "flag_meanings": " ".join(SIDES.values())})
        sides[:] = mesh.sides
        file["boundary"].boundary_id = "boundary_id"
        topology.boundary_id = "boundary_id"


def answer(folder):
    """Fields of the last record by their nodes' places, as outputs have the order of the file."""
    with Dataset(folder / "out/output.nc") as file:
        places = np.array([file["mesh_node_" + axis][:] for axis in "xyz"])
        order = np.lexsort(np.round(places, 3))
        return {name: np.ma.filled(file[name][-1], 0.0)[order] for name in ("u", "v", "w", "p", "theta", "rho")}


def make(random, folder):
    (folder / "plain.toml").write_text(CASE.format(kind="gmsh", file="mesh.msh"))
    if random is None:
        mesh = Mesh()
        write_gmsh(mesh, folder / "mesh.msh")
        return None
    mesh, r = Mesh(), random
    mesh.kind, mesh.form = r.choice((("gmsh", 2), ("gmsh", 4), ("ugrid", 0)))
    others = UGRID_ONLY if mesh.kind == "gmsh" else GMSH_ONLY
    chosen = r.sample([function for function in SAME if function not in others], r.choice((1, 2, 3)))
    expected = "same"
    if r.random() < 0.6:
        chosen.append(r.choice([function for function in ABSURD if function not in others]))
        expected = "refused"
    for function in chosen:
        function(mesh, r)
    if mesh.netcdf != "NETCDF4" and mesh.integer in ("i8", "u4"):
        mesh.integer = "i4"
    if unit_of_length in chosen and expected == "same":
        expected = "near"
    if expected == "refused" and (getattr(mesh, "lenient", False) or "refinement" in "".join(mesh.words)):
        expected = "sense"
    name = "mesh.msh" if mesh.kind == "gmsh" else "mesh.nc"
    (write_gmsh if mesh.kind == "gmsh" else write_ugrid)(mesh, folder / name)
    (folder / "case.toml").write_text(CASE.format(kind=mesh.kind, file=name))
    return Trial(WORDS + mesh.words, expected, f"{mesh.kind}{mesh.form or ''}:" + "+".join(function.__name__ for function in chosen), ["run", "plain.toml", *WORDS[2:]], says=("mesh", "boundary", "mountain", "bubble"), answer=answer)
