// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "io/calendar.hpp"
#include "io/provenance.hpp"
#include "io/slabs.hpp"
#include "precision/value_type.hpp"

namespace ulpine::io {

/// A coordinate variable (same name as its dimension).
struct Coordinate {
  std::string name, standard_name, long_name, units;
  /// "X", "Y", "Z" or empty. X and Y are written beside longitudes and latitudes alone: VTK takes them for
  /// these whatever the units.
  std::string axis;
  std::vector<double> values;
};

/// Description of a field. `dimensions` are without time, slowest first, e.g. {"y", "x"} for shape {ny, nx}.
struct FieldInfo {
  std::string name, standard_name, long_name, units;
  std::vector<std::string> dimensions;
  std::vector<std::int64_t> shape;
  std::string coordinates;               ///< auxiliary coordinates, e.g. "lon lat"; may be empty
  std::string cell_methods = {};         ///< e.g. "area: mean"; may be empty
  ValueType type = ValueType::float64;   ///< in an output; binary128 and float32_pair are written as float64
  std::string mesh = {}, location = {};  ///< UnstructuredMesh::name and "node", "face" or "volume"
  std::string flag_meanings = {};        ///< for uint8: meanings of 0, 1, ..., e.g. "land sea"
  std::string ancillary_variables = {};  ///< fields that qualify this one, e.g. a mask
  std::string bounds = {};               ///< for an auxiliary coordinate: the field of its cells' corners
  std::int64_t size() const { return values_in(shape); }
};

/// Fills `values` with the row-major values [first, first + count) of a field in its type (binary128 and
/// float32_pair: double).
using SlabSource = std::function<void(std::int64_t first, std::int64_t count, void* values)>;

/// Values in memory, which must last as long as the source.
template <std::ranges::contiguous_range Values>
SlabSource slabs_of(Values const& values) {
  return [all = std::span{std::ranges::data(values), std::ranges::size(values)}](
             std::int64_t first, std::int64_t count, void* slab) {
    auto const part = all.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
    std::memcpy(slab, part.data(), part.size_bytes());
  };
}

/// The missing value of outputs: a source writes it for points outside a core's domain (land, buildings).
/// netCDF's own: the same number as double and float; 255 for bytes. NaN is not missing: it is
/// what a model that blew up computed.
template <class T>
constexpr T fill_value() {
  static_assert(std::is_same_v<T, std::uint8_t> || std::is_same_v<T, float> || std::is_same_v<T, double>);
  return std::is_same_v<T, std::uint8_t> ? T(255) : T(0x1.ep+122);
}
constexpr double missing_value(ValueType type) {
  return type == ValueType::uint8 ? fill_value<std::uint8_t>() : fill_value<double>();
}

/// A mesh of elements of one shape, written by the conventions UGRID-1.0 (part of CF-1.11): the topology as
/// variable `name`, all else as variables that begin with it. Fields on it name it and their location, and
/// have node_dimension() or element_dimension() among their dimensions.
struct UnstructuredMesh {
  struct Coordinate {
    std::string standard_name, long_name, units;
    SlabSource values;  ///< double
  };
  std::string name = "mesh", long_name = {};
  int dimension = 3;  ///< 2: the elements are faces; 3: volumes
  int nodes_per_element =
      4;  ///< faces: triangles, quadrilaterals, ...; volumes: 4 tetrahedra, 5 pyramids, 6 wedges, 8 hexahedra
  std::int64_t nodes = 0, elements = 0;
  std::vector<Coordinate> node_coordinates;     ///< x, y, and z if there is one
  std::vector<Coordinate> element_coordinates;  ///< as above, at the elements' centres; may be empty
  SlabSource connectivity;  ///< std::int32_t, elements x nodes_per_element: nodes from 0, those of faces
                            ///< anticlockwise from above, those of volumes in the order of VTK
  /// Triangles around tetrahedra, or edges around faces; none are written where there are none.
  std::int64_t boundaries = 0;
  SlabSource boundary_connectivity;  ///< std::int32_t, boundaries x dimension: nodes from 0
  SlabSource boundary_ids;           ///< std::int32_t: which side of the domain each belongs to
  std::vector<std::pair<std::int32_t, std::string>> boundary_names;  ///< names of ids, any text of one line
  /// (boundary, id) of those that belong to several sides, but for the id above.
  std::vector<std::pair<std::int32_t, std::int32_t>> further_boundary_ids = {};

  std::string element() const { return dimension == 2 ? "face" : "volume"; }  ///< FieldInfo::location
  std::string node_dimension() const { return "n" + name + "_node"; }
  std::string element_dimension() const { return "n" + name + "_" + element(); }
  std::string boundary_dimension() const { return "n" + name + "_boundary"; }
};

/// Writes CF-1.11 NetCDF-4, compressed, in slabs: no more than `slab_bytes` of a field are in memory. The
/// file grows under its final name. A record is there once finish_time() has given it its time, which is
/// done last; a file that a kill, a full disk or a failed source left unfinished has all whole records, and
/// what is behind them has no time or is behind the end of the NetCDF part. All that fails is an
/// EnvironmentError that names the file. Objects on several threads are safe beside each other, and no lock
/// is held while a source is asked. A kill within finish_time() can cost the whole file (HDF5 keeps no
/// journal); restart files, renamed into place, are safe. With a mesh there is an XDMF file beside it
/// (xdmf.hpp).
class OutputFile {
 public:
  static constexpr char const* usual_epoch = "2000-01-01 00:00:00";

  /// Defines the file anew: coordinates, time-dependent and static fields, provenance and the case text as
  /// attributes. Fields whose dimension has no coordinate get a plain dimension. `attributes` are further
  /// global text attributes (or replace written ones); times are counted from `epoch` ("YYYY-MM-DD hh:mm:ss",
  /// calendar standard). Fields of the dimensions of a static field `cell_area`, those along Z apart, name it
  /// as their cell measure; so do those of the dimensions of a static field `cell_volume`.
  OutputFile(std::filesystem::path const& path, std::string const& title,
             std::vector<Coordinate> const& coordinates, std::vector<FieldInfo> const& fields,
             std::vector<FieldInfo> const& static_fields, Provenance const& provenance,
             std::string const& case_text,
             std::vector<std::pair<std::string, std::string>> const& attributes = {},
             std::string const& epoch = usual_epoch, std::vector<UnstructuredMesh> const& meshes = {});
  OutputFile(OutputFile&&) noexcept;
  ~OutputFile();
  /// Says that the open file has been renamed to `path`. One begun under a temporary name (temporary.hpp) is
  /// called by its final one in messages from the start.
  void moved_to(std::filesystem::path const& path);
  void write_static(std::string const& field, SlabSource const& source);
  /// Starts the record of `seconds` since the start; write() writes its fields; finish_time() makes it valid.
  /// Times grow; the last time given again replaces its record, which is gone until it is finished again. A
  /// field that a record does not get is missing (_FillValue) there; NaN is written as NaN.
  void begin_time(double seconds);
  void write(std::string const& field, SlabSource const& source);
  void finish_time();
  /// Closes and seals (seal.hpp), so that errors of the last write are thrown here rather than lost and the
  /// file is known as whole. What is not closed so, as after a kill, is readable and has no seal.
  void close();

 private:
  struct File;
  std::unique_ptr<File> file_;
};

/// Part of a field: where it begins and how far it reaches along each of the field's dimensions.
struct Box {
  std::vector<std::int64_t> start, count;
  std::int64_t size() const;
};

/// The times of a variable as its file gives them. Dates that are numbers ("day as %Y%m%d.%f") or texts (of
/// WRF and MPAS), months and years since a date, and times of the calendars `utc` and `tai` are given as
/// seconds since 1970-01-01 of the calendar (instant_of()).
struct TimeAxis {
  bool exists = false;         ///< whether the variable has a time axis, with records or without any yet
  std::vector<double> stored;  ///< as written, or the index where there is no time coordinate
  std::string units;           ///< as written; empty without time coordinate
  std::string calendar;  ///< as CF prefers it, or as written where unknown; `standard` where none is given
  Calendar known_calendar = Calendar::standard;
  bool has_coordinate = false;
  bool dated = false;  ///< whether they count from a date, one that can be read or not
  double unit = 0;     ///< s; 0 where unknown
  double epoch = 0;    ///< the time 0, s since 1970-01-01 of the calendar; NaN where unknown
  /// Relative rounding of the type that times are stored in: 2^-23 of float, 2^-52 of double, 0 of integers.
  double relative_rounding = 0;
  /// The dimension, where nothing but its name lets think that it is time.
  std::string guessed_by;
};

/// A coordinate of a grid: a coordinate variable, or an auxiliary one of more dimensions.
struct GridCoordinate {
  std::string name;  ///< name of the variable
  std::string axis;  ///< "x", "y" or "z" as axis, standard_name, units or `positive` tell, else empty
  std::string units;
  std::int64_t rank = 1;
  bool labels = false;           ///< text or another type without numbers, to be the same
  bool in_time = false;          ///< another one at each time
  double relative_rounding = 0;  ///< of the stored type: 2^-23 for float, 2^-52 for double, 0 for integers
  double step = 0;               ///< between neighbouring values of packed integers; 0 of others
};

/// The resolution of the type that a variable is stored in.
struct StoredType {
  /// As C has it: "float", "double", "short", "unsigned int", "long long"; of labels "char" or what the type
  /// is.
  std::string name;
  double relative_rounding = 0;  ///< 2^-23 of float, 2^-52 of double, 0 of integers
  double step = 0;  ///< between neighbouring values of integers: 1, or |scale_factor|; 0 of others
};

/// Areas or volumes of cells, to weight a field with.
struct CellMeasure {
  std::string name;                     ///< name of the variable
  std::vector<std::size_t> dimensions;  ///< which of the field's dimensions it has
  bool customary = false;               ///< known by a model's usual name for it, which no attribute confirms
};

/// A field read from any NetCDF file.
struct FieldData {
  FieldInfo info;
  std::vector<double> values;  ///< row-major, unpacked, NaN where missing (Unpacking)
};

/// Reads any model's NetCDF file (groups included as "group/name"). InputError where missing, truncated, not
/// NetCDF, or Ulpine's own and altered since. Files with a whole seal of Ulpine's are read here, all others
/// by a child process, so that a damaged one takes nothing down with it.
class InputFile {
 public:
  explicit InputFile(std::filesystem::path const& path);
  InputFile(InputFile&&) noexcept;
  ~InputFile();
  /// Numeric variables that are no coordinates (nor bounds, auxiliary coordinates or grid mappings), in the
  /// order of the file, groups after the root. One of two or more dimensions that a `coordinates` attribute
  /// names is an auxiliary coordinate where its attributes or name tell of a place or a time.
  std::vector<std::string> variables() const;
  /// Variables without numbers that are no coordinates: text, enumerations, compounds, rows of any length.
  /// They are read as labels: each value as an unsigned integer of 64 bits, equal where what is stored is
  /// equal (the codes of single characters; `low` of read() has what double lacks).
  std::vector<std::string> labels() const;
  /// Coordinates, bounds, auxiliary coordinates and grid mappings, with numbers or labels.
  std::vector<std::string> places() const;
  /// Variables that cannot be read at all.
  std::vector<std::string> unreadable() const;
  /// Why `variable` cannot be read; empty where it can.
  std::string why_unreadable(std::string const& variable) const;
  /// Whether there is a variable of that name with numbers.
  bool has(std::string const& variable) const;
  /// Whether there is a variable of that name with numbers or labels.
  bool has_values(std::string const& variable) const;
  bool is_labels(std::string const& variable) const;
  /// The variable's times in seconds since its first (decoded from CF units where given, else the raw
  /// differences), empty where it has no time axis. A time axis is a dimension that is described as time (by
  /// axis, standard_name, or units that count from a date), or has exactly a usual name of it (time, t,
  /// Times, ocean_time, time_counter, ...) and is described as no other.
  std::vector<double> times(std::string const& variable) const;
  /// The variable's first time in seconds since 1970-01-01, counted in its own calendar; NaN without
  /// decodable time (CF units, a calendar of CF).
  double first_time(std::string const& variable) const;
  TimeAxis time_axis(std::string const& variable) const;
  FieldInfo info(std::string const& variable) const;
  /// The variable at time index `time` (negative: from the end; ignored without time axis). InputError where
  /// there is none.
  FieldData read(std::string const& variable, std::int64_t time = -1) const;
  /// All values of a variable, over all times; for coordinates, whose dimension may look like a time.
  std::vector<double> read_all(std::string const& variable) const;
  /// Parts that make up the variable at one time, in the order of the file and of at most `most_values` each:
  /// whole chunks where they are not larger, so that none is unpacked twice.
  std::vector<Box> boxes(std::string const& variable, std::int64_t most_values) const;
  /// The values of one box; takes memory as values come, so that a damaged header costs none.
  std::vector<double> read(std::string const& variable, std::int64_t time, Box const& box) const;
  /// As read(), of one part, row-major. `low` (empty or as long as `values`) gets what the nearest double
  /// lacks of 64-bit integers. Values that are missing are NaN with their reason (absence.hpp). Gives a hash
  /// of what is stored, which is the same for the same numbers in the same type. UnreadableVariable where
  /// this variable alone cannot be read.
  std::uint64_t read(std::string const& variable, std::int64_t time, Box const& box, std::span<double> values,
                     std::span<double> low = {}) const;
  StoredType stored_type(std::string const& variable) const;
  /// Whether the variable has 64-bit integers, which double rounds beyond 2^53.
  bool wide_integer(std::string const& variable) const;
  /// The first of the variables of its `cell_measures` (volume, area), `cell_volume`, `cell_area` and those
  /// that models customarily have (areacella, area, areaCell, areaTriangle, TAREA, gw, ...) that has no
  /// dimensions but the field's and no time.
  std::optional<CellMeasure> cell_measure(std::string const& variable) const;
  /// Those of the root that have one of these names, whatever their dimensions: what a file of a grid offers.
  std::vector<std::string> cell_measures() const;
  /// Reads weights of a box of a field, repeated along dimensions that the measure does not have.
  void read_weights(CellMeasure const& measure, Box const& box, std::span<double> weights) const;
  /// The weights of all of `variable`; empty where it has no cell measure.
  std::vector<double> weights(std::string const& variable) const;
  /// The coordinate variable of each dimension but time; nothing where there is none of numbers, or of
  /// numbers of ensemble members alone.
  std::vector<std::optional<GridCoordinate>> coordinates(std::string const& variable) const;
  /// Auxiliary coordinates of places: numbers along some of its dimensions but time.
  std::vector<GridCoordinate> auxiliary_coordinates(std::string const& variable) const;
  /// All that its file says of the places of a variable's values besides coordinates(): text coordinates of
  /// its dimensions, and what `coordinates` names, scalars, texts and places that move in time included.
  std::vector<GridCoordinate> further_places(std::string const& variable) const;
  /// Description of a variable that places() names, as the file gives it.
  GridCoordinate place(std::string const& variable) const;
  /// The units and the calendar of its numbers; of bounds without units those of the coordinate they belong
  /// to.
  std::string units_and_calendar(std::string const& variable) const;
  /// Its numbers as instants, s since 1970-01-01 of its calendar, where its units, or of bounds
  /// those of the coordinate that they belong to, count from a date that can be read; else empty.
  std::vector<double> instants(std::string const& variable) const;
  /// All attributes of a variable as one text, by their names.
  std::string attributes_of(std::string const& variable) const;
  /// Those of its dimensions but time that count nodes, edges or cells in no order, as the file's attributes
  /// say: of a mesh (UGRID), of points gathered from a grid (CF's `compress`), of CDI's unstructured grids.
  std::vector<std::string> cells_dimensions(std::string const& variable) const;
  /// Mean spacing in metres along each dimension of `variable`, as in FieldInfo::dimensions ({dy, dx} of a
  /// field of y and x): 0 where unknown, not horizontal or along an axis that is not strictly monotonic. Two
  /// that are the same_spacing() are both given as their mean.
  std::vector<double> spacings(std::string const& variable) const;
  /// Mean of the spacings() that are known; 0 where none is.
  double spacing(std::string const& variable) const;
  std::string attribute(std::string const& name) const;  ///< global text attribute, empty where absent
  std::string const& path() const;                       ///< as opened, for messages

 private:
  struct File;
  std::unique_ptr<File> file_;
};

}  // namespace ulpine::io
