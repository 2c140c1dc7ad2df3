// SPDX-License-Identifier: Apache-2.0
#include "io/hdf5_file.hpp"

#include <netcdf.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "io/absence.hpp"
#include "io/hdf5_library.hpp"
#include "io/netcdf_library.hpp"
#include "io/text.hpp"

namespace ulpine::io {
namespace {

using namespace hdf5_library;

NetcdfFailure failure(std::string const& what) { return NetcdfFailure("HDF5: " + what); }

/// How a type reads to a person and whether two files' values of it can be held against each other.
struct TypeText {
  std::string text;
  std::string not_comparable = {};  ///< why not; empty where they can
  bool flat = true;                 ///< a value is its bytes
};

TypeText describe_type(Id type);

/// Bytes of a value that mean something: long doubles have 10 of 16.
std::size_t meaningful_bytes(Id type) {
  auto const floating = hdf5().type_class(type) == TypeClass::floating;
  return floating ? (hdf5().type_precision(type) + 7) / 8 : hdf5().type_size(type);
}

/// Takes what is said of a type within another one into what is said of that one.
void take_inner(TypeText const& inner, Id type, TypeText& outer) {
  if (!inner.not_comparable.empty()) {
    outer.not_comparable = inner.not_comparable;
  } else if (!inner.flat) {
    outer.not_comparable = "rows of any length within other values are not read";
  } else if (meaningful_bytes(type) < hdf5().type_size(type)) {
    outer.not_comparable = "long doubles within other values have bytes that mean nothing";
  }
}

TypeText describe_compound(Id type) {
  TypeText result{"compound {"};
  auto const count = hdf5().member_count(type);
  for (int i = 0; i < count; ++i) {
    auto* const name = hdf5().member_name(type, static_cast<unsigned>(i));
    auto const member = type_handle(hdf5().member_type(type, static_cast<unsigned>(i)));
    auto const described = describe_type(member.id());
    result.text += std::string(i > 0 ? ", " : "") + (name == nullptr ? "" : name) + ": " + described.text;
    hdf5().free_memory(name);
    take_inner(described, member.id(), result);
  }
  result.text += "}";
  return result;
}

TypeText describe_enumeration(Id type) {
  TypeText result{"enumeration of " + std::to_string(8 * hdf5().type_size(type)) + " bits {"};
  std::vector<unsigned char> value(hdf5().type_size(type));
  auto const count = hdf5().member_count(type);
  for (int i = 0; i < count; ++i) {
    auto* const name = hdf5().member_name(type, static_cast<unsigned>(i));
    hdf5().member_value(type, static_cast<unsigned>(i), value.data());
    long long number = 0;
    std::memcpy(&number, value.data(), std::min(value.size(), sizeof number));
    result.text +=
        std::string(i > 0 ? ", " : "") + (name == nullptr ? "" : name) + "=" + std::to_string(number);
    hdf5().free_memory(name);
  }
  result.text += "}";
  return result;
}

/// Describes a type as values of it have it in memory.
TypeText describe_type(Id type) {
  auto const bits = [&] { return std::to_string(8 * hdf5().type_size(type)); };
  switch (hdf5().type_class(type)) {
    case TypeClass::integer:
      return {(hdf5().type_sign(type) == 0 ? "unsigned integer of " : "integer of ") + bits() + " bits"};
    case TypeClass::floating:
      return {"floating-point number of " + bits() + " bits"};
    case TypeClass::string: {
      auto const row = hdf5().is_row_of_characters(type) > 0;
      return {"string", "", !row};
    }
    case TypeClass::opaque:
      return {"opaque value of " + bits() + " bits"};
    case TypeClass::bits_alone:
      return {"field of " + bits() + " bits"};
    case TypeClass::compound:
      return describe_compound(type);
    case TypeClass::reference:
      return {"reference", "references are addresses within one file", false};
    case TypeClass::enumeration:
      return describe_enumeration(type);
    case TypeClass::rows:
    case TypeClass::array: {
      auto const is_array = hdf5().type_class(type) == TypeClass::array;
      auto const inner = type_handle(hdf5().super(type));
      auto const described = describe_type(inner.id());
      TypeText result{(is_array ? "array of " : "rows of ") + described.text};
      if (is_array) {
        std::array<Size, most_dimensions> extents{};
        auto const rank =
            hdf5().array_rank(type) <= int(most_dimensions) ? hdf5().array_extents(type, extents.data()) : 0;
        for (int d = 0; d < rank; ++d)
          result.text += (d == 0 ? ", " : " x ") + std::to_string(extents[std::size_t(d)]);
      }
      take_inner(described, inner.id(), result);
      result.flat = is_array;
      return result;
    }
    default:
      return {"type of class " + std::to_string(hdf5().type_class(type)), "its meaning is not known"};
  }
}

/// Names that users know filters by (registered filter plugins of the HDF Group).
std::string filter_text(int id, std::string const& own_name) {
  static std::map<int, char const*> const known = {{307, "bzip2"},        {32000, "lzf"},
                                                   {32001, "blosc"},      {32004, "lz4"},
                                                   {32008, "bitshuffle"}, {32013, "zfp"},
                                                   {32015, "zstandard"},  {32017, "sz"},
                                                   {32019, "jpeg"},       {32023, "granular bit round"},
                                                   {32026, "blosc2"}};
  auto const found = known.find(id);
  auto const name = found != known.end() ? std::string{found->second} : own_name;
  return std::to_string(id) + (name.empty() ? "" : " (" + name + ")");
}

class Dataset {
 public:
  Dataset(Id file, std::string const& path) : handle_{hdf5().open(file, path.c_str(), 0), hdf5().close} {}

  explicit operator bool() const { return static_cast<bool>(handle_); }
  Id id() const { return handle_.id(); }
  /// The type of its values in memory, packed without gaps.
  Handle memory_type() const {
    auto const stored = type_handle(hdf5().type_of(id()));
    auto native = type_handle(stored ? hdf5().native(stored.id(), 0) : -1);
    if (native) hdf5().pack(native.id());
    return native;
  }
  std::vector<std::uint64_t> extents() const {
    auto const space = space_handle(hdf5().space_of(id()));
    std::array<Size, most_dimensions> found{};
    auto const rank = space ? hdf5().extents(space.id(), found.data(), nullptr) : 0;
    return {found.begin(), found.begin() + std::max(rank, 0)};
  }
  bool has_no_space() const {
    auto const space = space_handle(hdf5().space_of(id()));
    return space && hdf5().space_type(space.id()) == null_space;
  }
  Handle properties() const { return {hdf5().list_of(id()), hdf5().list_close}; }
  bool has_layout(int layout) const {
    auto const list = properties();
    return list && hdf5().layout(list.id()) == layout;
  }
  bool chunked() const { return has_layout(chunked_layout); }
  /// The first filter that its values are packed by and that is not there; empty where none is missing.
  std::string missing_filter() const {
    auto const list = properties();
    auto const count = list ? hdf5().filter_count(list.id()) : 0;
    for (int i = 0; i < count; ++i) {
      std::array<char, 64> name{};
      unsigned flags = 0, configuration = 0;
      std::size_t parameters = 0;
      auto const filter = hdf5().filter(list.id(), static_cast<unsigned>(i), &flags, &parameters, nullptr,
                                        name.size() - 1, name.data(), &configuration);
      if (filter >= 0 && hdf5().filter_available(filter) <= 0) return filter_text(filter, name.data());
    }
    return {};
  }

 private:
  Handle handle_;
};

/// netCDF-C's prefix of datasets that have a dimension's name and are not its coordinate.
constexpr char const* not_coordinate = "_nc4_non_coord_";

Dataset dataset_of(Id file, std::string const& variable) {
  auto const folder = folder_of(variable);
  Dataset hidden{file, folder + not_coordinate + variable.substr(folder.size())};
  return hidden ? std::move(hidden) : Dataset{file, variable};
}

/// The names of a group's members, by hard and soft links.
struct Listing {
  std::vector<std::string> datasets, groups;
};

/// Adds what a link leads to; for Functions::iterate. What the link is begins with its type.
int list_link(Id group, char const* name, int const* link, void* listing) {
  constexpr int hard = 0, soft = 1;
  if (*link != hard && *link != soft) return 0;  // of another file
  Handle const object{hdf5().object_open(group, name, 0), hdf5().object_close};
  auto const kind = object ? hdf5().kind_of(object.id()) : 0;
  auto& found = *static_cast<Listing*>(listing);
  if (kind == dataset_object) found.datasets.emplace_back(name);
  if (kind == group_object) found.groups.emplace_back(name);
  return 0;
}

/// Names of all datasets with their groups, those of a group before those of the groups in it.
void list_datasets(Id file, std::string const& folder, int depth, std::vector<std::string>& names) {
  constexpr int deepest = 100, by_name = 0, rising = 0;  // links may make a circle of groups
  constexpr std::size_t most = 1'000'000;
  Handle const group{hdf5().group_open(file, folder.empty() ? "/" : folder.c_str(), 0), hdf5().group_close};
  if (!group || depth > deepest || names.size() > most) return;
  Listing listing;
  hdf5().iterate(group.id(), by_name, rising, nullptr, list_link, &listing);
  for (auto const& name : listing.datasets) names.push_back(folder + name);
  for (auto const& name : listing.groups) list_datasets(file, folder + name + "/", depth + 1, names);
}

/// Whether netCDF-C reads values of that type as numbers.
bool is_plain_number(Id type) {
  auto const size = hdf5().type_size(type);
  auto const power = size == 1 || size == 2 || size == 4 || size == 8;
  auto const kind = hdf5().type_class(type);
  return (kind == TypeClass::integer && power) || (kind == TypeClass::floating && power && size > 1);
}

void complete_variable(Dataset const& dataset, NetcdfVariable& variable) {
  if (dataset.has_no_space()) {
    variable.dimensions = {{"no dataspace", 0, false}};
    variable.chunk = {1};
  }
  variable.sparse = dataset.chunked() || hdf5().stored_bytes(dataset.id()) == 0;
  if (auto const filter = dataset.missing_filter(); !filter.empty()) {
    variable.unreadable = "it is packed by filter " + filter +
                          ", of which no plugin is found; install it, or name its folder by HDF5_PLUGIN_PATH";
  }
  auto const type = dataset.memory_type();
  if (!type) {
    variable.type = label_type;
    if (variable.unreadable.empty()) variable.unreadable = "HDF5 does not know its type";
    return;
  }
  // Single characters are netCDF's own.
  if (is_plain_number(type.id()) || variable.type == NC_CHAR) return;
  auto const described = describe_type(type.id());
  variable.type = label_type;
  variable.type_text = described.text;
  if (variable.unreadable.empty() || variable.unreadable == no_numbers)
    variable.unreadable = described.not_comparable;
}

std::uint64_t hash_of(void const* data, std::size_t bytes) { return XXH3_64bits(data, bytes); }

/// Steps through the places of a box, row-major; `offset` is that of the place in an array of `shape`.
template <class Visit>
void for_each_place(std::vector<std::size_t> const& count, std::vector<std::size_t> const& shape,
                    std::vector<std::size_t> const& shift, Visit const& visit) {
  std::vector<std::size_t> index(count.size(), 0);
  for (std::size_t i = 0;; ++i) {
    std::size_t offset = 0;
    for (std::size_t d = 0; d < index.size(); ++d) offset = offset * shape[d] + shift[d] + index[d];
    visit(i, offset);
    auto d = index.size();
    while (d > 0 && ++index[d - 1] == count[d - 1]) index[--d] = 0;
    if (d == 0) return;
  }
}

std::size_t product_of(std::vector<std::size_t> const& count) {
  return std::accumulate(count.begin(), count.end(), std::size_t{1}, std::multiplies<>{});
}

/// The label of what was never written: of no text, of no row, or of a value of zeros.
std::uint64_t empty_label(Id type) {
  auto const kind = hdf5().type_class(type);
  if (kind == TypeClass::string || kind == TypeClass::rows) return hash_of("", 0);
  std::vector<unsigned char> const zeros(meaningful_bytes(type), 0);
  return hash_of(zeros.data(), zeros.size());
}

/// The labels of a box that lies within the dataset.
std::vector<std::uint64_t> labels_of(Dataset const& dataset, std::vector<std::size_t> const& start,
                                     std::vector<std::size_t> const& count) {
  auto const type = dataset.memory_type();
  auto const space = space_handle(hdf5().space_of(dataset.id()));
  std::vector<Size> const from(start.begin(), start.end()), extent(count.begin(), count.end());
  auto const memory = space_handle(
      count.empty() ? hdf5().space_of(dataset.id())
                    : hdf5().create_space(static_cast<int>(extent.size()), extent.data(), nullptr));
  if (!type || !space || !memory) throw failure("a dataset has no type or dataspace");
  if (!count.empty() &&
      hdf5().select(space.id(), select_set, from.data(), nullptr, extent.data(), nullptr) < 0) {
    throw failure("a part of a dataset cannot be selected");
  }
  auto const size = hdf5().type_size(type.id()), values = product_of(count);
  auto const kind = hdf5().type_class(type.id());
  auto const text = kind == TypeClass::string,
             row_of_characters = text && hdf5().is_row_of_characters(type.id()) > 0;
  std::vector<unsigned char> bytes(size * values, 0);
  std::vector<std::uint64_t> labels(values);
  // Rows that HDF5 allocates are given back at the end, also where not all of them could be read.
  struct Rows {
    Id type, memory;
    void* values;
    ~Rows() {
      if (values != nullptr) hdf5().reclaim(type, memory, 0, values);
    }
  } const rows{type.id(), memory.id(), row_of_characters || kind == TypeClass::rows ? bytes.data() : nullptr};
  if (hdf5().read(dataset.id(), type.id(), memory.id(), space.id(), 0, bytes.data()) < 0) {
    throw failure("values cannot be read");
  }
  auto const meaningful = meaningful_bytes(type.id());
  auto const inner = type_handle(kind == TypeClass::rows ? hdf5().super(type.id()) : -1);
  for (std::size_t i = 0; i < values; ++i) {
    auto const* element = bytes.data() + i * size;
    if (row_of_characters) {
      char const* characters = nullptr;
      std::memcpy(&characters, element, sizeof characters);
      labels[i] = characters == nullptr ? hash_of("", 0) : hash_of(characters, std::strlen(characters));
    } else if (text) {
      // Strings of one length end where their padding begins.
      auto length = size;
      while (length > 0 && element[length - 1] == '\0') --length;
      labels[i] = hash_of(element, length);
    } else if (kind == TypeClass::rows) {
      struct Row {
        std::size_t length;
        void* values;
      } row{};
      std::memcpy(&row, element, sizeof row);
      labels[i] = hash_of(row.values, row.length * hdf5().type_size(inner.id())) ^ row.length;
    } else {
      labels[i] = hash_of(element, meaningful);
    }
  }
  return labels;
}

/// Whether every chunk of a dataset is there: then none has to be looked for, which takes HDF5 a time that
/// grows with their number.
bool has_all_chunks(Dataset const& dataset, NetcdfVariable const& variable) {
  if (hdf5().chunk_count == nullptr) return false;
  auto const space = space_handle(hdf5().space_of(dataset.id()));
  Size there = 0, all = 1;
  if (!space || hdf5().chunk_count(dataset.id(), space.id(), &there) < 0) return false;
  auto const extents = dataset.extents();
  for (std::size_t d = 0; d < extents.size() && d < variable.chunk.size(); ++d) {
    all *= (extents[d] + variable.chunk[d] - 1) / variable.chunk[d];
  }
  return there == all;
}

/// Whether a box ends before what is there of a dataset does, and the part of it that is there.
std::vector<std::size_t> within(std::vector<std::uint64_t> const& extents,
                                std::vector<std::size_t> const& start,
                                std::vector<std::size_t> const& count) {
  auto part = count;
  for (std::size_t d = 0; d < part.size() && d < extents.size(); ++d) {
    auto const there = std::size_t{extents[d]};
    part[d] = start[d] >= there ? 0 : std::min(part[d], there - start[d]);
  }
  return part;
}

}  // namespace

std::unique_ptr<Hdf5File> Hdf5File::open(std::string const& path) {
  if (!hdf5().complete) return nullptr;
  // A file that netCDF-C has open is opened again only with the close degree that it was given there.
  for (auto const degree : {2, 0, 1, 3}) {
    Handle const list{hdf5().list_create(*hdf5().file_access), hdf5().list_close};
    if (!list || hdf5().set_close_degree(list.id(), degree) < 0) return nullptr;
    if (auto const file = hdf5().file_open(path.c_str(), 0, list.id()); file >= 0) {
      return std::unique_ptr<Hdf5File>{new Hdf5File{file}};
    }
  }
  return nullptr;
}

Hdf5File::~Hdf5File() {
  if (file_ >= 0) hdf5().file_close(file_);
}

bool Hdf5File::close() { return hdf5().file_close(std::exchange(file_, -1)) >= 0; }

void Hdf5File::complete(NetcdfCatalogue& catalogue, std::set<std::string> const& dimensions) const {
  std::set<std::string> known;
  for (auto& variable : catalogue.variables) {
    known.insert(variable.name);
    if (auto const dataset = dataset_of(file_, variable.name)) complete_variable(dataset, variable);
  }
  std::vector<std::string> names;
  list_datasets(file_, "", 0, names);
  for (auto const& name : names) {
    auto const folder = folder_of(name);
    auto const last = name.substr(folder.size());
    auto const coordinate =
        last.starts_with(not_coordinate) ? folder + last.substr(std::strlen(not_coordinate)) : name;
    if (known.contains(coordinate)) continue;
    Dataset const dataset{file_, name};
    if (!dataset) continue;
    // netCDF-C makes datasets of numbers of its dimensions.
    auto const type = dataset.memory_type();
    if (dimensions.contains(name) && type && is_plain_number(type.id())) continue;
    NetcdfVariable variable;
    variable.name = name;
    variable.type = label_type;
    variable.prefilled = false;
    for (auto const extent : dataset.extents()) {
      variable.dimensions.push_back(
          {"dimension " + std::to_string(variable.dimensions.size()), extent, false});
      variable.chunk.push_back(1);
    }
    complete_variable(dataset, variable);
    // A number that netCDF-C does not list is one that it cannot read.
    if (variable.type_text.empty() && variable.unreadable.empty()) {
      variable.unreadable = "netCDF does not list it";
    }
    catalogue.variables.push_back(std::move(variable));
  }
}

void Hdf5File::read_labels(NetcdfVariable const& variable, std::vector<std::size_t> const& start,
                           std::vector<std::size_t> const& count, std::uint64_t* labels) const {
  auto const dataset = dataset_of(file_, variable.name);
  if (!dataset) throw failure("a dataset is gone");
  auto const type = dataset.memory_type();
  std::fill(labels, labels + product_of(count), type ? empty_label(type.id()) : 0);
  auto const part = within(dataset.extents(), start, count);
  if (product_of(part) == 0) return;
  auto const size = type ? std::max<std::size_t>(hdf5().type_size(type.id()), 1) : 1;
  // As many values at once as memory is kept for: rows along the slowest dimension that has several.
  constexpr std::size_t most_bytes = std::size_t{1} << 24;
  std::size_t axis = 0;
  while (axis + 1 < part.size() && part[axis] == 1) ++axis;
  auto const all = part.empty() ? 1 : part[axis];
  auto const rows = std::clamp<std::size_t>(most_bytes / (size * (product_of(part) / all)), 1, all);
  for (std::size_t first = 0; first < all; first += rows) {
    auto from = start, piece = part;
    std::vector<std::size_t> shift(count.size(), 0);
    if (!piece.empty()) {
      piece[axis] = std::min(rows, all - first);
      from[axis] += first;
      shift[axis] = first;
    }
    auto const found = labels_of(dataset, from, piece);
    for_each_place(piece, count, shift,
                   [&](std::size_t i, std::size_t offset) { labels[offset] = found[i]; });
  }
}

void Hdf5File::mark_unwritten(NetcdfVariable const& variable, std::vector<std::size_t> const& start,
                              std::vector<std::size_t> const& count, double* values) const {
  auto const dataset = dataset_of(file_, variable.name);
  // The values of a virtual dataset are in others.
  if (!dataset || product_of(count) == 0 || dataset.has_layout(virtual_layout)) return;
  auto const never = absent(Absence::fill);
  if (hdf5().stored_bytes(dataset.id()) == 0) {
    std::fill(values, values + product_of(count), never);
    return;
  }
  auto const part = within(dataset.extents(), start, count);
  if (part != count) {
    std::vector<std::size_t> const none(count.size(), 0);
    for_each_place(count, count, none, [&](std::size_t, std::size_t offset) {
      auto rest = offset;
      for (auto d = count.size(); d-- > 0; rest /= count[d]) {
        if (rest % count[d] >= part[d]) {
          values[offset] = never;
          return;
        }
      }
    });
  }
  if (!dataset.chunked() || hdf5().chunk_info == nullptr || product_of(part) == 0) return;
  if (has_all_chunks(dataset, variable)) return;
  std::vector<std::size_t> first, chunks;
  for (std::size_t d = 0; d < part.size(); ++d) {
    first.push_back(start[d] / variable.chunk[d]);
    chunks.push_back((start[d] + part[d] - 1) / variable.chunk[d] - first[d] + 1);
  }
  for_each_place(
      chunks, chunks, std::vector<std::size_t>(chunks.size(), 0), [&](std::size_t, std::size_t place) {
        std::vector<Size> corner(part.size());
        std::vector<std::size_t> shift(part.size()), extent(part.size());
        auto rest = place;
        for (auto d = part.size(); d-- > 0; rest /= chunks[d]) {
          corner[d] = (first[d] + rest % chunks[d]) * variable.chunk[d];
          auto const from = std::max<std::size_t>(corner[d], start[d]);
          shift[d] = from - start[d];
          extent[d] = std::min<std::size_t>(corner[d] + variable.chunk[d], start[d] + part[d]) - from;
        }
        unsigned mask = 0;
        Size address = 0, bytes = 0;
        if (hdf5().chunk_info(dataset.id(), corner.data(), &mask, &address, &bytes) < 0 || bytes > 0) return;
        for_each_place(extent, count, shift,
                       [&](std::size_t, std::size_t offset) { values[offset] = never; });
      });
}

}  // namespace ulpine::io
