// SPDX-License-Identifier: Apache-2.0
#include "verification/lkf/orientations.hpp"

#include <algorithm>
#include <vector>

namespace ulpine::lkf {
namespace {

/// A field turned or flipped; it owns its values.
struct Oriented {
  std::int64_t rows, columns;
  std::vector<double> eps;
};

/// `orientation` 0 to 7: bit 0 turns the order of rows round, bit 1 that of columns, and then bit 2 exchanges
/// the two.
Oriented oriented(Field const& field, int orientation) {
  auto const rows_round = (orientation & 1) != 0, columns_round = (orientation & 2) != 0,
             exchanged = (orientation & 4) != 0;
  Oriented result{exchanged ? field.columns : field.rows, exchanged ? field.rows : field.columns, {}};
  result.eps.reserve(field.eps.size());
  for (std::int64_t i = 0; i < result.rows; ++i) {
    for (std::int64_t j = 0; j < result.columns; ++j) {
      auto const row = exchanged ? j : i, column = exchanged ? i : j;
      auto const from_row = rows_round ? field.rows - 1 - row : row,
                 from_column = columns_round ? field.columns - 1 - column : column;
      result.eps.push_back(field.eps[static_cast<std::size_t>(from_row * field.columns + from_column)]);
    }
  }
  return result;
}

Spacing exchanged(Spacing const& spacing) { return {spacing.columns, spacing.rows}; }

template <class T>
Range<T> range_of(std::vector<T> const& values) {
  auto const [least, greatest] = std::minmax_element(values.begin(), values.end());
  return {*least, *greatest};
}

}  // namespace

Orientations over_orientations(Field const& field, Parameters const& parameters, Rules rules,
                               std::optional<Spacing> const& spacing_km) {
  std::vector<std::int64_t> counts;
  std::vector<double> cells, km;
  for (int orientation = 0; orientation < Orientations::number; ++orientation) {
    auto const turned = oriented(field, orientation);
    auto const aside = (orientation & 4) != 0;
    auto const detection =
        detect({turned.rows, turned.columns, turned.eps, aside ? exchanged(field.spacing) : field.spacing},
               parameters, rules);
    auto const summary =
        summarise(detection, spacing_km && aside ? std::optional(exchanged(*spacing_km)) : spacing_km);
    counts.push_back(summary.count);
    cells.push_back(summary.total_length_cells);
    if (summary.total_length_km) km.push_back(*summary.total_length_km);
  }
  return {range_of(counts), range_of(cells),
          km.size() == counts.size() ? std::optional(range_of(km)) : std::nullopt};
}

}  // namespace ulpine::lkf
