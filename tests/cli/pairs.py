# SPDX-License-Identifier: Apache-2.0
"""Random pairs of small NetCDF files with at most one planted difference, what numpy says of them, and what `compare` may answer.

A pair is a `File` made at random and a copy of it that is stored otherwise. `truth_of` reads both files as they lie on the disk, without what the maker knows.
"""
import copy
import dataclasses
import math

import cftime
import netCDF4
import numpy as np

PLAIN = ("i1", "i2", "i4", "f4", "f8")
MORE = ("u1", "u2", "u4", "i8", "u8")
FORMATS = ("NETCDF4",) * 6 + ("NETCDF4_CLASSIC", "NETCDF3_CLASSIC", "NETCDF3_64BIT_OFFSET", "NETCDF3_64BIT_DATA")
KINDS = {"NETCDF4": PLAIN + MORE, "NETCDF3_64BIT_DATA": PLAIN + MORE}  # of other formats: PLAIN
WIDER = {"f4": ("f8",), "i1": ("i2", "i4"), "i2": ("i4",), "u1": ("i2", "i4"), "u2": ("i4",), "i4": ("f8",), "u4": ("f8",)}
LIMITS = {"valid_max": 110, "valid_min": -100}  # of numbers that are less than 100 where they are not missing
SECONDS = {"seconds": 1, "minutes": 60, "hours": 3600, "days": 86400}
CALENDARS = {"standard": "gregorian", "gregorian": "standard", "noleap": "365_day", "365_day": "noleap", "all_leap": "366_day", "366_day": "all_leap"}
EPOCHS = {"1900-01-01 00:00:00": 0, "1900-01-11": 10, "1900-01-02 12:00:00": 1.5, "1900-01-21T00:00:00Z": 20, "1900-1-1 06:00": 0.25}  # days since the first


def said(kind):
    """The kind of numbers without byte order."""
    return np.dtype(kind).str[1:]


@dataclasses.dataclass
class Variable:
    """`values` are those stored where `mask` is not set; where it is, `masking` says what is stored."""
    name: str
    kind: str
    dims: tuple
    values: object
    role: str = "field"  # or place, bounds, time, text
    mask: object = None
    masking: tuple = ()  # a way and its number
    attributes: dict = dataclasses.field(default_factory=dict)
    storage: dict = dataclasses.field(default_factory=dict)
    exact: bool = True  # unpacking it takes no rounding

    def numeric(self):
        return self.kind in PLAIN + MORE


@dataclasses.dataclass
class File:
    format: str
    dims: dict  # name: [length, whether it is unlimited]
    variables: list
    attributes: dict = dataclasses.field(default_factory=dict)

    def of(self, *roles):
        return [variable for variable in self.variables if variable.role in roles]

    def named(self, name):
        return next((variable for variable in self.variables if variable.name == name), None)


# Writing

def write(path, file):
    with netCDF4.Dataset(path, "w", format=file.format) as data:
        data.setncatts(file.attributes)
        for name, (length, unlimited) in file.dims.items():
            data.createDimension(name, None if unlimited else length)
        made = {}
        for variable in file.variables:
            made[variable.name] = _define(data, file, variable)
        for variable in file.variables:
            _put(made[variable.name], variable)


def _define(data, file, variable):
    group, _, name = variable.name.rpartition("/")
    place = data.createGroup(group) if group else data
    kind, fill, attributes = variable.kind, None, dict(variable.attributes)
    if kind == "enum":
        kind = data.enumtypes.get("cloud_t") or data.createEnumType(np.uint8, "cloud_t", {"clear": 0, "low": 1, "high": 2, "fog": 7})
    elif kind == "compound":
        kind = data.cmptypes.get("complex") or data.createCompoundType(np.dtype([("r", "f8"), ("i", "i4")]), "complex")
    elif kind == "vlen":
        kind = data.vltypes.get("row") or data.createVLType(np.float64, "row")
    elif kind == "string":
        kind = str
    if variable.masking:
        way, number = variable.masking
        if way == "fill":
            fill = number
        elif way == "range":
            attributes["valid_range"] = np.array([-100 if variable.kind[0] != "u" else 0, 110], variable.kind)
        elif way != "default":
            attributes[way] = np.array(LIMITS.get(way, number), variable.kind)
    how = dict(variable.storage)
    if not variable.dims or not file.format.startswith("NETCDF4") or not (variable.numeric() or variable.kind == "S1"):
        how = {}
    elif any(file.dims[axis][1] for axis in variable.dims):
        how.pop("contiguous", None)
    if "chunksizes" in how:
        how["chunksizes"] = [max(1, min(size, file.dims[axis][0] or 1)) for size, axis in zip(how["chunksizes"], variable.dims)]
    if how.get("endian") == "big":
        kind = np.dtype(kind).newbyteorder(">")
    result = place.createVariable(name, kind, variable.dims, fill_value=fill, **how)
    result.setncatts(attributes)
    result.set_auto_maskandscale(False)
    return result


def _put(place, variable):
    values = variable.values
    if variable.kind == "vlen":
        for index, row in enumerate(values):
            place[index] = np.array(row, "f8")
    elif variable.kind == "string":
        if not variable.dims:
            place[...] = values[()]
        for index in np.ndindex(values.shape) if variable.dims else ():
            place[index] = values[index]
    elif variable.kind == "S1":
        place.set_auto_chartostring(False)
        place[...] = values
    elif variable.kind in ("enum", "compound") or variable.mask is None:
        place[...] = values
    else:
        place[...] = np.where(variable.mask, np.array(variable.masking[1], variable.kind), values)


# Making

class Maker:
    """The first file of a pair."""

    def __init__(self, rng):
        self.rng = rng

    def chance(self, probability):
        return self.rng.random() < probability

    def one(self, things):
        return things[self.rng.integers(len(things))]

    def file(self):
        style = self.one(FORMATS)
        # A length of zero is that of an unlimited dimension; of those other formats have one.
        lengths = [0] * (style == "NETCDF4") + [1] * 2 + [2, 3, 4, 5] * 4
        dims = {}
        self.time = None
        if self.chance(0.7):
            self.time = self.one(("time", "time", "time", "Time", "ocean_time"))
            length = int(self.one([0] + [1] * 3 + [2, 3, 4] * 5))
            dims[self.time] = [length, length == 0 or self.chance(0.6)]
        for name in ("y", "x", self.one(("lev", "member", "time_series", "timestep_of_obs", "nz"))):
            length = int(self.one(lengths))
            dims[name] = [length, length == 0]
        if self.chance(0.35) and (style == "NETCDF4" or self.time is None):
            dims[self.one(("obs", "cell", "station", "timeSeries"))] = [int(self.one(lengths)), True]
        self.dims, self.result = dims, File(style, dims, [], {"title": "made at random"})
        self._time()
        for number in range(self.rng.integers(1, 5)):
            self._field(number)
        self._places()
        if style == "NETCDF4":
            self._texts_of_netcdf4()
        if self.chance(0.2):
            self._add(Variable("code", "S1", *self._characters(self.one([name for name in dims if name != self.time])), role="text"))
        order = self.rng.permutation(len(self.result.variables))
        self.result.variables = [self.result.variables[index] for index in order]
        return self.result

    def _add(self, variable):
        if self.result.format.startswith("NETCDF4"):
            variable.storage = self.storage(variable)
        self.result.variables.append(variable)
        return variable

    def storage(self, variable):
        if not variable.numeric() or not variable.dims:
            return {}
        result = {"endian": self.one(("native", "native", "little", "big"))}
        way = self.one(("default", "contiguous", "chunked", "deflate"))
        if way == "contiguous":
            result["contiguous"] = True
        elif way != "default":
            result["chunksizes"] = [int(size) for size in self.rng.integers(1, 4, len(variable.dims))]
            if way == "deflate":
                result.update(zlib=True, complevel=1, shuffle=self.chance(0.5), fletcher32=self.chance(0.3))
        return result

    def shape(self, axes):
        return tuple(self.dims[axis][0] for axis in axes)

    def _time(self):
        if self.time is None or self.chance(0.15):
            return
        length = self.dims[self.time][0]
        if self.chance(0.12):
            self.dims["DateStrLen"] = [19, False]
            texts = [list(f"2001-02-{day:02}_{6 * (day % 4):02}:00:00") for day in range(1, length + 1)]
            self._add(Variable("Times", "S1", (self.time, "DateStrLen"), np.array(texts, "S1").reshape(length, 19), "text"))
            return
        unit, calendar = self.one(list(SECONDS)), self.one(list(CALENDARS) + ["360_day", "proleptic_gregorian", ""])
        kind = self.one(("f8", "f8", "i4", "f4" if unit in ("days", "hours") else "f8"))
        # Six hours or multiples, in 1900: whole numbers but for days, which are binary fractions.
        days = 40 + np.cumsum(self.rng.integers(1, 4, length)) * (1 if kind == "i4" else self.one((0.25, 1)))
        attributes = {"units": f"{unit} since 1900-01-01 00:00:00"}
        if calendar:
            attributes["calendar"] = calendar
        if self.chance(0.3):
            self.dims.setdefault("nv", [2, False])
            attributes["bounds"] = "time_bnds"
            edges = np.stack([days - (1 if kind == "i4" else 0.25), days], 1) * 86400 / SECONDS[unit]
            self._add(Variable("time_bnds", kind, (self.time, "nv"), edges.astype(kind), "bounds"))
        self._add(Variable(self.time, kind, (self.time,), (days * 86400 / SECONDS[unit]).astype(kind), "time", attributes=attributes))

    def _numbers(self, kind, shape):
        if kind[0] == "f":
            values = np.round(np.clip(self.rng.normal(20, 25, shape), -99, 99), int(self.one((2, 12))))
            values = np.array(values, kind)
            if values.size and self.chance(0.35):
                specials = [0.0, 0.0, -0.0, -0.0, np.nan, np.inf, -np.inf, 5e-324, 1e30, 99.0]
                for _ in range(self.rng.integers(1, 4)):
                    values.flat[self.rng.integers(values.size)] = self.one(specials)
            return values
        if kind in ("i8", "u8") and self.chance(0.5):
            return np.array(2**60 + self.rng.integers(0, 100, shape), kind)
        return np.array(self.rng.integers(0 if kind[0] == "u" else -99, 100, shape), kind)

    def _field(self, number):
        available = [axis for axis in self.dims if axis not in ("nv", "DateStrLen")]
        axes = [available[index] for index in self.rng.permutation(len(available))[:self.rng.integers(0, 5)]]
        if self.time and self.time not in axes and self.chance(0.6):
            axes = axes[:3] + [self.time]
        unlimited = [axis for axis in axes if self.dims[axis][1]]
        if self.result.format != "NETCDF4" or self.chance(0.6):
            axes = unlimited + [axis for axis in axes if axis not in unlimited]
        kind = self.one(KINDS.get(self.result.format, PLAIN))
        group = "g/" if self.result.format == "NETCDF4" and self.chance(0.12) else ""
        variable = Variable(f"{group}f{number}", kind, tuple(axes), self._numbers(kind, self.shape(axes)))
        if self.chance(0.7):
            variable.attributes["units"] = self.one(("m", "K", "1"))
        if kind in ("i1", "i2", "u1", "u2", "i4") and self.chance(0.35):
            variable.exact = self.chance(0.6)
            scale, offset = (self.one((0.25, 2.0)), self.one((0.0, 16.5))) if variable.exact else (0.01, 273.15)
            variable.attributes.update(scale_factor=scale, add_offset=offset)
        if self.chance(0.45):
            self.mask(variable, self.rng.random(variable.values.shape) < self.one((0.2, 0.2, 1.0)))
        self._add(variable)

    def mask(self, variable, mask):
        variable.mask, variable.masking = np.asarray(mask), self.masking(variable)

    def masking(self, variable):
        kind, values = variable.kind, variable.values
        ways = [("fill", np.dtype(kind).type(self.one((120, 117)))), ("missing_value", np.dtype(kind).type(self.one((119, 118))))]
        if kind[1] != "1":
            ways.append(("default", netCDF4.default_fillvals[kind]))
        if kind[0] == "f":
            ways.append(("fill", np.dtype(kind).type(1e20)))
            if not np.isnan(values).any():
                ways.append(("fill", np.dtype(kind).type(np.nan)))
        if not values.size or (np.isfinite(values).all() and np.abs(values.astype("f8")).max() < 100):
            ways += [("valid_max", 120), ("range", 120)]
            if kind[0] != "u":
                ways.append(("valid_min", -105))
        return self.one(ways)

    def _characters(self, axis):
        self.dims.setdefault("nchar", [6, False])
        texts = [list(f"{self.one(('st', 'bu', 'X'))}{index:02}".ljust(6, "_")) for index in range(self.dims[axis][0])]
        return (axis, "nchar"), np.array(texts, "S1").reshape(len(texts), 6)

    def _places(self):
        for axis, step, units in (("y", 0.1, "degrees_north"), ("x", 0.25, "degrees_east")):
            if self.chance(0.4):
                length, kind = self.dims[axis][0], self.one(("f4", "f8"))
                variable = Variable(axis, kind, (axis,), (10 + step * np.arange(length)).astype(kind), "place", attributes={"units": units})
                if self.chance(0.4):
                    self.dims.setdefault("nv", [2, False])
                    variable.attributes["bounds"] = f"{axis}_bnds"
                    edges = np.stack([variable.values - step / 2, variable.values + step / 2], 1).astype(kind)
                    self._add(Variable(f"{axis}_bnds", kind, (axis, "nv"), edges.reshape(length, 2), "bounds"))
                self._add(variable)
        named = [variable for variable in self.result.of("field") if "/" not in variable.name and variable.dims]
        if not named or self.chance(0.5):
            return
        owner = self.one(named)
        listed = []
        first = [axis for axis in owner.dims if axis != self.time]
        for way in self.rng.permutation(5)[:self.rng.integers(1, 4)]:
            if way == 0:
                listed.append(self._add(Variable("height", "f4", (), np.array(2.0, "f4"), "place", attributes={"units": "m"})))
            elif way == 1 and len(first) > 1:
                axes = tuple(axis for axis in first[:2] if not self.dims[axis][1])
                if len(axes) == 2:
                    for name, units in (("nav_lat", "degrees_north"), ("nav_lon", "degrees_east")):
                        values = 40 + self.rng.random(self.shape(axes))
                        listed.append(self._add(Variable(name, "f8", axes, values, "place", attributes={"units": units})))
            elif way == 2 and first and not self.dims[first[0]][1]:
                listed.append(self._add(Variable("region", "S1", *self._characters(first[0]), role="text")))
            elif way == 3 and first and self.result.format == "NETCDF4":
                names = np.array([f"Bucht {index}" for index in range(self.dims[first[0]][0])], object)
                listed.append(self._add(Variable("basin", "string", (first[0],), names, "text")))
            elif way == 4 and self.time in owner.dims:
                axes = tuple(axis for axis in owner.dims if axis == self.time or not self.dims[axis][1])
                if self.result.format == "NETCDF4" or not self.dims[self.time][1] or axes[0] == self.time:
                    listed.append(self._add(Variable("zeta", "f8", axes, self.rng.random(self.shape(axes)), "place", attributes={"units": "m"})))
        if listed:
            owner.attributes["coordinates"] = " ".join(variable.name for variable in listed)

    def _texts_of_netcdf4(self):
        axis = self.one([name for name in self.dims if name != self.time])
        length = self.dims[axis][0]
        if self.chance(0.2):
            self._add(Variable("cloud", "enum", (axis,), self.rng.choice(np.array([0, 1, 2, 7], "u1"), length), "text"))
        if self.chance(0.15):
            values = np.zeros(length, [("r", "f8"), ("i", "i4")])
            values["r"], values["i"] = self.rng.normal(size=length), self.rng.integers(0, 9, length)
            self._add(Variable("spectral", "compound", (axis,), values, "text"))
        if self.chance(0.15):
            self._add(Variable("rows", "vlen", (axis,), [list(self.rng.normal(size=index + 1)) for index in range(length)], "text"))
        if self.chance(0.2):
            values = np.array([self.one(("", "Höhe", "a b", "x")) + str(index) for index in range(length)], object)
            self._add(Variable("station", "string", (axis,), values, "text"))
        if self.chance(0.1):
            self._add(Variable("run", "string", (), np.array("first", object), "text"))


# Storing the same otherwise

class Storer:
    """Changes how a copy is stored, not what it says."""

    def __init__(self, maker):
        self.maker, self.rng = maker, maker.rng

    def storage(self, file):
        """Format, order, chunks and byte order, which leave the stored numbers; unlimited dimensions may become others."""
        maker = self.maker
        if maker.chance(0.5):
            file.format = maker.one([style for style in sorted(set(FORMATS)) if self._possible(file, style)])
        if maker.chance(0.5):
            file.variables = [file.variables[index] for index in self.rng.permutation(len(file.variables))]
            file.dims = dict(sorted(file.dims.items(), key=lambda item: item[0], reverse=maker.chance(0.5)))
        if maker.chance(0.3) and all(length for length, _ in file.dims.values()):
            file.dims = {name: [length, False] for name, (length, _) in file.dims.items()}
        for variable in file.variables:
            variable.storage = maker.storage(variable)

    @staticmethod
    def _possible(file, style):
        if style == file.format:
            return True
        kinds = KINDS.get(style, PLAIN) + ("S1",)
        if style != "NETCDF4" and not all(variable.kind in kinds and "/" not in variable.name for variable in file.variables):
            return False
        unlimited = [axis for axis, (length, open_ended) in file.dims.items() if open_ended or not length]
        leading = all(axis not in variable.dims[1:] for axis in unlimited for variable in file.variables)
        return style == "NETCDF4" or (len(unlimited) < 2 and leading)

    def values(self, file):
        """Other types, fill values, epochs and attributes that mean nothing."""
        maker = self.maker
        kinds = KINDS.get(file.format, PLAIN)
        if maker.chance(0.3):
            file.attributes["history"] = "stored otherwise"
        for variable in file.of("field", "place"):
            packed = "scale_factor" in variable.attributes
            if maker.chance(0.3) and not packed:
                self._widen(variable, kinds)
            elif maker.chance(0.4) and packed and variable.exact:
                scale, offset = variable.attributes.pop("scale_factor"), variable.attributes.pop("add_offset")
                variable.kind, variable.values = "f8", np.asarray(variable.values.astype("f8") * scale + offset)
                if variable.mask is not None:
                    variable.masking = ("fill", 1e20)
            if variable.mask is not None and maker.chance(0.4):
                variable.masking = maker.masking(variable)
            if variable.role == "field" and maker.chance(0.1):
                variable.attributes["comment"] = "the same"
        if maker.chance(0.5):
            self._epoch(file)

    def _widen(self, variable, kinds):
        wider = [kind for kind in WIDER.get(variable.kind, ()) if kind in kinds]
        if wider:
            variable.kind = self.maker.one(wider)
            variable.values = variable.values.astype(variable.kind)
            if variable.mask is not None:
                variable.masking = self.maker.masking(variable)

    def _epoch(self, file):
        for time in file.of("time"):
            old = time.attributes["units"].split()[0]
            unit, epoch = self.maker.one(list(SECONDS)), self.maker.one(list(EPOCHS))
            time.attributes["units"] = f"{unit} since {epoch}"
            if self.maker.chance(0.3) and "calendar" in time.attributes:
                time.attributes["calendar"] = CALENDARS.get(time.attributes["calendar"], time.attributes["calendar"])
            for variable in [time] + [bounds for bounds in file.of("bounds") if bounds.name == time.attributes.get("bounds")]:
                days = variable.values.astype("f8") * SECONDS[old] / 86400 - EPOCHS[epoch]
                variable.kind, variable.values = "f8", days * 86400 / SECONDS[unit]


# Planting

@dataclasses.dataclass
class Plant:
    """What was planted where, a `kind` of None where nothing was. `strict`: `equal` has to be false, or only must not be true, or (None) no value differs."""
    kind: str = None
    name: str = None
    index: tuple = None
    strict: bool = True


class Planter:
    """Plants one difference into a file; each way returns a Plant, or None where the file has nothing to plant it into."""

    def __init__(self, maker):
        self.maker, self.rng = maker, maker.rng

    WAYS = ("bit", "bit", "bit", "number", "number", "sign_of_zero", "sign_of_zero", "mask", "unmask", "nan", "infinity", "record", "text", "text", "text",
            "place", "place", "last_bit_of_place", "bounds", "time", "variable", "variable_more", "units", "scale", "length")

    def plant(self, file):
        for way in self.rng.permutation(self.WAYS):
            planted = getattr(self, f"_{way}")(file)
            if planted:
                planted.kind = str(way)
                return planted
        return Plant(strict=None)

    def _index(self, shape):
        """First, last or random; of records often the first."""
        way = self.maker.one(("first", "last", "random", "random"))
        index = [{"first": 0, "last": length - 1}.get(way, int(self.rng.integers(length))) for length in shape]
        return tuple(index)

    def _choose(self, variables):
        return self.maker.one(variables) if variables else None

    def _point(self, file, allowed=lambda variable, index: True):
        """A field and a point of it that is not missing."""
        fields = [variable for variable in file.of("field") if variable.values.size]
        for index in self.rng.permutation(len(fields)):
            variable = fields[index]
            for _ in range(8):
                point = self._index(variable.values.shape)
                if (variable.mask is None or not variable.mask[point]) and allowed(variable, point):
                    return variable, point
        return None, None

    @staticmethod
    def _finite(variable, point):
        return bool(np.isfinite(variable.values[point]))

    def _bit(self, file):
        variable, point = self._point(file, self._finite)
        if variable is None:
            return None
        old = variable.values[point]
        # Towards zero, so that no limit is passed.
        variable.values[point] = np.nextafter(old, old.dtype.type(0 if old else 1)) if variable.kind[0] == "f" else old - 1 if old > 0 else old + 1
        return Plant(name=variable.name, index=point)

    def _number(self, file):
        variable, point = self._point(file, self._finite)
        if variable is None:
            return None
        old = variable.values[point]
        variable.values[point] = 33 if old != 33 else 34
        return Plant(name=variable.name, index=point)

    def _sign_of_zero(self, file):
        zeros = [(variable, point) for variable in file.of("field") if variable.kind[0] == "f"
                 for point in np.argwhere((variable.values == 0) & (True if variable.mask is None else ~variable.mask))]
        if not zeros:
            return None
        variable, point = self.maker.one(zeros)
        variable.values[tuple(point)] *= -1
        return Plant(strict=None)

    def _mask(self, file):
        variable, point = self._point(file)
        if variable is None:
            return None
        if variable.mask is None:
            self.maker.mask(variable, np.zeros(variable.values.shape, bool))
        variable.mask[point] = True
        return Plant(name=variable.name, index=point)

    def _unmask(self, file):
        fields = [variable for variable in file.of("field") if variable.mask is not None and variable.mask.any()]
        variable = self._choose(fields)
        if variable is None:
            return None
        point = tuple(int(index) for index in self.maker.one(np.argwhere(variable.mask)))
        variable.mask[point] = False
        return Plant(name=variable.name, index=point)

    def _nan(self, file, number=np.nan):
        variable, point = self._point(file, lambda variable, point: variable.kind[0] == "f" and self._finite(variable, point)
                                      and (not variable.masking or variable.masking[0] in ("fill", "missing_value", "default")))
        if variable is None:
            return None
        variable.values[point] = number
        return Plant(name=variable.name, index=point)

    def _infinity(self, file):
        return self._nan(file, self.maker.one((np.inf, -np.inf)))

    def _record(self, file):
        """One record less: the first, the last or one between."""
        time = next((axis for axis in ("time", "Time", "ocean_time") if file.dims.get(axis, [0])[0] > 1), None)
        if time is None or not any(time in variable.dims and variable.values.size for variable in file.of("field")):
            return None
        drop = self._index((file.dims[time][0],))[0]
        file.dims[time][0] -= 1
        for variable in file.variables:
            if time in variable.dims:
                axis = variable.dims.index(time)
                variable.values = np.delete(variable.values, drop, axis)
                if variable.mask is not None:
                    variable.mask = np.delete(variable.mask, drop, axis)
        return Plant(name=time, index=(drop,))

    def _text(self, file):
        variable = self._choose([variable for variable in file.of("text") if not variable.dims or len(variable.values)])
        if variable is None:
            return None
        if not variable.dims:
            variable.values = np.array("second", object)
            return Plant(name=variable.name, index=())
        index = self._index(np.shape(variable.values)) if variable.kind != "vlen" else self._index((len(variable.values),))
        if variable.kind == "enum":
            variable.values[index] = 1 if variable.values[index] != 1 else 7
        elif variable.kind == "compound":
            variable.values[self.maker.one(("r", "i"))][index] += 1
        elif variable.kind == "vlen":
            row = variable.values[index[0]]
            row[-1] = math.nextafter(row[-1], math.inf)
        elif variable.kind == "string":
            variable.values[index] += self.maker.one((" ", "x"))
        elif variable.name == "Times":
            index = (index[0], 18)
            variable.values[index] = b"7"
        else:
            variable.values[index] = b"Q"
        return Plant(name=variable.name, index=index)

    def _place(self, file, change=lambda value: value + value.dtype.type(0.01), strict=True):
        variable = self._choose([variable for variable in file.of("place") if variable.values.size])
        if variable is None:
            return None
        index = self._index(variable.values.shape)
        variable.values = np.array(variable.values)
        variable.values[index] = change(variable.values[index])
        return Plant(name=variable.name, index=index, strict=strict)

    def _last_bit_of_place(self, file):
        return self._place(file, lambda value: np.nextafter(value, value.dtype.type(0)), strict=False)

    def _bounds(self, file):
        variable = self._choose([variable for variable in file.of("bounds") if variable.values.size])
        if variable is None:
            return None
        index = self._index(variable.values.shape)
        # By an hour at least where it is of time, whatever its units.
        variable.values[index] += 3600 if variable.name == "time_bnds" else variable.values.dtype.type(0.01)
        return Plant(name=variable.name, index=index)

    def _time(self, file):
        variable = self._choose([variable for variable in file.of("time") if variable.values.size and variable.kind == "f8"])
        if variable is None:
            return None
        index = self._index(variable.values.shape)
        variable.values[index] += 3600 * self.maker.one((0.25, 0.75)) / SECONDS[variable.attributes["units"].split()[0]]
        return Plant(name=variable.name, index=index)

    def _variable(self, file):
        fields = file.of("field")
        if len(fields) < 2:
            return None
        name = self.maker.one(fields).name
        file.variables = [variable for variable in file.variables if variable.name != name]
        return Plant(name=name)

    def _variable_more(self, file):
        variable = copy.deepcopy(self.maker.one(file.of("field")))
        variable.name, variable.attributes = "more", {}
        file.variables.append(variable)
        return Plant(name="more")

    def _units(self, file):
        variable = self.maker.one(file.of("field"))
        variable.attributes["units"] = "furlong"
        return Plant(name=variable.name, strict=False)

    def _scale(self, file):
        variable = self._choose([variable for variable in file.of("field") if "scale_factor" in variable.attributes and variable.values.any()
                                 and (variable.mask is None or (variable.values[~variable.mask] != 0).any())])
        if variable is None:
            return None
        variable.attributes["scale_factor"] *= 1 + 2**-20
        return Plant(name=variable.name)

    def _length(self, file):
        """One point less along a dimension that is no time."""
        lengths = [axis for axis in ("y", "x") if file.dims[axis][0] > 1 and any(axis in variable.dims and variable.values.size for variable in file.of("field"))
                   and not any(axis in variable.dims for variable in file.of("text"))]
        axis = self._choose(lengths)
        if axis is None or any(variable.kind == "vlen" and axis in variable.dims for variable in file.variables):
            return None
        file.dims[axis][0] -= 1
        for variable in file.variables:
            if axis in variable.dims:
                place = variable.dims.index(axis)
                variable.values = np.delete(variable.values, -1, place)
                if variable.mask is not None:
                    variable.mask = np.delete(variable.mask, -1, place)
        return Plant(name=axis)


# What numpy says

def read(path):
    """{name: (kind, dimensions, shape, stored, attributes)}; numbers without byte order."""
    result = {}
    with netCDF4.Dataset(path) as data:
        data.set_auto_maskandscale(False)
        data.set_auto_chartostring(False)
        for group in [data, *data.groups.values()]:
            for name, variable in group.variables.items():
                kind = variable.datatype
                if isinstance(kind, netCDF4.EnumType):
                    kind = ("enum", said(kind.dtype), tuple(sorted((key, int(value)) for key, value in kind.enum_dict.items())))
                elif isinstance(kind, netCDF4.CompoundType):
                    kind = ("compound", tuple((key, said(kind.dtype[key])) for key in kind.dtype.names))
                elif isinstance(kind, netCDF4.VLType) or kind is str:
                    kind = ("rows", "text" if kind is str else said(kind.dtype))
                else:
                    kind = said(kind)
                stored = variable[...] if variable.size else np.zeros(variable.shape)
                if isinstance(kind, str) and kind != "S1":
                    stored = np.asarray(stored).astype(kind)
                attributes = {key: variable.getncattr(key) for key in variable.ncattrs()}
                result[name if group is data else f"{group.name}/{name}"] = kind, variable.dimensions, variable.shape, stored, attributes
        result[""] = "file", (), (), None, {key: data.getncattr(key) for key in data.ncattrs()}
    return result


def _rows(stored):
    """Anything that is no plain number, as nested lists that know equality."""
    if isinstance(stored, np.ndarray) and stored.dtype.names:
        return [tuple(item.tobytes() for item in row) for row in stored.ravel()]
    if isinstance(stored, np.ndarray) and stored.dtype == object:
        return [_rows(item) for item in stored.ravel()]
    return stored.tobytes() if isinstance(stored, np.ndarray) else stored


def _same_bits(one, other):
    kind, _, _, stored, attributes = one
    if other[:3] != one[:3] or attributes.keys() != other[4].keys():
        return False
    for key, value in attributes.items():
        if np.asarray(value).dtype != np.asarray(other[4][key]).dtype or np.asarray(value).tobytes() != np.asarray(other[4][key]).tobytes():
            if not isinstance(value, str) or value != other[4][key]:
                return False
    return kind == "file" or _rows(stored) == _rows(other[3])


def decode(kind, stored, attributes):
    """Values and the mask of missing ones, by the conventions of CF."""
    values, missing = stored, np.zeros(stored.shape, bool)
    marks = [attributes[key] for key in ("_FillValue", "missing_value") if key in attributes]
    if "_FillValue" not in attributes and kind[1] != "1":
        marks.append(netCDF4.default_fillvals[kind])
    for mark in marks:
        mark = np.asarray(mark).astype(kind)
        missing |= np.isnan(values) if kind[0] == "f" and np.isnan(mark) else values == mark
    low, high = attributes.get("valid_range", (attributes.get("valid_min"), attributes.get("valid_max")))
    if low is not None:
        missing |= values < low
    if high is not None:
        missing |= values > high
    if "scale_factor" in attributes:
        values = values.astype("f8") * attributes["scale_factor"] + attributes["add_offset"]
    return values, missing


def _dates(values, attributes):
    if not values.size:
        return values
    dates = cftime.num2date(values.astype("f8"), attributes["units"], attributes.get("calendar", "standard"), only_use_cftime_datetimes=True)
    return np.vectorize(lambda date: (date - type(date)(1800, 1, 1)).total_seconds(), otypes=["f8"])(dates)


@dataclasses.dataclass
class Truth:
    """Of two files: `bits`, `values` or `differs`; of each numeric variable of one shape how many points differ and where."""
    answer: str
    reasons: list
    points: dict
    units: bool  # all that differs are texts of units


def truth_of(reference, test):
    """Of what `read` gave of two files."""
    reasons, points, units = [], {}, []
    inherited = [{}, {}]
    for file, found in zip((reference, test), inherited):
        for name, (_, _, _, _, attributes) in file.items():
            if " since " in attributes.get("units", ""):
                found[name] = found[attributes.get("bounds", name)] = attributes
    for name in sorted(reference.keys() ^ test.keys()):
        reasons.append(f"{name} is in one file only")
    for name in sorted(reference.keys() & test.keys() - {""}):
        one, other = reference[name], test[name]
        if one[1] != other[1] or one[2] != other[2]:
            reasons.append(f"{name}: {one[1:3]} and {other[1:3]}")
        elif not isinstance(one[0], str) or not isinstance(other[0], str) or "S1" in (one[0], other[0]):
            if one[0] != other[0] or _rows(one[3]) != _rows(other[3]):
                reasons.append(f"{name}: other texts")
        else:
            values, missing = zip(*(decode(kind, stored, attributes) for kind, _, _, stored, attributes in (one, other)))
            if all(name in found for found in inherited):
                values = [_dates(part, found[name]) for part, found in zip(values, inherited)]
            elif one[4].get("units") != other[4].get("units"):
                units.append(name)
            differs = missing[0] != missing[1]
            # Python compares whole numbers of any length and floats exactly.
            exact = [x != y and not (x != x and y != y) for x, y in zip(values[0].ravel().tolist(), values[1].ravel().tolist())]
            differs = differs | (np.array(exact, bool).reshape(differs.shape) & ~missing[0] & ~missing[1])
            points[name] = [tuple(int(number) for number in index) for index in np.argwhere(differs)]
            if points[name]:
                reasons.append(f"{name} differs at {points[name][:3]}")
    bits = not reasons and reference.keys() == test.keys() and all(_same_bits(reference[name], test[name]) for name in reference)
    return Truth("differs" if reasons else "bits" if bits else "values", reasons, points, bool(units) and not reasons)


# What `compare` may answer

def complaints(truth, plant, code, answer, reference):
    """Lines on what is false in an answer; `reference` is what `read` gave of it."""
    result = []
    equal = answer.get("equal")
    if equal not in (True, False, None) or "equal" not in answer:
        result.append(f"equal is {equal!r}")
    if truth.answer == "differs" and equal is True:
        result.append(f"equal is true, but {truth.reasons[0]}")
    elif truth.answer == "differs" and plant.strict and equal is not False:
        result.append(f"equal is {equal}, but {truth.reasons[0]}")
    if truth.answer == "values" and equal is False:
        result.append("equal is false, but all values agree")
    if truth.answer == "bits" and equal is not True:
        result.append(f"equal is {equal}, but all stored bits agree")
    if truth.units and equal is True:
        result.append("equal is true, but units are other ones")
    one_sided = plant.kind in ("mask", "unmask", "nan")
    if code not in (0, 1) or (truth.answer != "differs" and code != 0) or (one_sided and code != 1):
        result.append(f"exit code {code}")
    if truth.answer != "differs" or plant.kind in ("bit", "number", "mask", "unmask", "nan", "infinity", "scale"):
        for name, points in truth.points.items():
            if name in answer.get("variables", {}):
                result += [f"{name}: {line}" for line in _of_variable(points, plant, answer["variables"][name], reference[name])]
            elif points:
                result.append(f"{name} is not among the variables")
    return result


def _of_variable(points, plant, entry, described):
    if isinstance(entry, list):
        differing = sum(part["differing"] for part in entry)
        return [] if differing == len(points) else [f"{differing} points differ at all times, not {len(points)}"]
    result = []
    if entry["differing"] != len(points):
        result.append(f"{entry['differing']} points differ, not {len(points)}")
    if (entry["same"] == "no") != bool(points):
        result.append(f"same is {entry['same']!r}, but {len(points)} points differ")
    if len(points) == 1 and plant.kind in ("bit", "number"):
        index = ((entry["worst"] or {}).get("index") or {})
        for axis, number in zip(described[1], points[0]):
            found = index.get(axis, index.get("/" + axis))
            # What tells the time instead is checked by the dates.
            if found != number and not (found is None and axis.lower().endswith("time")):
                result.append(f"the worst is at {index}, not at {dict(zip(described[1], points[0]))}")
                break
    if len(points) == 1 and plant.kind in ("mask", "unmask", "nan"):
        sides = sum(entry[f"{what}_only_in_{where}"] for what in ("missing", "nan") for where in ("reference", "test"))
        if sides != 1:
            result.append(f"{sides} points are missing or NaN on one side, not 1")
    return result


def make(number, seed, folder):
    """Writes pair `number` as a.nc and b.nc below `folder`; its Plant."""
    rng = np.random.default_rng([seed, number])
    maker = Maker(rng)
    first = maker.file()
    second = copy.deepcopy(first)
    storer = Storer(maker)
    if maker.chance(0.5):
        storer.values(second)
    plant = Planter(maker).plant(second) if maker.chance(0.6) else Plant(strict=None)
    if maker.chance(0.8):
        storer.storage(second)
    write(folder / "a.nc", first)
    write(folder / "b.nc", second)
    return plant
