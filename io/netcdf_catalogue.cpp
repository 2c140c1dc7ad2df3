// SPDX-License-Identifier: Apache-2.0
#include "io/netcdf_catalogue.hpp"

#include <netcdf.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <type_traits>

#include "io/netcdf_library.hpp"

namespace ulpine::io {
namespace {

constexpr std::size_t largest_attribute = std::size_t{1} << 24;  // bytes; more is a damaged header

/// Runs a netCDF call on a file that is open.
template <class Call>
void run(Call call) {
  errno = 0;
  if (auto const status = call(); status != NC_NOERR) throw NetcdfFailure(netcdf_reason(status));
}

std::string text_of(int group, int variable, char const* name, nc_type type, std::size_t length) {
  if (type == NC_CHAR) {
    std::string value(length, '\0');
    run([&] { return nc_get_att_text(group, variable, name, value.data()); });
    return value.substr(0, value.find('\0'));
  }
  std::vector<char*> values(length, nullptr);
  run([&] { return nc_get_att_string(group, variable, name, values.data()); });
  std::string const value = values.front() == nullptr ? "" : values.front();
  nc_free_string(length, values.data());
  return value;
}

/// Texts and numbers; attributes of other types tell nothing here.
NetcdfAttributes attributes_of(int group, int variable) {
  NetcdfAttributes attributes;
  int count = 0;
  run([&] {
    return variable == NC_GLOBAL ? nc_inq_natts(group, &count) : nc_inq_varnatts(group, variable, &count);
  });
  for (int number = 0; number < count; ++number) {
    char name[NC_MAX_NAME + 1] = {};
    nc_type type = NC_NAT;
    std::size_t length = 0;
    run([&] { return nc_inq_attname(group, variable, number, name); });
    run([&] { return nc_inq_att(group, variable, name, &type, &length); });
    if (length == 0 || type > NC_MAX_ATOMIC_TYPE) continue;
    if (length > largest_attribute) throw NetcdfFailure(std::string{name} + " is too long an attribute");
    if (type == NC_CHAR || type == NC_STRING) {
      attributes[name] = text_of(group, variable, name, type, length);
    } else {
      std::vector<double> values(length);
      run([&] { return nc_get_att_double(group, variable, name, values.data()); });
      attributes[name] = std::move(values);
    }
  }
  return attributes;
}

void list(int group, std::string const& prefix, NetcdfCatalogue& catalogue) {
  int count = 0;
  run([&] { return nc_inq_unlimdims(group, &count, nullptr); });
  std::vector<int> unlimited(static_cast<std::size_t>(count));
  run([&] { return nc_inq_unlimdims(group, &count, unlimited.data()); });
  run([&] { return nc_inq_nvars(group, &count); });
  for (int id = 0; id < count; ++id) {
    NetcdfVariable variable;
    variable.group = group;
    variable.id = id;
    char name[NC_MAX_NAME + 1] = {};
    int rank = 0;
    run([&] { return nc_inq_var(group, id, name, &variable.type, &rank, nullptr, nullptr); });
    variable.name = prefix + name;
    std::vector<int> ids(static_cast<std::size_t>(rank));
    run([&] { return nc_inq_vardimid(group, id, ids.data()); });
    for (auto const dimension_id : ids) {
      std::size_t length = 0;
      run([&] { return nc_inq_dim(group, dimension_id, name, &length); });
      auto const grows = std::find(unlimited.begin(), unlimited.end(), dimension_id) != unlimited.end();
      variable.dimensions.push_back({name, length, grows});
    }
    variable.attributes = attributes_of(group, id);
    catalogue.variables.push_back(std::move(variable));
  }
  run([&] { return nc_inq_grps(group, &count, nullptr); });
  std::vector<int> groups(static_cast<std::size_t>(count));
  run([&] { return nc_inq_grps(group, &count, groups.data()); });
  for (auto const inner : groups) {
    char name[NC_MAX_NAME + 1] = {};
    run([&] { return nc_inq_grpname(inner, name); });
    list(inner, prefix + name + "/", catalogue);
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
      if (auto const* text = std::get_if<std::string>(&value)) {
        put(*text);
      } else {
        auto const& numbers = std::get<std::vector<double>>(value);
        put(std::uint64_t{numbers.size()});
        for (auto const number : numbers) put(number);
      }
    }
  }
  std::string bytes;
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
      if (number<std::uint8_t>() == 0) {
        attributes[name] = text();
      } else {
        std::vector<double> numbers;
        for (auto values = count(); values > 0; --values) numbers.push_back(number<double>());
        attributes[name] = std::move(numbers);
      }
    }
    return attributes;
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

NetcdfCatalogue read_catalogue(int file) {
  NetcdfCatalogue catalogue;
  catalogue.attributes = attributes_of(file, NC_GLOBAL);
  list(file, "", catalogue);
  return catalogue;
}

void read_slab(NetcdfVariable const& variable, std::vector<std::size_t> const& start,
               std::vector<std::size_t> const& count, double* values) {
  run([&] { return nc_get_vara_double(variable.group, variable.id, start.data(), count.data(), values); });
}

std::vector<std::size_t> chunk_extents(NetcdfVariable const& variable) {
  std::vector<std::size_t> extents(variable.dimensions.size(), 1);
  int storage = NC_CONTIGUOUS;
  // Classic files have no chunks and say so by an error.
  if (nc_inq_var_chunking(variable.group, variable.id, &storage, nullptr) == NC_NOERR &&
      storage == NC_CHUNKED) {
    run([&] { return nc_inq_var_chunking(variable.group, variable.id, nullptr, extents.data()); });
  }
  return extents;
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
    encoder.put(std::uint64_t{variable.dimensions.size()});
    for (auto const& dimension : variable.dimensions) {
      encoder.put(dimension.name);
      encoder.put(dimension.length);
      encoder.put(static_cast<std::uint8_t>(dimension.unlimited));
    }
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
    for (auto dimensions = decoder.count(); dimensions > 0; --dimensions) {
      NetcdfDimension dimension;
      dimension.name = decoder.text();
      dimension.length = decoder.number<std::uint64_t>();
      dimension.unlimited = decoder.number<std::uint8_t>() != 0;
      variable.dimensions.push_back(std::move(dimension));
    }
    variable.attributes = decoder.attributes();
    catalogue.variables.push_back(std::move(variable));
  }
  return catalogue;
}

}  // namespace ulpine::io
