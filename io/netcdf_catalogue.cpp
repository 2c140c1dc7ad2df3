// SPDX-License-Identifier: Apache-2.0
#include "io/netcdf_catalogue.hpp"

#include <netcdf.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <functional>
#include <iterator>
#include <netcdf>
#include <numeric>
#include <type_traits>

#include "io/netcdf_library.hpp"

namespace ulpine::io {
namespace {

constexpr std::size_t largest_attribute =
    std::size_t{1} << 24;  // values; nothing that gives values their meaning is as long

/// Runs calls of netCDF-C++4, whose exceptions keep the status of netCDF-C but none of the system's words.
template <class Call>
auto run(Call call) {
  errno = 0;
  try {
    return call();
  } catch (netCDF::exceptions::NcException const& failure) {
    if (failure.errorCode() != NC_NOERR) throw NetcdfFailure(netcdf_reason(failure.errorCode()));
    std::string const complaint = failure.what();
    throw NetcdfFailure(complaint.substr(0, complaint.find('\n')));
  }
}

/// Throws where a call of netCDF-C itself has failed.
void require(int status) {
  if (status != NC_NOERR) throw NetcdfFailure(netcdf_reason(status));
}

std::string text_of(netCDF::NcAtt const& attribute, nc_type type, std::size_t length) {
  if (type == NC_CHAR) {
    std::string value;
    attribute.getValues(value);
    return value.substr(0, value.find('\0'));
  }
  // getValues(std::string&) refuses attributes of type string. Several are one text, with blanks between.
  std::vector<char*> values(length, nullptr);
  attribute.getValues(values.data());
  std::string joined;
  for (auto const* value : values) {
    if (value == nullptr) continue;
    joined += (joined.empty() ? "" : " ") + std::string{value};
  }
  nc_free_string(length, values.data());
  return joined;
}

template <class Number, class Stored = Number>
std::vector<Number> numbers_of(netCDF::NcAtt const& attribute, std::size_t length) {
  std::vector<Stored> values(length);
  attribute.getValues(values.data());
  return {values.begin(), values.end()};
}

/// Adds an attribute of a text or numbers; those of other types tell nothing here. Type and length come from
/// netCDF-C: NcAtt::getType() gives a type without a number where it finds none.
void put(netCDF::NcAtt const& attribute, int group, int variable, NetcdfAttributes& attributes) {
  auto const name = attribute.getName();
  nc_type type = NC_NAT;
  std::size_t length = 0;
  require(nc_inq_att(group, variable, name.c_str(), &type, &length));
  if (length == 0 || type > NC_MAX_ATOMIC_TYPE) return;
  if (length > largest_attribute) {
    attributes[name] = std::to_string(length) + " values, which are not read";
    return;
  }
  if (type == NC_CHAR || type == NC_STRING) {
    attributes[name] = text_of(attribute, type, length);
  } else if (type == NC_FLOAT || type == NC_DOUBLE) {
    attributes[name] = numbers_of<double>(attribute, length);
  } else if (type == NC_UINT64) {
    attributes[name] = numbers_of<std::uint64_t, unsigned long long>(attribute, length);
  } else {
    attributes[name] = numbers_of<std::int64_t, long long>(attribute, length);
  }
}

/// The dimensions of a file, each asked for once: for the length of an unlimited one netCDF-C looks at all
/// variables.
class Dimensions {
 public:
  /// `groups` is the group of a variable that has it and those around it, in which it may be unlimited.
  NetcdfDimension const& of(std::vector<netCDF::NcGroup> const& groups, int id) {
    auto const [entry, is_new] = known_.try_emplace(id);
    if (is_new) {
      netCDF::NcDim const dimension{groups.back(), id};
      auto const unlimited = std::any_of(groups.begin(), groups.end(), [&](netCDF::NcGroup const& around) {
        return netCDF::NcDim{around, id}.isUnlimited();
      });
      entry->second = {dimension.getName(), dimension.getSize(), unlimited, id};
    }
    return entry->second;
  }

 private:
  std::map<int, NetcdfDimension> known_;  ///< by netCDF-C's numbers
};

NetcdfVariable describe(std::vector<netCDF::NcGroup> const& groups, int id, std::string const& prefix,
                        Dimensions& dimensions) {
  NetcdfVariable result;
  auto const group = groups.back().getId();
  netCDF::NcVar const variable{groups.back(), id};
  result.group = group;
  result.id = id;
  result.name = prefix + variable.getName();
  // NcVar::getType() takes types that it does not know for bytes.
  require(nc_inq_vartype(group, id, &result.type));
  int rank = 0;
  require(nc_inq_varndims(group, id, &rank));
  std::vector<int> ids(static_cast<std::size_t>(rank));
  require(nc_inq_vardimid(group, id, ids.data()));
  for (auto const dimension : ids) result.dimensions.push_back(dimensions.of(groups, dimension));
  // NcVar::getChunkingParameters() writes beyond the vector that it is given. Classic files have no chunks
  // and say so by an error.
  std::vector<std::size_t> extents(result.dimensions.size() + 1, 1);
  int storage = NC_CONTIGUOUS;
  if (nc_inq_var_chunking(group, id, &storage, nullptr) == NC_NOERR && storage == NC_CHUNKED) {
    require(nc_inq_var_chunking(group, id, nullptr, extents.data()));
  }
  for (std::size_t d = 0; d < result.dimensions.size(); ++d) {
    result.chunk.push_back(std::max<std::size_t>(extents[d], 1));
  }
  if (result.type > NC_UINT64 || result.type < NC_BYTE) {
    result.type = label_type;
    result.unreadable = no_numbers;
  }
  if (result.numeric()) variable.getFillModeParameters(result.prefilled);
  for (auto const& [name, attribute] : variable.getAtts()) put(attribute, group, id, result.attributes);
  return result;
}

/// `groups` ends with the group that is listed, after those around it.
void list(std::vector<netCDF::NcGroup>& groups, std::string const& prefix, Dimensions& dimensions,
          NetcdfCatalogue& catalogue) {
  auto const group = groups.back();
  // By number: NcGroup::getVars() and getGroups() sort by name, which loses the order of the file.
  for (int id = 0; id < group.getVarCount(); ++id)
    catalogue.variables.push_back(describe(groups, id, prefix, dimensions));
  int count = 0;
  require(nc_inq_grps(group.getId(), &count, nullptr));
  std::vector<int> inner(static_cast<std::size_t>(count));
  require(nc_inq_grps(group.getId(), &count, inner.data()));
  for (auto const id : inner) {
    groups.emplace_back(id);
    list(groups, prefix + groups.back().getName() + "/", dimensions, catalogue);
    groups.pop_back();
  }
}

class Encoder {
 public:
  template <class Number>
  void put(Number value) {
    static_assert(std::is_arithmetic_v<Number>);
    bytes.append(reinterpret_cast<char const*>(&value), sizeof value);
  }
  void put(std::string const& text) {
    put(std::uint64_t{text.size()});
    bytes += text;
  }
  void put(NetcdfAttributes const& attributes) {
    put(std::uint64_t{attributes.size()});
    for (auto const& [name, value] : attributes) {
      put(name);
      put(static_cast<std::uint8_t>(value.index()));
      std::visit([&](auto const& content) { put_content(content); }, value);
    }
  }
  std::string bytes;

 private:
  void put_content(std::string const& text) { put(text); }
  template <class Number>
  void put_content(std::vector<Number> const& numbers) {
    put(std::uint64_t{numbers.size()});
    for (auto const number : numbers) put(number);
  }
};

class Decoder {
 public:
  explicit Decoder(std::string_view bytes) : rest_{bytes} {}
  template <class Number>
  Number number() {
    Number value{};
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }
  std::string text() { return std::string{take(number<std::uint64_t>())}; }
  /// A number of items, each of at least one byte.
  std::uint64_t count() {
    auto const items = number<std::uint64_t>();
    if (items > rest_.size()) throw std::invalid_argument("no catalogue");
    return items;
  }
  NetcdfAttributes attributes() {
    NetcdfAttributes attributes;
    for (auto left = count(); left > 0; --left) {
      auto const name = text();
      switch (number<std::uint8_t>()) {
        case 0:
          attributes[name] = text();
          break;
        case 1:
          attributes[name] = numbers<double>();
          break;
        case 2:
          attributes[name] = numbers<std::int64_t>();
          break;
        case 3:
          attributes[name] = numbers<std::uint64_t>();
          break;
        default:
          throw std::invalid_argument("no catalogue");
      }
    }
    return attributes;
  }
  template <class Number>
  std::vector<Number> numbers() {
    std::vector<Number> result;
    for (auto left = count(); left > 0; --left) result.push_back(number<Number>());
    return result;
  }

 private:
  std::string_view take(std::uint64_t size) {
    if (size > rest_.size()) throw std::invalid_argument("no catalogue");
    auto const taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }
  std::string_view rest_;
};

}  // namespace

bool NetcdfVariable::numeric() const { return type >= NC_BYTE && type <= NC_UINT64 && type != NC_CHAR; }

bool NetcdfVariable::labels() const { return (type == NC_CHAR || type == label_type) && unreadable.empty(); }

bool NetcdfVariable::wide_integer() const {
  return type == NC_INT64 || type == NC_UINT64 || type == label_type;
}

OpenNetcdf::OpenNetcdf(std::string const& path)
    : file_{run([&] { return std::make_unique<netCDF::NcFile>(path, netCDF::NcFile::read); })} {}

OpenNetcdf::~OpenNetcdf() {
  try {
    file_->close();
  } catch (netCDF::exceptions::NcException const&) {
    // Nothing was written. The destructor would close again, and print that this fails.
    static_cast<void>(file_.release());
  }
}

NetcdfCatalogue OpenNetcdf::catalogue() const {
  return run([&] {
    NetcdfCatalogue catalogue;
    for (auto const& [name, attribute] : file_->getAtts()) {
      put(attribute, file_->getId(), NC_GLOBAL, catalogue.attributes);
    }
    std::vector<netCDF::NcGroup> groups = {*file_};
    Dimensions dimensions;
    list(groups, "", dimensions, catalogue);
    return catalogue;
  });
}

std::set<std::string> OpenNetcdf::dimensions() const {
  std::set<std::string> names;
  auto const list_group = [&](auto const& self, int group, std::string const& prefix) -> void {
    int count = 0;
    require(nc_inq_dimids(group, &count, nullptr, 0));
    std::vector<int> ids(static_cast<std::size_t>(count));
    require(nc_inq_dimids(group, &count, ids.data(), 0));
    for (auto const id : ids) {
      char name[NC_MAX_NAME + 1] = {};
      require(nc_inq_dimname(group, id, name));
      names.insert(prefix + name);
    }
    require(nc_inq_grps(group, &count, nullptr));
    std::vector<int> inner(static_cast<std::size_t>(count));
    require(nc_inq_grps(group, &count, inner.data()));
    for (auto const id : inner) {
      char name[NC_MAX_NAME + 1] = {};
      require(nc_inq_grpname(id, name));
      self(self, id, prefix + name + "/");
    }
  };
  list_group(list_group, file_->getId(), "");
  return names;
}

void read_hyperslab(NetcdfVariable const& variable, std::vector<std::size_t> const& start,
                    std::vector<std::size_t> const& count, void* values) {
  run([&] {
    netCDF::NcVar const file_variable{netCDF::NcGroup{variable.group}, variable.id};
    auto const read = [&](auto* target) {
      start.empty() ? file_variable.getVar(target) : file_variable.getVar(start, count, target);
    };
    if (variable.type == NC_INT64) {
      read(static_cast<long long*>(values));
    } else if (variable.type == NC_UINT64) {
      read(static_cast<unsigned long long*>(values));
    } else if (variable.type == NC_CHAR) {
      std::vector<char> text(
          std::accumulate(count.begin(), count.end(), std::size_t{1}, std::multiplies<>{}));
      read(text.data());
      std::copy(text.begin(), text.end(), static_cast<double*>(values));
    } else {
      read(static_cast<double*>(values));
    }
  });
}

std::string encode(NetcdfCatalogue const& catalogue) {
  Encoder encoder;
  encoder.put(catalogue.attributes);
  encoder.put(std::uint64_t{catalogue.variables.size()});
  for (auto const& variable : catalogue.variables) {
    encoder.put(variable.name);
    encoder.put(variable.group);
    encoder.put(variable.id);
    encoder.put(variable.type);
    encoder.put(variable.type_text);
    encoder.put(variable.unreadable);
    encoder.put(static_cast<std::uint8_t>(variable.sparse));
    encoder.put(std::uint64_t{variable.dimensions.size()});
    for (auto const& dimension : variable.dimensions) {
      encoder.put(dimension.name);
      encoder.put(dimension.length);
      encoder.put(static_cast<std::uint8_t>(dimension.unlimited));
      encoder.put(dimension.id);
    }
    for (auto const extent : variable.chunk) encoder.put(extent);
    encoder.put(static_cast<std::uint8_t>(variable.prefilled));
    encoder.put(variable.step);
    encoder.put(variable.attributes);
  }
  return std::move(encoder.bytes);
}

NetcdfCatalogue decode_catalogue(std::string_view bytes) {
  Decoder decoder{bytes};
  NetcdfCatalogue catalogue;
  catalogue.attributes = decoder.attributes();
  for (auto left = decoder.count(); left > 0; --left) {
    NetcdfVariable variable;
    variable.name = decoder.text();
    variable.group = decoder.number<std::int32_t>();
    variable.id = decoder.number<std::int32_t>();
    variable.type = decoder.number<std::int32_t>();
    variable.type_text = decoder.text();
    variable.unreadable = decoder.text();
    variable.sparse = decoder.number<std::uint8_t>() != 0;
    for (auto dimensions = decoder.count(); dimensions > 0; --dimensions) {
      NetcdfDimension dimension;
      dimension.name = decoder.text();
      dimension.length = decoder.number<std::uint64_t>();
      dimension.unlimited = decoder.number<std::uint8_t>() != 0;
      dimension.id = decoder.number<std::int32_t>();
      variable.dimensions.push_back(std::move(dimension));
    }
    for (std::size_t d = 0; d < variable.dimensions.size(); ++d) {
      variable.chunk.push_back(decoder.number<std::uint64_t>());
    }
    variable.prefilled = decoder.number<std::uint8_t>() != 0;
    variable.step = decoder.number<double>();
    variable.attributes = decoder.attributes();
    catalogue.variables.push_back(std::move(variable));
  }
  return catalogue;
}

}  // namespace ulpine::io
