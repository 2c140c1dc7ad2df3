// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <list>
#include <span>
#include <string>
#include <vector>

#include "io/netcdf.hpp"
#include "precision/exact_sum.hpp"
#include "verification/metrics/weighting.hpp"

namespace ulpine::verification::consistency {

/// Weights of the points of fields of one shape, from one file. Of those that a measure of fewer dimensions
/// repeats along the others, up to 2^18 are kept, and more repeated as they are asked for.
class FieldWeights {
 public:
  /// Reads the measure of fields of that shape, whose first dimension has `levels` where it is vertical.
  /// InputError.
  FieldWeights(io::InputFile const& file, Weighting const& weighting, FieldMeasure const& measure,
               std::vector<std::int64_t> shape, std::int64_t levels);

  bool is_of(FieldMeasure const& measure, std::vector<std::int64_t> const& shape, std::int64_t levels) const;
  /// Reads the measure of another file; what follows from it is kept where it is the same. InputError.
  void move_to(io::InputFile const& file, Weighting const& weighting);
  std::string const& file() const { return file_; }
  /// Values of the measure.
  std::int64_t measured() const { return std::int64_t(measured_.size()); }

  /// Weights of the row-major points [first, first + count); valid until the next call.
  std::span<double const> at(std::int64_t first, std::int64_t count);
  /// The exact sum of those of a level that are above 0.
  ExactSum const& whole(std::int64_t level);

 private:
  std::vector<double> read(io::InputFile const& file, Weighting const& weighting) const;
  void repeat(std::int64_t first, std::span<double> weights) const;

  std::string file_;
  FieldMeasure measure_;
  std::vector<std::int64_t> shape_;
  std::int64_t levels_, size_;
  std::vector<std::int64_t> steps_;  ///< through the measure's values along each dimension; 0: repeated
  std::int64_t row_ = 1;             ///< values at the end of which all are of one weight, or all neighbours
  std::size_t outer_ = 0;            ///< dimensions before those of a row
  std::vector<double> measured_;     ///< the measure's values, row-major
  std::vector<double> kept_, some_;
  std::vector<ExactSum> whole_;
};

/// The weights of fields of a few shapes, kept from file to file: at most 16 MiB.
class KeptWeights {
 public:
  /// Of a variable of `file`; null where its measure has more than 2^20 values, which are
  /// not kept. Valid until the next call.
  /// InputError.
  FieldWeights* of(io::InputFile const& file, Weighting const& weighting, FieldMeasure const& measure,
                   std::vector<std::int64_t> const& shape, std::int64_t levels);

 private:
  std::list<FieldWeights> kept_;  ///< last used first
};

}  // namespace ulpine::verification::consistency
