// SPDX-License-Identifier: Apache-2.0
#include "io/slabs.hpp"

#include <algorithm>

namespace ulpine::io {

std::int64_t values_in(std::vector<std::int64_t> const& shape) {
  std::int64_t values = 1;
  for (auto const length : shape) values *= length;
  return values;
}

std::vector<Hyperslab> hyperslabs(std::vector<std::int64_t> const& shape, std::int64_t first,
                                  std::int64_t count) {
  std::vector<Hyperslab> boxes;
  while (count > 0) {
    // The slowest dimension of which whole rows start here and end in the range.
    std::size_t dimension = shape.size();
    std::int64_t row = 1;
    for (auto d = shape.size(); d-- > 0;) {
      if (first % row != 0 || row > count) break;
      dimension = d;
      if (row * shape[d] > count) break;
      row *= shape[d];
    }
    Hyperslab box;
    box.start.resize(shape.size());
    box.count.resize(shape.size());
    box.values = 1;
    auto rest = first;
    for (auto d = shape.size(); d-- > 0;) {
      auto const index = rest % shape[d];
      rest /= shape[d];
      auto const length = d > dimension    ? shape[d]
                          : d == dimension ? std::min(shape[d] - index, count / box.values)
                                           : 1;
      box.start[d] = static_cast<std::size_t>(index);
      box.count[d] = static_cast<std::size_t>(length);
      box.values *= length;
    }
    first += box.values;
    count -= box.values;
    boxes.push_back(std::move(box));
  }
  return boxes;
}

std::vector<std::int64_t> chunk_extents(std::vector<std::int64_t> const& shape, std::int64_t most) {
  auto chunk = shape;
  for (std::size_t d = 0; d < chunk.size() && values_in(chunk) > most; ++d) {
    auto const rows = std::max<std::int64_t>(1, most / (values_in(chunk) / chunk[d]));
    auto const parts = (chunk[d] + rows - 1) / rows;
    chunk[d] = (chunk[d] + parts - 1) / parts;
  }
  return chunk;
}

Slabs::Slabs(std::vector<std::int64_t> const& shape, std::vector<std::int64_t> const& chunk,
             std::int64_t most)
    : size_{values_in(shape)}, slab_{size_}, period_{size_} {
  std::int64_t row = 1;
  for (auto d = shape.size(); d-- > 0;) {
    if (row * shape[d] > most) {
      slab_ = most / row / chunk[d] * chunk[d] * row;
      period_ = row * shape[d];
      return;
    }
    row *= shape[d];
  }
}

std::int64_t Slabs::length(std::int64_t first) const {
  return std::min({slab_, period_ - first % period_, size_ - first});
}

}  // namespace ulpine::io
