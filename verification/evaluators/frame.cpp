// SPDX-License-Identifier: Apache-2.0
#include "verification/evaluators/frame.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "io/axis.hpp"
#include "io/error.hpp"
#include "verification/comparison/compare.hpp"
#include "verification/metrics/vectors.hpp"

namespace ulpine::verification {
namespace {

/// A static field that says where the domain is.
struct Mask {
  std::vector<std::string> dimensions;
  std::vector<std::int64_t> shape;
  std::vector<bool> outside;
};

std::vector<Mask> read_masks(io::InputFile const& file, std::vector<std::string> const& statics) {
  std::vector<Mask> masks;
  for (auto const& name : statics) {
    auto const info = file.info(name);
    auto const says_inside =
        info.standard_name == "sea_binary_mask" || (info.standard_name.empty() && name == "mask");
    if (!says_inside && info.standard_name != "land_binary_mask") {
      continue;
    }
    auto const values = file.read(name).values;
    Mask mask{info.dimensions, info.shape, std::vector<bool>(values.size())};
    std::transform(values.begin(), values.end(), mask.outside.begin(),
                   [&](double value) { return says_inside ? !(value > 0) : value > 0; });
    masks.push_back(std::move(mask));
  }
  return masks;
}

template <class T>
bool ends_with(std::vector<T> const& all, std::vector<T> const& end) {
  return end.size() <= all.size() && std::equal(end.rbegin(), end.rend(), all.rbegin());
}

std::vector<bool> outside_of(FieldGrid const& grid, std::vector<Mask> const& masks) {
  for (auto const& mask : masks) {
    if (!ends_with(grid.dimensions, mask.dimensions) || !ends_with(grid.shape, mask.shape)) {
      continue;
    }
    std::vector<bool> outside(grid.size());
    for (std::size_t i = 0; i < outside.size(); ++i) outside[i] = mask.outside[i % mask.outside.size()];
    return outside;
  }
  return {};
}

FieldGrid read_grid(io::InputFile const& file, io::FieldInfo const& info, std::vector<Mask> const& masks) {
  FieldGrid grid;
  grid.name = info.name;
  grid.long_name = info.long_name.empty() ? info.name : info.long_name;
  grid.units = info.units;
  grid.dimensions = info.dimensions;
  grid.shape = info.shape;
  grid.spacing = file.spacings(info.name);
  auto const coordinates = file.coordinates(info.name);
  for (auto const& coordinate : coordinates) {
    auto const usable = coordinate && coordinate->rank == 1;
    grid.coordinates.push_back(usable ? file.read(coordinate->name).values : std::vector<double>{});
    grid.axis_units.push_back(usable ? coordinate->units : "1");
  }
  if (auto const measure = file.cell_measure(info.name)) {
    grid.weights = file.weights(info.name);
    grid.weight_units = file.info(measure->name).units;
  }
  grid.levels = coordinates.empty() ? 0 : levels_of(grid.dimensions, grid.shape, coordinates.front());
  grid.outside = outside_of(grid, masks);
  return grid;
}

}  // namespace

std::int64_t levels_of(std::vector<std::string> const& dimensions, std::vector<std::int64_t> const& shape,
                       std::optional<io::GridCoordinate> const& first) {
  auto const rank = shape.size();
  if (rank < 2 || shape.front() < 2) {
    return 0;
  }
  auto const said = first ? first->axis : "";
  auto const axis = said.empty() ? io::axis_of(dimensions.front()) : said;
  auto const vertical = said == "z" || (rank >= 3 && axis != "x" && axis != "y");
  return vertical ? shape.front() : 0;
}

std::array<double, 2> spacing_of_rows_and_columns(FieldGrid const& grid) {
  auto const rank = grid.shape.size();
  auto const at = [&](std::size_t axis) { return axis < grid.spacing.size() ? grid.spacing[axis] : 0; };
  auto const first = at(rank - 2), second = at(rank - 1);
  auto rows = first > 0 ? first : second, columns = second > 0 ? second : first;
  io::even_out(rows, columns);
  return {rows, columns};
}

std::span<double const> FrameLayout::weights_of(std::string const& field) const {
  auto const grid = grids.find(field);
  return grid == grids.end() ? std::span<double const>{} : std::span(grid->second.weights);
}

FrameLayout read_layout(std::filesystem::path const& output) {
  io::InputFile const file(output);
  FrameLayout layout;
  std::vector<std::string> statics;
  std::vector<io::FieldInfo> infos;
  for (auto const& name : file.variables()) {
    auto const times = file.times(name);
    if (times.empty()) {
      statics.push_back(name);
      continue;
    }
    layout.fields.push_back(name);
    layout.times = times;
    infos.push_back(file.info(name));
    layout.frame_bytes += infos.back().size() * static_cast<std::int64_t>(sizeof(double));
  }
  if (layout.fields.empty()) {
    throw InputError(output.string() +
                     ": has no field that changes in time (nothing can be compared) repeat the run");
  }
  for (auto const& name : statics) {
    auto const info = file.info(name);
    auto const fits = [&](io::FieldInfo const& field) {
      return field.dimensions == info.dimensions && field.shape == info.shape;
    };
    if (std::ranges::any_of(infos, fits)) layout.constants[name] = file.read(name).values;
  }
  auto const masks = read_masks(file, statics);
  for (auto const& info : infos) layout.grids[info.name] = read_grid(file, info, masks);
  layout.vectors = vector_components(infos);
  for (auto const& components : layout.vectors) {
    auto const name = speed_name(components);
    auto grid = layout.grids.at(components.front());
    grid.name = grid.long_name = name;
    layout.grids[name] = std::move(grid);
  }
  return layout;
}

Frame read_frame(io::InputFile const& file, FrameLayout const& layout, std::int64_t time) {
  Frame frame;
  for (auto const& name : layout.fields) {
    frame[name] = file.read(name, time).values;
  }
  for (auto const& components : layout.vectors) {
    std::vector<std::span<double const>> views;
    for (auto const& name : components) views.emplace_back(frame.at(name));
    frame[speed_name(components)] = speed(views);
  }
  return frame;
}

}  // namespace ulpine::verification
