// SPDX-License-Identifier: Apache-2.0
#include "io/zarr_store.hpp"

#include <netcdf.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "io/error.hpp"
#include "io/regular_file.hpp"

namespace ulpine::io {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::size_t most_arrays = 100'000, deepest_group = 32, most_dimensions = 32;
constexpr std::uint64_t largest_metadata = std::uint64_t{1} << 26;  // bytes
constexpr std::size_t largest_chunk = std::size_t{1} << 31;         // bytes
constexpr std::uint64_t largest_extent = std::uint64_t{1} << 40;

/// Python writes NaN and infinities as words, which are no JSON: as texts they are.
std::string with_quoted_words(std::string const& text) {
  std::string result;
  auto quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"' && (i == 0 || text[i - 1] != '\\')) quoted = !quoted;
    auto found = false;
    for (std::string const word : {"NaN", "-Infinity", "Infinity"}) {
      if (quoted || found || text.compare(i, word.size(), word) != 0) continue;
      result += '"' + word + '"';
      i += word.size() - 1;
      found = true;
    }
    if (!found) result += text[i];
  }
  return result;
}

/// An object; an empty one where there is no such file.
Json metadata(fs::path const& file) {
  std::error_code failed;
  if (!fs::exists(file, failed)) return Json::object();
  auto const name = file.parent_path().filename().string() + "/" + file.filename().string();
  try {
    auto const text = regular_file_content(file, largest_metadata);
    if (!text) throw NetcdfFailure(name + " cannot be read");
    auto json = Json::parse(with_quoted_words(*text));
    if (json.is_object()) return json;
  } catch (Json::exception const&) {
  } catch (InputError const&) {
  }
  throw NetcdfFailure(name + " makes no sense");
}

std::optional<double> number_of(Json const& value) {
  if (value.is_number()) return value.get<double>();
  if (value.is_boolean()) return value.get<bool>() ? 1. : 0.;
  if (value == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (value == "Infinity") return std::numeric_limits<double>::infinity();
  if (value == "-Infinity") return -std::numeric_limits<double>::infinity();
  return {};
}

/// Texts, numbers and lists of them; other things are no attributes that give values a meaning.
std::optional<NetcdfAttribute> attribute_of(Json const& value) {
  auto const list = value.is_array() ? value : Json::array({value});
  if (list.empty()) return {};
  auto const all = [&](auto const& is) { return std::all_of(list.begin(), list.end(), is); };
  if (all([](Json const& one) { return one.is_number_integer() || one.is_boolean(); })) {
    std::vector<std::int64_t> numbers;
    for (auto const& one : list) {
      numbers.push_back(one.is_boolean() ? (one.get<bool>() ? 1 : 0) : one.get<std::int64_t>());
    }
    return numbers;
  }
  if (all([](Json const& one) { return number_of(one).has_value(); })) {
    std::vector<double> numbers;
    for (auto const& one : list) numbers.push_back(*number_of(one));
    return numbers;
  }
  if (all([](Json const& one) { return one.is_string(); })) {
    std::string text;
    for (auto const& one : list) text += (text.empty() ? "" : " ") + one.get<std::string>();
    return text;
  }
  return {};
}

NetcdfAttributes attributes_of(Json const& all) {
  NetcdfAttributes attributes;
  for (auto const& [name, value] : all.items()) {
    if (name == "_ARRAY_DIMENSIONS" || name.starts_with("_NCZARR") || name.starts_with("_nczarr")) continue;
    if (auto attribute = attribute_of(value)) attributes[name] = std::move(*attribute);
  }
  return attributes;
}

std::int32_t netcdf_type(ZarrArray const& array) {
  if (array.kind == 'f') return array.bytes == 8 ? NC_DOUBLE : NC_FLOAT;
  auto const is_signed = array.kind == 'i';
  switch (array.bytes) {
    case 1:
      return is_signed ? NC_BYTE : NC_UBYTE;
    case 2:
      return is_signed ? NC_SHORT : NC_USHORT;
    case 4:
      return is_signed ? NC_INT : NC_UINT;
    default:
      return is_signed ? NC_INT64 : NC_UINT64;
  }
}

std::vector<std::size_t> extents_of(Json const& all, std::uint64_t least) {
  std::vector<std::size_t> extents;
  if (!all.is_array() || all.size() > most_dimensions) throw NetcdfFailure("an array's shape makes no sense");
  for (auto const& one : all) {
    if (!one.is_number_integer() || one < least || one > largest_extent) {
      throw NetcdfFailure("an array's shape makes no sense");
    }
    extents.push_back(one.get<std::size_t>());
  }
  return extents;
}

/// Why values of a type are not read; empty where they are.
std::string take_type(ZarrArray& array, Json const& dtype) {
  auto const text = dtype.is_string() ? dtype.get<std::string>() : "";
  auto const size = text.size() == 3 ? text[2] - '0' : 0;
  auto const kind = text.size() == 3 ? text[1] : ' ';
  auto const known = kind == 'f'                  ? size == 2 || size == 4 || size == 8
                     : kind == 'i' || kind == 'u' ? size == 1 || size == 2 || size == 4 || size == 8
                                                  : kind == 'b' && size == 1;
  if (!known) return no_numbers;
  array.kind = kind == 'b' ? 'u' : kind;
  array.bytes = static_cast<std::size_t>(size);
  array.swapped = text[0] == '>';
  return {};
}

/// Why chunks are not unpacked; empty where they are.
std::string take_codecs(ZarrArray& array, Json const& described) {
  auto const id = [](Json const& codec) {
    return codec.is_object() && codec.contains("id") && codec["id"].is_string()
               ? codec["id"].get<std::string>()
               : "?";
  };
  auto const packed_by = [](std::string const& name) {
    return "its chunks are packed by '" + name + "', which is not read";
  };
  auto const& filters = described.contains("filters") ? described["filters"] : Json{};
  if (filters.is_array()) {
    for (auto const& filter : filters) {
      if (id(filter) != "shuffle" || array.shuffled != 0) return packed_by(id(filter));
      array.shuffled = array.bytes;
    }
  }
  auto const& compressor = described.contains("compressor") ? described["compressor"] : Json{};
  if (compressor.is_null()) return {};
  auto const name = id(compressor);
  if (name == "blosc") {
    array.codec = ZarrCodec::blosc;
  } else if (name == "zlib" || name == "gzip") {
    array.codec = ZarrCodec::zlib;
  } else {
    return packed_by(name);
  }
  return {};
}

/// Names of dimensions; empty where nothing tells them.
std::vector<std::string> dimension_names(Json const& described, Json const& attributes, std::size_t rank) {
  auto names = attributes.contains("_ARRAY_DIMENSIONS") ? attributes["_ARRAY_DIMENSIONS"] : Json{};
  for (auto const* const all : {&described, &attributes}) {
    for (auto const* const key : {"_NCZARR_ARRAY", "_nczarr_array"}) {
      if (names.is_array() || !all->contains(key) || !(*all)[key].is_object()) continue;
      auto const& found = (*all)[key];
      if (found.contains("dimrefs")) names = found["dimrefs"];
      if (found.contains("dimension_references")) names = found["dimension_references"];
    }
  }
  std::vector<std::string> result;
  if (!names.is_array() || names.size() != rank) return {};
  for (auto const& name : names) {
    if (!name.is_string()) return {};
    auto const text = name.get<std::string>();
    result.push_back(text.substr(text.rfind('/') + 1));
  }
  return result;
}

class Walk {
 public:
  ZarrStore store(fs::path const& root) {
    if (fs::exists(root / "zarr.json")) throw NetcdfFailure("it is of Zarr's version 3, not 2");
    if (fs::exists(root / ".zarray")) {
      auto const name = root.filename().empty() ? root.parent_path().stem() : root.stem();
      add(root, name.string());
    } else {
      result_.catalogue.attributes = attributes_of(metadata(root / ".zattrs"));
      list(root, "", 0);
    }
    return std::move(result_);
  }

 private:
  void list(fs::path const& group, std::string const& prefix, std::size_t depth) {
    if (depth > deepest_group) throw NetcdfFailure("its groups are nested too deeply");
    std::vector<fs::path> folders;
    for (auto const& entry : fs::directory_iterator(group)) {
      if (entry.is_directory()) folders.push_back(entry.path());
    }
    std::ranges::sort(folders);
    for (auto const& folder : folders) {
      if (fs::exists(folder / ".zarray")) add(folder, prefix + folder.filename().string());
    }
    for (auto const& folder : folders) {
      if (fs::exists(folder / ".zgroup")) list(folder, prefix + folder.filename().string() + "/", depth + 1);
    }
  }

  void add(fs::path const& folder, std::string const& name) {
    if (result_.arrays.size() >= most_arrays) throw NetcdfFailure("it has too many arrays");
    auto const described = metadata(folder / ".zarray"), attributes = metadata(folder / ".zattrs");
    for (auto const* const key : {"zarr_format", "shape", "chunks", "dtype"}) {
      if (!described.contains(key)) throw NetcdfFailure(name + "/.zarray does not tell " + key);
    }
    if (described["zarr_format"] != 2) throw NetcdfFailure(name + " is not of Zarr's version 2");
    ZarrArray array;
    array.folder = folder;
    array.name = name;
    array.shape = extents_of(described["shape"], 0);
    array.chunk = extents_of(described["chunks"], 1);
    if (array.chunk.size() != array.shape.size()) throw NetcdfFailure(name + ": its chunks make no sense");
    NetcdfVariable variable;
    variable.name = name;
    variable.group = 0;
    variable.id = static_cast<std::int32_t>(result_.arrays.size());
    variable.unreadable = take_type(array, described["dtype"]);
    if (variable.unreadable.empty()) {
      variable.type = netcdf_type(array);
      variable.unreadable = take_codecs(array, described);
    } else {
      variable.type = label_type;
      variable.type_text = "text or another type without numbers";
    }
    if (array.chunk_bytes() > largest_chunk) throw NetcdfFailure(name + ": its chunks are too large");
    array.columns_first = described.contains("order") && described["order"] == "F";
    if (described.contains("dimension_separator") && described["dimension_separator"] == "/")
      array.separator = '/';
    variable.sparse = true;
    variable.prefilled = false;
    variable.chunk.assign(array.chunk.begin(), array.chunk.end());
    variable.attributes = attributes_of(attributes);
    auto const names = dimension_names(described, attributes, array.shape.size());
    for (std::size_t d = 0; d < array.shape.size(); ++d) {
      variable.dimensions.push_back(
          dimension(array, names.empty() ? "dim_" + std::to_string(d) : names[d], d));
    }
    if (described.contains("fill_value")) array.fill = number_of(described["fill_value"]);
    // As xarray has it. Of arrays that nothing but Zarr has written the number stands for chunks alone.
    if (array.fill && !names.empty() && !variable.attributes.contains("_FillValue")) {
      variable.attributes["_FillValue"] =
          attribute_of(described["fill_value"]).value_or(std::vector{*array.fill});
    }
    result_.arrays.push_back(std::move(array));
    result_.catalogue.variables.push_back(std::move(variable));
  }

  /// Those of one group that have one name and length are the same.
  NetcdfDimension dimension(ZarrArray const& array, std::string const& name, std::size_t d) {
    auto const key = std::tuple{name, array.shape[d]};
    auto const id = dimensions_.try_emplace(key, static_cast<std::int32_t>(dimensions_.size())).first->second;
    return {name, array.shape[d], false, id};
  }

  ZarrStore result_;
  std::map<std::tuple<std::string, std::size_t>, std::int32_t> dimensions_;
};

}  // namespace

std::size_t ZarrArray::chunk_bytes() const {
  auto size = bytes;
  for (auto const extent : chunk) {
    if (__builtin_mul_overflow(size, extent, &size)) return std::numeric_limits<std::size_t>::max();
  }
  return size;
}

ZarrStore zarr_store(fs::path const& folder) {
  try {
    return Walk{}.store(folder);
  } catch (fs::filesystem_error const& failure) {
    throw NetcdfFailure(failure.code().message());
  } catch (Json::exception const&) {
    throw NetcdfFailure("its metadata make no sense");
  }
}

}  // namespace ulpine::io
