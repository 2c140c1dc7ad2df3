// SPDX-License-Identifier: Apache-2.0
// Tables of the University of Wyoming, as MetPy's test data have them too.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "core/sounding/moist_air.hpp"
#include "core/sounding/sounding_text.hpp"
#include "io/case_file.hpp"

namespace ulpine::soundings {
namespace {

/// The columns that are read, by their place in Level; others are not looked at.
enum Quantity { pressure, height, temperature, dew_point, direction, speed, quantities };
struct Heading {
  char const* name;
  Quantity quantity;
  double factor = 0;  ///< of the unit that the name itself tells, to SI; 0 where it tells none
};
constexpr Heading headings[] = {{"PRES", pressure},  {"HGHT", height},    {"TEMP", temperature},
                                {"DWPT", dew_point}, {"DRCT", direction}, {"SKNT", speed, knot},
                                {"SPED", speed},     {"SMPS", speed, 1}};
struct Unit {
  char const* name;
  Quantity quantity;
  double factor;  ///< to SI, but for temperatures, which stay in degrees Celsius
};
constexpr double hectopascal = 100;
constexpr Unit units[] = {
    {"hPa", pressure, hectopascal}, {"mb", pressure, hectopascal}, {"m", height, 1},
    {"C", temperature, 1},          {"C", dew_point, 1},           {"deg", direction, 1},
    {"knot", speed, knot},          {"kts", speed, knot},          {"m/s", speed, 1}};

/// Where a column stands: values end where its name ends.
struct Column {
  std::string_view name;
  std::size_t begin, end;
  std::optional<Quantity> quantity;
  double factor = 1;
};

using Level = std::array<std::optional<double>, quantities>;
struct Row {
  Level value;
  Line line;
};

/// The first line of names of columns from line `first` on.
std::size_t heading_of(Lines const& lines, std::size_t first = 0) {
  for (auto k = first; k < lines.size(); ++k) {
    auto const words = words_of(lines[k].text);
    auto const has = [&](char const* name) {
      return std::find(words.begin(), words.end(), name) != words.end();
    };
    if (has("PRES") && has("TEMP")) return k;
  }
  return lines.size();
}

/// Refuses a table whose levels, or a rule of dashes, follow its names at once: `words` of the line below the
/// names has no unit then.
void require_units(Lines const& lines, std::size_t heading, std::vector<std::string_view> const& words) {
  auto const is_unit = [](std::string_view word) {
    return std::any_of(std::begin(units), std::end(units), [&](Unit const& u) { return word == u.name; });
  };
  auto const is_level = [](std::string_view word) {
    double number = 0;
    return read_number(word, number) || word.starts_with("--");
  };
  if (std::any_of(words.begin(), words.end(), is_unit) ||
      std::none_of(words.begin(), words.end(), is_level)) {
    return;
  }
  lines.refuse(lines[heading],
               "has no line of units below it (one unit for each column is needed, of the columns read hPa, "
               "m, C, deg, knot or m/s) add it");
}

std::vector<Column> columns_of(Lines const& lines, std::size_t heading) {
  auto const& line = lines[heading];
  auto const unit_words =
      heading + 1 < lines.size() ? words_of(lines[heading + 1].text) : std::vector<std::string_view>{};
  std::vector<Column> columns;
  std::size_t begin = 0;
  for (auto const word : words_of(line.text)) {
    auto const end = static_cast<std::size_t>(word.data() - line.text.data()) + word.size();
    columns.push_back({word, begin, end, {}});
    begin = end;
  }
  require_units(lines, heading, unit_words);
  if (unit_words.size() != columns.size()) {
    lines.refuse(line, "names " + std::to_string(columns.size()) +
                           " columns (the line below must have as "
                           "many units, not " +
                           std::to_string(unit_words.size()) + ") add them");
  }
  for (std::size_t k = 0; k < columns.size(); ++k) {
    auto& column = columns[k];
    auto const known = std::find_if(std::begin(headings), std::end(headings),
                                    [&](Heading const& h) { return column.name == h.name; });
    if (known == std::end(headings)) continue;
    column.quantity = known->quantity;
    auto const unit = std::find_if(std::begin(units), std::end(units), [&](Unit const& u) {
      return u.quantity == known->quantity && unit_words[k] == u.name;
    });
    if (unit == std::end(units)) {
      lines.refuse(lines[heading + 1], "has the unit " + quoted(unit_words[k]) + " of " +
                                           std::string(column.name) +
                                           " (hPa, m, C, deg, knot and m/s are read) convert the column");
    }
    if (known->factor != 0 && unit->factor != known->factor) {
      lines.refuse(lines[heading + 1], "has the unit " + quoted(unit_words[k]) + " of " +
                                           std::string(column.name) + " (a speed in " +
                                           (known->factor == knot ? "knots" : "m/s") +
                                           " by its name) mend the unit, or name the column SPED");
    }
    column.factor = unit->factor;
  }
  for (auto const& [name, quantity, factor] : headings) {
    auto const count = std::count_if(columns.begin(), columns.end(),
                                     [&](Column const& c) { return c.quantity == quantity; });
    // Heights can be computed.
    if (count > 1 || (count == 0 && quantity != height)) {
      lines.refuse(line, std::string("has ") + (count > 1 ? "two columns like " : "no column ") + name +
                             " (PRES, TEMP, DWPT, DRCT and SKNT are needed) mend the table");
    }
  }
  return columns;
}

/// The words of a line by column: by order where the line is full, by place where values are missing.
std::vector<std::string_view> cells_of(Lines const& lines, Line const& line,
                                       std::vector<Column> const& columns) {
  auto const words = words_of(line.text);
  if (words.size() == columns.size()) return words;
  auto const refuse = [&](char const* why) {
    lines.refuse(line, "has " + std::to_string(words.size()) + " columns (the table has " +
                           std::to_string(columns.size()) + why + ") mend the line");
  };
  if (words.size() > columns.size()) refuse("");
  std::vector<std::string_view> cells(columns.size());
  for (auto const word : words) {
    auto const begin = static_cast<std::size_t>(word.data() - line.text.data()), end = begin + word.size();
    auto const column = std::find_if(columns.begin(), columns.end(),
                                     [&](Column const& c) { return c.begin <= begin && c.end == end; });
    if (column == columns.end()) refuse(", and they do not end below their names");
    cells[static_cast<std::size_t>(column - columns.begin())] = word;
  }
  return cells;
}

Row row_of(Lines const& lines, Line const& line, std::vector<Column> const& columns) {
  Row row{{}, line};
  auto const cells = cells_of(lines, line, columns);
  for (std::size_t k = 0; k < columns.size(); ++k) {
    auto const& column = columns[k];
    double value = 0;
    if (!column.quantity || cells[k].empty()) continue;
    if (!read_number(cells[k], value)) {
      lines.refuse(line, "has " + quoted(cells[k]) + " in column " + std::string(column.name) +
                             " (a number or blanks are expected) mend the line");
    }
    // Blanks are missing; programs that copy tables write -9999 or -999.
    if (value == -9999 || value == -999) continue;
    row.value[*column.quantity] = value * column.factor;
  }
  return row;
}

void check_row(Lines const& lines, Row const& row) {
  constexpr struct {
    Quantity quantity;
    double least, most;
    char const *what, *unit;
  } ranges[] = {{pressure, 10, 110000, "pressure", "Pa"},
                {height, -500, 9e4, "height", "m"},
                {temperature, -120, 60, "temperature", "C"},
                {dew_point, -200, 40, "dew point", "C"},
                {direction, 0, 360, "direction of the wind", "degrees"},
                {speed, 0, 200, "speed of the wind", "m/s"}};
  for (auto const& [quantity, least, most, what, unit] : ranges) {
    if (row.value[quantity]) require_range(lines, row.line, *row.value[quantity], least, most, what, unit);
  }
  if (row.value[dew_point] && row.value[temperature]) {
    require_dew_point(lines, row.line, *row.value[dew_point], *row.value[temperature]);
  }
}

/// Whether what follows the table begins: indices, or the end of its place in a page.
bool ends_table(std::vector<std::string_view> const& words) {
  return words[0].starts_with("</") ||
         (words.size() > 1 && words[0] == "Station" && words[1] == "information");
}

/// Whether two rows are one level: at the same height as far as its digits tell, or, where a height is
/// missing, at the same pressure. Tables have mandatory levels, significant levels and those of wind, rounded
/// to 1 m.
bool same_level(Row const& lower, Row const& upper) {
  // Scale height of air at 288 K, m; 10 m are the digits of a pressure in whole hPa.
  constexpr double scale_height = 8434, most = 10;
  auto const& low = lower.value;
  auto const& high = upper.value;
  if (!low[height] || !high[height]) return *low[pressure] == *high[pressure];
  return *low[height] == *high[height] && scale_height * math::log(*low[pressure] / *high[pressure]) <= most;
}

/// Gives the lower of two rows of one level the values of the upper that it lacks.
void join(Lines const& lines, Row& lower, Row const& upper) {
  constexpr double most = 1;  // K
  auto const &one = lower.value[temperature], &other = upper.value[temperature];
  if (one && other && std::abs(*one - *other) > most) {
    lines.refuse(upper.line, "has the temperature " + io::number_text(*other) + " C at the level of line " +
                                 std::to_string(lower.line.number) + " (which has " + io::number_text(*one) +
                                 " C) leave one of them out");
  }
  for (std::size_t k = 0; k < quantities; ++k) {
    if (!lower.value[k]) lower.value[k] = upper.value[k];
  }
}

/// Rows from the lowest up, each level once.
std::vector<Row> levels_of(Lines const& lines, std::vector<Row> rows) {
  auto const goes_back = [](Row const& one, Row const& next) {
    return *next.value[pressure] < *one.value[pressure];
  };
  if (std::adjacent_find(rows.begin(), rows.end(), goes_back) == rows.end()) {
    std::reverse(rows.begin(), rows.end());
  }
  std::vector<Row> levels;
  for (auto const& row : rows) {
    if (levels.empty()) {
      levels.push_back(row);
      continue;
    }
    auto const below = *levels.back().value[pressure], here = *row.value[pressure];
    if (here != below) require_order(lines, row.line, below, here, true, "pressure");
    if (same_level(levels.back(), row)) {
      join(lines, levels.back(), row);
    } else {
      levels.push_back(row);
    }
  }
  return levels;
}

/// Refuses a second table: which of them is meant cannot be known.
void require_one_table(Lines const& lines, std::size_t heading) {
  auto const second = heading_of(lines, heading + 1);
  if (second == lines.size()) return;
  lines.refuse(lines[second], "begins a second table (the first begins at line " +
                                  std::to_string(lines[heading].number) + ") leave one of them in the file");
}

/// The levels with a temperature or wind: pressures alone stand for levels below the ground or left out.
std::vector<Row> read_rows(Lines const& lines, std::size_t heading, std::vector<Column> const& columns) {
  require_one_table(lines, heading);
  std::vector<Row> rows;
  for (std::size_t k = heading + 2; k < lines.size(); ++k) {
    auto const words = words_of(lines[k].text);
    if (words.empty() || words[0].find_first_not_of('-') == std::string_view::npos) continue;
    if (ends_table(words)) break;
    auto const row = row_of(lines, lines[k], columns);
    if (!row.value[pressure]) {
      lines.refuse(lines[k], "has no pressure (every level needs one) leave the line out");
    }
    if (!row.value[temperature] && !(row.value[direction] && row.value[speed])) continue;
    check_row(lines, row);
    rows.push_back(row);
  }
  auto levels = levels_of(lines, rows);
  auto const warm = std::count_if(levels.begin(), levels.end(),
                                  [](Row const& row) { return row.value[temperature].has_value(); });
  if (warm < 2) {
    lines.refuse("has " + std::to_string(warm) +
                 " levels with a temperature (two are the least) check whether the file is complete");
  }
  return levels;
}

/// Fills in missing values: between two levels linear in ln p, below the lowest its own, above the highest
/// its own or 0. Empty where all are missing.
std::vector<double> filled(std::vector<Row> const& rows, std::vector<std::optional<double>> values,
                           bool zero_above) {
  auto const has = [](std::optional<double> const& value) { return value.has_value(); };
  auto const first = std::find_if(values.begin(), values.end(), has);
  if (first == values.end()) return {};
  std::fill(values.begin(), first, *first);
  std::vector<double> result;
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (values[k]) {
      result.push_back(*values[k]);
      continue;
    }
    auto const above = std::find_if(values.begin() + static_cast<std::ptrdiff_t>(k), values.end(), has);
    if (above == values.end()) {
      result.push_back(zero_above ? 0 : result.back());
      values[k] = result.back();
      continue;
    }
    auto const ln = [&](std::size_t level) { return math::log(*rows[level].value[pressure]); };
    auto const to = static_cast<std::size_t>(above - values.begin());
    // Pressures may be equal, by their rounding, at levels of different heights.
    auto const span = ln(to) - ln(k - 1);
    auto const share = span == 0 ? 0 : (ln(k) - ln(k - 1)) / span;
    result.push_back(result.back() + share * (**above - result.back()));
  }
  return result;
}

/// Refuses heights far from those that pressure and temperature give, as of a column in km or feet.
void require_balance(Lines const& lines, Line const& line, double lowest, double in_balance, double given) {
  constexpr double share = 0.1, least = 50;  // m
  if (std::abs(given - in_balance) <= least + share * (in_balance - lowest)) return;
  lines.refuse(line, "has the height " + io::number_text(given) + " m (by pressure and temperature it is " +
                         io::number_text(std::round(in_balance)) +
                         " m) check the columns of height, pressure and temperature and their units");
}

}  // namespace

bool is_table(Lines const& lines) { return heading_of(lines) < lines.size(); }

Sounding read_table(Lines const& lines) {
  constexpr double freezing = 273.15;
  auto const heading = heading_of(lines);
  auto const columns = columns_of(lines, heading);
  auto const rows = read_rows(lines, heading, columns);

  auto const lowest = std::find_if(rows.begin(), rows.end(),
                                   [](Row const& row) { return row.value[temperature].has_value(); });
  require_lowest_pressure(lines, lowest->line, *lowest->value[pressure], hectopascal);
  std::vector<std::optional<double>> warmths, humidity, u, v;
  for (auto const& row : rows) {
    auto const& value = row.value;
    warmths.push_back(value[temperature] ? std::optional(*value[temperature] + freezing) : std::nullopt);
    humidity.push_back(value[dew_point] ? std::optional(moist_air::saturation_humidity(
                                              *value[dew_point] + freezing, *value[pressure]))
                                        : std::nullopt);
    if (humidity.back()) {
      require_vapour(lines, row.line, *humidity.back(), "dew point", *value[pressure]);
    }
    auto const windy = value[direction] && value[speed];
    auto const wind = windy ? wind_from(*value[direction], *value[speed]) : Wind{};
    u.push_back(windy ? std::optional(wind.u) : std::nullopt);
    v.push_back(windy ? std::optional(wind.v) : std::nullopt);
  }
  Sounding sounding;
  sounding.source = lines.source();
  sounding.humidity = filled(rows, humidity, true);
  sounding.u = filled(rows, u, false);
  sounding.v = filled(rows, v, false);
  if (sounding.humidity.empty() || sounding.u.empty()) {
    lines.refuse(std::string("has no ") + (sounding.humidity.empty() ? "dew point" : "wind") +
                 " at any level (one is the least) name another file");
  }

  auto const heights =
      std::any_of(rows.begin(), rows.end(), [](Row const& row) { return row.value[height].has_value(); });
  auto const warmth = filled(rows, warmths, false);
  auto const has = [](std::optional<double> const& value) { return value.has_value(); };
  auto const first =
      static_cast<std::size_t>(std::find_if(warmths.begin(), warmths.end(), has) - warmths.begin());
  auto const end =
      warmths.size() -
      static_cast<std::size_t>(std::find_if(warmths.rbegin(), warmths.rend(), has) - warmths.rbegin());
  sounding.ground_pressure = *rows[first].value[pressure];
  double warmth_below = 0, in_balance = 0;
  for (auto k = first; k < end; ++k) {
    auto const& value = rows[k].value;
    auto const virtual_warmth = moist_air::virtual_temperature(warmth[k], sounding.humidity[k]);
    sounding.theta.push_back(warmth[k] / moist_air::exner_of_pressure(*value[pressure]));
    auto const rise =
        k == first ? 0
                   : thickness(*rows[k - 1].value[pressure], warmth_below, *value[pressure], virtual_warmth);
    if (value[height]) {
      if (k > first) {
        require_order(lines, rows[k].line, sounding.height.back(), *value[height], false, "height");
      }
      sounding.height.push_back(*value[height]);
    } else if (k > first) {
      sounding.height.push_back(sounding.height.back() + rise);
    } else if (!heights) {
      sounding.height.push_back(0);
    } else {
      lines.refuse(rows[k].line, "has no height (that of the lowest level is needed) add it");
    }
    in_balance = k == first ? sounding.height.back() : in_balance + rise;
    require_balance(lines, rows[k].line, sounding.height.front(), in_balance, sounding.height.back());
    warmth_below = virtual_warmth;
  }
  for (auto* filled_column : {&sounding.humidity, &sounding.u, &sounding.v}) {
    filled_column->erase(filled_column->begin() + static_cast<std::ptrdiff_t>(end), filled_column->end());
    filled_column->erase(filled_column->begin(), filled_column->begin() + static_cast<std::ptrdiff_t>(first));
  }
  return sounding;
}

}  // namespace ulpine::soundings
