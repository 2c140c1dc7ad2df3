// SPDX-License-Identifier: Apache-2.0
#include <toml++/toml.h>

#include <stdexcept>

#include "io/error.hpp"
#include "verification/atlas/atlas.hpp"

namespace ulpine::verification {
namespace {

std::string text_of(toml::table const& table, char const* key) {
  auto const value = table[key].value<std::string>();
  if (!value) throw std::runtime_error(std::string("a row has no ") + key);
  return *value;
}

toml::table const& table_of(toml::node const& node) {
  auto const* const table = node.as_table();
  if (table == nullptr) throw std::runtime_error("a row is no table");
  return *table;
}

AtlasRow row_of(toml::table const& table) {
  AtlasRow row{text_of(table, "library"), text_of(table, "version"), text_of(table, "block"),
               text_of(table, "varied"),  text_of(table, "change"),  {}};
  auto const* const measured = table["measured"].as_array();
  if (measured == nullptr) throw std::runtime_error("a row was measured nowhere");
  for (auto const& one : *measured) {
    auto const& answer = table_of(one);
    auto const ulps = answer["ulps"].value<double>();
    if (!ulps) throw std::runtime_error("a row has no ulps");
    row.answers.push_back({text_of(answer, "machine"), text_of(answer, "driver"),
                           text_of(answer, "answer") == "same", *ulps, text_of(answer, "hash")});
  }
  return row;
}

}  // namespace

Atlas read_atlas(std::filesystem::path const& path) {
  try {
    auto const file = toml::parse_file(path.string());
    auto const* const rows = file["rows"].as_array();
    if (rows == nullptr) throw std::runtime_error("has no rows");
    Atlas atlas;
    for (auto const& row : *rows) atlas.push_back(row_of(table_of(row)));
    return atlas;
  } catch (std::exception const& error) {
    throw InputError(path.string() + ": is no atlas of bits (" + error.what() +
                     ") write it with benchmarks/atlas/merge.py");
  }
}

}  // namespace ulpine::verification
