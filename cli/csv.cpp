// SPDX-License-Identifier: Apache-2.0
#include "cli/csv.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <vector>

#include "io/error.hpp"

namespace ulpine::cli {
namespace {

using Json = nlohmann::ordered_json;

/// A value that is no object as the text of a cell, not yet quoted.
std::string text_of(Json const& value) {
  if (value.is_null()) return {};
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_array()) return value.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::string text;
  for (auto const& item : value) {
    if (&item != &value.front()) text += ';';
    text += text_of(item);
  }
  return text;
}

/// In double quotes, its own doubled, where a comma, a quote or a blank at an end asks for it.
std::string quoted(std::string const& cell) {
  auto const line = one_line(cell);
  auto const plain = line.find_first_of(",\"") == std::string::npos &&
                     (line.empty() || (line.front() != ' ' && line.back() != ' '));
  if (plain) return line;
  std::string text = "\"";
  for (auto const letter : line) {
    if (letter == '"') text += '"';
    text += letter;
  }
  return text + '"';
}

/// Cells by the names of their columns, which are listed in the order in which they come.
class Table {
 public:
  void add(Json const& row) {
    cells_.emplace_back();
    add(row, "");
  }

  std::string text() const {
    std::string text = line([](std::string const& column) { return column; });
    for (auto const& row : cells_) {
      text += line([&](std::string const& column) {
        auto const cell = row.find(column);
        return cell == row.end() ? std::string() : cell->second;
      });
    }
    return text;
  }

 private:
  void add(Json const& object, std::string const& prefix) {
    for (auto const& [key, value] : object.items()) {
      auto const column = prefix + key;
      if (value.is_object()) {
        add(value, column + ".");
        continue;
      }
      if (std::ranges::find(columns_, column) == columns_.end()) columns_.push_back(column);
      cells_.back()[column] = text_of(value);
    }
  }

  template <class Cell>
  std::string line(Cell const& cell) const {
    std::string text;
    for (auto const& column : columns_) {
      if (&column != &columns_.front()) text += ',';
      text += quoted(cell(column));
    }
    return text + "\n";
  }

  std::vector<std::string> columns_;
  std::vector<std::map<std::string, std::string>> cells_;
};

/// Members that are null in one row and an object in another have columns of the object's alone.
void drop_null_objects(Json& rows) {
  std::vector<std::string> objects;
  for (auto const& row : rows) {
    for (auto const& [key, value] : row.items()) {
      if (value.is_object()) objects.push_back(key);
    }
  }
  for (auto& row : rows) {
    for (auto const& key : objects) {
      if (row.contains(key) && row[key].is_null()) row.erase(key);
    }
  }
}

}  // namespace

std::string csv_table(Json const& rows) {
  if (rows.empty()) return {};
  auto list = rows;
  drop_null_objects(list);
  Table table;
  for (auto const& row : list) table.add(row);
  return table.text();
}

Json rows_by_name(Json const& object, std::string const& key) {
  auto rows = Json::array();
  auto const add = [&](std::string const& name, Json const& values) {
    Json row = {{key, name}};
    row.update(values);
    rows.push_back(std::move(row));
  };
  for (auto const& [name, values] : object.items()) {
    if (!values.is_array()) {
      add(name, values);
      continue;
    }
    for (auto const& item : values) add(name, item);
  }
  return rows;
}

}  // namespace ulpine::cli
