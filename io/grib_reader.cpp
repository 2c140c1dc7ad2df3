// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "io/absence.hpp"
#include "io/box_visit.hpp"
#include "io/foreign_reader.hpp"
#include "io/grib_variables.hpp"

namespace ulpine::io {
namespace {

class GribReader : public ForeignReader {
 public:
  GribReader(std::string const& path, Allowance const& allow) : file_{path} {
    allow(file_.size());
    fields_ = fields_of(file_);
    variables_ = variables_of(file_, fields_);
  }

  NetcdfCatalogue const& catalogue() const override { return variables_.catalogue; }

  void read(std::size_t number, Extents const& start, Extents const& count, void* target) override {
    auto* values = static_cast<double*>(target);
    auto const& variable = variables_.catalogue.variables.at(number);
    auto const& source = variables_.sources[number];
    auto const rank = variable.dimensions.size();
    auto const outer = source.kind == GribSource::Kind::fields ? rank - source.grid_rank : 0;
    Extents extents;
    for (auto const& dimension : variable.dimensions) extents.push_back(dimension.length);
    auto const part = [&](Extents const& all, bool last) {
      auto const middle = all.begin() + static_cast<std::ptrdiff_t>(outer);
      return last ? Extents(middle, all.end()) : Extents(all.begin(), middle);
    };
    auto const inner_start = part(start, true), inner_count = part(count, true), inner = part(extents, true);
    visit_box(part(start, false), part(count, false), [&](Extents const& index) {
      std::size_t position = 0;
      for (std::size_t d = 0; d < outer; ++d) position = position * extents[d] + index[d];
      auto const* const whole = values_at(source, position);
      if (whole == nullptr) {
        values = std::fill_n(values, product_of(inner_count), absent(Absence::fill));
        return;
      }
      // Values along the last dimension lie side by side.
      auto rows = inner_count;
      if (!rows.empty()) rows.back() = 1;
      auto const side_by_side = inner_count.empty() ? 1 : inner_count.back();
      if (product_of(inner_count) == 0) return;
      visit_box(inner_start, rows, [&](Extents const& point) {
        std::size_t place = 0;
        for (std::size_t d = 0; d < inner.size(); ++d) place = place * inner[d] + point[d];
        values = std::copy_n(whole->begin() + static_cast<std::ptrdiff_t>(place), side_by_side, values);
      });
    });
  }

 private:
  /// All values of a source at a position along its outer dimensions; null where the file has none.
  std::vector<double> const* values_at(GribSource const& source, std::size_t position) {
    if (source.kind == GribSource::Kind::numbers) return &source.numbers;
    auto const& grid = fields_.grids.at(source.grid);
    if (source.kind == GribSource::Kind::places) {
      auto const key = std::pair{source.grid, source.place + std::to_string(source.grid_rank)};
      auto found = places_.find(key);
      if (found == places_.end()) {
        auto places = places_of(file_, fields_.all[grid.example], grid, source.place);
        if (grid.is_regular()) places = along(grid, places, source.place == std::string{"longitudes"});
        found = places_.emplace(key, std::move(places)).first;
      }
      return &found->second;
    }
    auto const number = source.fields.at(position);
    if (number < 0) return nullptr;
    if (number != decoded_number_) {
      decoded_number_ = -1;
      decoded_ = values_of(file_, fields_.all[static_cast<std::size_t>(number)], grid);
      decoded_number_ = number;
    }
    return &decoded_;
  }

  /// Places along the first row, or the first column, of a grid.
  static std::vector<double> along(GribGrid const& grid, std::vector<double> const& all, bool row) {
    std::vector<double> places;
    for (std::size_t i = 0; i < (row ? grid.ni : grid.nj); ++i) places.push_back(all[row ? i : i * grid.ni]);
    return places;
  }

  GribFile const file_;
  GribFields fields_;
  GribVariables variables_;
  std::map<std::pair<std::string, std::string>, std::vector<double>> places_;
  std::int32_t decoded_number_ = -1;  ///< the field whose values are kept
  std::vector<double> decoded_;
};

}  // namespace

std::unique_ptr<ForeignReader> open_grib_reader(std::string const& path, Allowance const& allow) {
  return std::make_unique<GribReader>(path, allow);
}

}  // namespace ulpine::io
