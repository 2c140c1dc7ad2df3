// SPDX-License-Identifier: Apache-2.0
#include "verification/files/lkf_tools_files.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <bit>
#include <cstring>

namespace ulpine::verification {
namespace {

static_assert(std::endian::native == std::endian::little);

std::string head_of(char const* type, std::vector<std::int64_t> const& shape) {
  auto const comma = shape.size() == 1 ? "," : "";
  auto text = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}", type,
                          fmt::join(shape, ", "), comma);
  constexpr std::size_t before = 10, unit = 64;  // magic, version and length; the data begin at a multiple
  auto const whole = (before + text.size() + 1 + unit - 1) / unit * unit;
  text.append(whole - before - text.size() - 1, ' ');
  text += '\n';
  return std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(text.size() & 255) +
         static_cast<char>(text.size() >> 8) + text;
}

template <class T>
std::string bytes_of(std::span<T const> values) {
  std::string bytes(values.size_bytes(), '\0');
  if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

/// Writes objects as Python's pickle does, in its protocol 3. An array of numpy is rebuilt by a call of
/// `_reconstruct` and then given its version, shape, type, order and values.
class Pickle {
 public:
  Pickle() : text_("\x80\x03", 2) {}

  void begin_array(std::vector<std::int64_t> const& shape) {
    name("numpy.core.multiarray", "_reconstruct");
    name("numpy", "ndarray");
    number(0);
    text_ += '\x85';  // a tuple of one
    text_ += std::string(
        "C\x01"
        "b",
        3);                             // one byte
    text_ += std::string("\x87R(", 3);  // a tuple of three; the call; begin
    number(1);
    text_ += '(';
    for (auto const extent : shape) number(extent);
    text_ += 't';
  }
  void end_array() { text_ += "tb"; }

  /// A type of numpy by its name, byte order ('<', or '|' of objects) and flags.
  void type(std::string const& what, char order, std::int64_t flags) {
    name("numpy", "dtype");
    word(what);
    text_ += std::string("\x89\x88\x87R(", 5);  // False, True; a tuple of three; the call; begin
    number(3);
    word(std::string(1, order));
    text_ += "NNN";  // None
    number(-1);
    number(-1);
    number(flags);
    text_ += "tb";
  }
  void no() { text_ += '\x89'; }
  void begin_list() { text_ += "]("; }
  void end_list() { text_ += 'e'; }
  void bytes(std::string const& values) {
    text_ += 'B';
    whole(static_cast<std::uint32_t>(values.size()));
    text_ += values;
  }
  std::string end() { return text_ + '.'; }

 private:
  void whole(std::uint32_t value) {
    for (int byte = 0; byte < 4; ++byte) text_ += static_cast<char>(value >> (8 * byte) & 255);
  }
  void number(std::int64_t value) {
    text_ += 'J';
    whole(static_cast<std::uint32_t>(value));
  }
  void word(std::string const& value) {
    text_ += 'X';
    whole(static_cast<std::uint32_t>(value.size()));
    text_ += value;
  }
  void name(char const* module, char const* what) { text_ += fmt::format("c{}\n{}\n", module, what); }

  std::string text_;
};

}  // namespace

std::string npy_of(std::span<double const> values, std::vector<std::int64_t> const& shape) {
  return head_of("<f8", shape) + bytes_of(values);
}

std::string npy_of(std::span<std::int64_t const> values, std::vector<std::int64_t> const& shape) {
  return head_of("<i8", shape) + bytes_of(values);
}

std::string npy_of(NpyTables const& tables) {
  auto const& all = tables.values;
  auto const lines = [&](std::vector<double> const& table) {
    return static_cast<std::int64_t>(table.size()) / tables.columns;
  };
  if (all.empty()) return npy_of(std::span<double const>{}, {0});
  if (all.size() == 1) return npy_of(all[0], {1, lines(all[0]), tables.columns});
  std::vector const shape{static_cast<std::int64_t>(all.size())};
  constexpr std::int64_t flags_of_objects = 63;  // counted references and all that goes with them
  Pickle pickle;
  pickle.begin_array(shape);
  pickle.type("O8", '|', flags_of_objects);
  pickle.no();
  pickle.begin_list();
  for (auto const& table : all) {
    pickle.begin_array({lines(table), tables.columns});
    pickle.type("f8", '<', 0);
    pickle.no();
    pickle.bytes(bytes_of(std::span<double const>{table}));
    pickle.end_array();
  }
  pickle.end_list();
  pickle.end_array();
  return head_of("|O", shape) + pickle.end();
}

NpyTables lkf_tools_tables(FeatureWindow const& window, FeatureGrid const& grid,
                           DeformationRates const& rates) {
  std::vector<std::vector<double> const*> known;
  if (!grid.longitude.empty() && !grid.latitude.empty()) {
    known = {&grid.longitude, &grid.latitude};
    if (!rates.shear.empty()) {
      known.insert(known.end(), {&rates.divergence, &rates.shear, &rates.vorticity});
    }
  }
  NpyTables tables{{}, static_cast<std::int64_t>(2 + known.size())};
  for (auto const& feature : window.detection.features) {
    auto& table = tables.values.emplace_back();
    for (auto const& [row, column] : feature.cells) {
      table.push_back(row);
      table.push_back(column);
      for (auto const* values : known) table.push_back((*values)[row * grid.columns + column]);
    }
  }
  return tables;
}

std::string lkf_tools_pairs(std::span<lkf::Track const> tracks) {
  if (tracks.empty()) return npy_of(std::span<double const>{}, {2, 0});
  std::vector<std::int64_t> pairs;
  for (auto const& track : tracks) {
    pairs.push_back(static_cast<std::int64_t>(track.from));
    pairs.push_back(static_cast<std::int64_t>(track.to));
  }
  return npy_of(pairs, {static_cast<std::int64_t>(tracks.size()), 2});
}

std::string lkf_tools_name(std::filesystem::path const& file) {
  auto const name = file.filename().string();
  return name.substr(0, name.find('.'));
}

}  // namespace ulpine::verification
