# SPDX-License-Identifier: Apache-2.0
"""Winds of sea ice on the sphere, from NetCDF."""
import numpy as np
from netCDF4 import Dataset

from absurd.trial import Trial

CASE = """core = "seaice"
[grid]
nx = 8
ny = 8
[discretisation]
coordinates = "spherical"
[time]
step = "120 s"
end = "8 min"
substeps = 5
[forcing]
wind = "file"
wind_file = "wind.nc"
"""
WORDS = ["run", "case.toml", "-o", "out", "--steps", "1", "--quiet", "--set", 'output.interval="120 s"']
LAT, LON, TIMES = np.arange(-90.0, 91, 10), np.arange(0.0, 360, 10), np.array([0.0, 1, 2])
AXES = ("time", "latitude", "longitude")


class Wind:
    """A wind file, which twists alter before it is written. Winds are eighths of m/s, which all units and types here hold."""

    def __init__(self):
        angle, height = np.meshgrid(np.deg2rad(LON), np.deg2rad(LAT))
        pattern = np.round(8 * np.array([10 * np.cos(height) * np.cos(angle + k) for k in (0, 1)])) / 8
        self.values = {name: np.stack([pattern[k] * (1 + t) for t in range(3)]) for k, name in enumerate(("u10", "v10"))}
        self.coordinates = {"time": TIMES, "latitude": LAT, "longitude": LON}
        self.units = {"time": "hours since 2010-01-01", "latitude": "degrees_north", "longitude": "degrees_east"}
        self.attributes = {"u10": {"units": "m s-1"}, "v10": {"units": "m s-1"}, "time": {}, "latitude": {}, "longitude": {}}
        self.axes, self.names, self.type, self.format, self.unlimited = list(AXES), {}, "f8", "NETCDF4", False
        self.level = False
        self.words = []

    def along(self, axis, alter):
        """Alters coordinate and values along an axis alike."""
        place = AXES.index(axis)
        self.coordinates[axis] = alter(self.coordinates[axis], 0)
        self.values = {name: alter(values, place) for name, values in self.values.items()}

    def each(self, alter):
        self.values = {name: alter(values) for name, values in self.values.items()}

    def write(self, folder):
        name = lambda key: self.names.get(key, key)  # noqa: E731
        with Dataset(folder / "wind.nc", "w", format=self.format) as file:
            for axis in self.axes:
                values = self.coordinates[axis]
                file.createDimension(name(axis), None if self.unlimited and axis == self.axes[0] else len(values))
                variable = file.createVariable(name(axis), "f8", (name(axis),))
                variable.setncatts({key: value for key, value in {"units": self.units[axis], **self.attributes[axis]}.items() if value is not None})
                variable[:] = values
            if self.level:
                file.createDimension("level", 1)
            stored = self.type.lstrip(">") if self.format.startswith("NETCDF3") else self.type
            for key, values in self.values.items():
                axes = [name(axis) for axis in self.axes] + ["level"] * self.level
                fill = self.attributes[key].pop("_FillValue", None)
                variable = file.createVariable(name(key), stored, axes, fill_value=fill, endian="big" if stored[0] == ">" else "native")
                variable.set_auto_maskandscale(False)
                variable.setncatts({key: value for key, value in self.attributes[key].items() if value is not None})
                order = np.transpose(values, [AXES.index(axis) for axis in self.axes])
                variable[...] = order[..., None] if self.level else order


def twist(expected):
    def note(function):
        TWISTS.append((expected, function))
        return function
    return note


TWISTS = []


@twist("same")
def latitudes_from_the_north(wind, r):
    wind.along("latitude", lambda values, axis: np.flip(values, axis))


@twist("near")
def longitudes_from_elsewhere(wind, r):
    by = r.randrange(1, 36)
    wind.along("longitude", lambda values, axis: np.roll(values, -by, axis))
    wind.coordinates["longitude"] = wind.coordinates["longitude"][0] + 10.0 * np.arange(36) - r.choice((0, 360))


@twist("near")
def longitudes_a_turn_further(wind, r):
    wind.coordinates["longitude"] = wind.coordinates["longitude"] + 360.0 * r.choice((-2, -1, 1))


@twist("near")
def longitudes_from_the_east(wind, r):
    wind.along("longitude", lambda values, axis: np.flip(values, axis))


@twist("same")
def the_first_longitude_twice(wind, r):
    wind.each(lambda values: np.concatenate([values, values[..., :1]], 2))
    wind.coordinates["longitude"] = np.append(wind.coordinates["longitude"], wind.coordinates["longitude"][0] + 360)


@twist("same")
def another_order_of_dimensions(wind, r):
    r.shuffle(wind.axes)


@twist("same")
def another_unit_of_time(wind, r):
    unit, factor = r.choice((("minutes", 60), ("seconds", 3600), ("days", 1 / 24), ("h", 1)))
    wind.coordinates["time"] = wind.coordinates["time"] * factor
    wind.units["time"] = wind.units["time"].replace("hours", unit)


@twist("same")
def another_date_to_count_from(wind, r):
    wind.units["time"] = wind.units["time"].replace("2010-01-01", r.choice(("2009-12-31 00:00:00", "1900-1-1", "2010-01-01T00:00:00Z", "2010-01-01 00:00:00 UTC")))
    # What the run counts from is the file's first time, whichever date that is.


@twist("same")
def another_calendar(wind, r):
    wind.attributes["time"]["calendar"] = r.choice(("standard", "gregorian", "proleptic_gregorian", "noleap", "365_day", "360_day", "julian", "all_leap"))


@twist("same")
def another_format(wind, r):
    wind.format = r.choice(("NETCDF3_CLASSIC", "NETCDF3_64BIT_OFFSET", "NETCDF3_64BIT_DATA", "NETCDF4_CLASSIC"))


@twist("same")
def single_precision(wind, r):
    wind.type = r.choice(("f4", ">f4", ">f8"))


@twist("same")
def packed_numbers(wind, r):
    offset = r.choice((0.0, 0.0, 4.0, -16.0))
    if wind.type != "i2" and np.abs(wind.values["u10"]).max() < 1000:
        wind.each(lambda values: np.round((values - offset) * 8))
        for name in ("u10", "v10"):
            wind.attributes[name] |= {"scale_factor": 0.125, "add_offset": offset}
        wind.type = r.choice(("i2", "i4"))


@twist("same")
def other_names(wind, r):
    wind.names |= r.choice(({"latitude": "lat", "longitude": "lon"}, {"time": "valid_time"}, {"latitude": "nav_lat", "longitude": "nav_lon"}))


@twist("same")
def a_level(wind, r):
    wind.level = True


@twist("same")
def times_without_a_limit(wind, r):
    wind.unlimited = True


@twist("same")
def other_spelling_of_units(wind, r):
    for name in ("u10", "v10"):
        wind.attributes[name]["units"] = r.choice(("m/s", "m s**-1", "m s^-1", "meter second-1", "metre/second", "M S-1", "m.s-1", " m s-1 ", "m s-1\0"))


@twist("near")
def another_unit_of_wind(wind, r):
    unit, factor = r.choice((("cm s-1", 100), ("km h-1", 3.6), ("knots", 3600 / 1852), ("kt", 3600 / 1852), ("mph", 3600 / 1609.344), ("km/h", 3.6), ("mm s-1", 1000)))
    wind.each(lambda values: values * factor)
    for name in ("u10", "v10"):
        wind.attributes[name]["units"] = unit


@twist("same")
def missing_far_away(wind, r):
    fill = r.choice((-9999.0, 1e20, 9.96921e36))
    wind.each(lambda values: np.where((np.arange(values.shape[1]) == 1)[:, None] & (np.arange(values.shape[2]) < 3), fill, values))
    for name in ("u10", "v10"):
        wind.attributes[name]["_FillValue"] = fill


@twist("refused")
def missing_and_not_said_so(wind, r):
    fill = r.choice((1e30, 1e20, 9.96921e36, -9999.0, -999.0, 99999.0, -32768.0, 32767.0, 1e15, 3e4, np.nan, np.inf, -np.inf, 500.0, -1e10))
    share = r.choice((1.0, 0.5))
    mask = np.array([r.random() < share for _ in range(wind.values["u10"][0].size)]).reshape(wind.values["u10"][0].shape)
    for name in r.choice((("u10",), ("v10",), ("u10", "v10"))):
        wind.values[name] = np.where(mask, fill, wind.values[name])


@twist("refused")
def a_unit_of_something_else(wind, r):
    for name in r.choice((("u10",), ("v10",), ("u10", "v10"))):
        wind.attributes[name]["units"] = r.choice(("K", "Pa", "degrees", "m", "kg m-2 s-1", "s-1", "N m-2", "1", "%", "m s", "m s-2", "m-1 s", "km s-1 K"))


@twist("refused")
def no_unit(wind, r):
    for name in r.choice((("u10",), ("u10", "v10"))):
        wind.attributes[name]["units"] = r.choice((None, "", " ", "unknown", "-"))


@twist("refused")
def latitudes_in_radians(wind, r):
    wind.coordinates["latitude"] = np.deg2rad(wind.coordinates["latitude"])


@twist("refused")
def longitudes_in_radians(wind, r):
    wind.coordinates["longitude"] = np.deg2rad(wind.coordinates["longitude"])


@twist("refused")
def angles_called_radians(wind, r):
    wind.units["latitude"] = wind.units["longitude"] = r.choice(("radians", "rad", "m", "km", "K", "gon"))


@twist("refused")
def latitudes_from_the_pole(wind, r):
    wind.coordinates["latitude"] = wind.coordinates["latitude"] + 90.0


@twist("refused")
def longitudes_too_far_apart(wind, r):
    wind.coordinates["longitude"] = wind.coordinates["longitude"] * r.choice((1.5, 710 / 350, 2.0, 3.0, 36.0))


@twist("refused")
def coordinates_out_of_order(wind, r):
    axis = r.choice([axis for axis in AXES if len(wind.coordinates[axis]) > 1])
    places = [0, len(wind.coordinates[axis]) - 1] if axis == "time" else r.sample(range(1, 17), 2)
    values = np.array(wind.coordinates[axis])
    values[places] = values[places[::-1]]
    wind.coordinates[axis] = values


@twist("refused")
def a_coordinate_twice_or_none(wind, r):
    axis = r.choice(AXES)
    values = np.array(wind.coordinates[axis], dtype=float)
    place = r.randrange(len(values))
    values[place] = r.choice((values[place - 1], np.nan, np.inf, 1e30, -1e300))
    wind.coordinates[axis] = values


@twist("refused")
def times_in_no_unit(wind, r):
    wind.units["time"] = r.choice(("", None, "hours", "K", "hours since then", "hours since 2010-13-41", "since 2010-01-01", "m"))
    wind.words = ["--set", 'forcing.wind_start="2010-01-01 00:00:00"']


@twist("refused")
def a_start_that_the_file_has_not(wind, r):
    wind.words = ["--set", 'forcing.wind_start="%s"' % r.choice(("2010-01-02 00:00:00", "2009-12-31 23:59:59", "0000-00-00 00:00:00", "9999-12-31 23:59:59", "2010-02-30 00:00:00",
                                                                 "-2010-01-01 00:00:00", "2010-01-01 25:00:00", "20100101", "2010-01-01 01:55:00", "2011-01-01 00:00:00", "now", ""))]


@twist("refused")
def components_swapped(wind, r):
    names = ("northward_wind", "eastward_wind")
    for name, standard in zip(("u10", "v10"), names):
        wind.attributes[name]["standard_name"] = standard


@twist("refused")
def components_of_something_else(wind, r):
    wind.attributes["u10"]["standard_name"] = r.choice(("air_temperature", "eastward_sea_water_velocity", "wind_speed", "wind_from_direction", "surface_downward_eastward_stress", "sea_ice_x_velocity"))


@twist("refused")
def packing_that_says_nothing(wind, r):
    wind.attributes[r.choice(("u10", "v10"))]["scale_factor"] = r.choice((np.nan, np.inf, 1e30, "an eighth", 1e300, -1e10))


@twist("refused")
def a_hole_where_the_ice_is(wind, r):
    where = np.isin(wind.coordinates["longitude"] % 360, (300.0, 310.0, 320.0, 330.0, 340.0, 350.0))
    wind.values = {name: values[..., ~where] for name, values in wind.values.items()}
    wind.coordinates["longitude"] = wind.coordinates["longitude"][~where]


@twist("refused")
def one_place_only(wind, r):
    axis = r.choice(("latitude", "longitude"))
    place = AXES.index(axis)
    wind.along(axis, lambda values, axis: np.take(values, [0], axis))
    assert wind.values["u10"].shape[place] == 1


@twist("refused")
def keys_that_mean_nothing(wind, r):
    wind.words = ["--set", r.choice(("forcing.wind_time=3", "forcing.wind_time=-4", "forcing.wind_time=2147483648", "forcing.wind_indices=[0]", "forcing.wind_indices=[1, 2]",
                                     'forcing.wind_u_variable="latitude"', 'forcing.wind_u_variable="none"', 'forcing.wind_v_variable="u10"', 'forcing.wind_file="."', "forcing.wind_u=5",
                                     'forcing.wind_file="/dev/zero"', 'forcing.wind_file=""', "forcing.cyclone_rate=1"))]


def make(random, folder):
    (folder / "case.toml").write_text(CASE)
    wind = Wind()
    expected, what = "same", []
    if random:
        chosen = random.sample(TWISTS, random.choice((1, 1, 2, 3)))
        # What makes no sense is done last, as other forms of the same would undo it.
        for expectation, function in sorted(chosen, key=lambda one: ("same", "near", "refused").index(one[0])):
            function(wind, random)
            what.append(function.__name__)
            expected = expectation
    wind.write(folder)
    return Trial(WORDS + wind.words, expected, "+".join(what), WORDS, says=("wind", "forcing"))
