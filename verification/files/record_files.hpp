// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "io/netcdf.hpp"

namespace ulpine::verification {

/// The records of a variable in several files, one file after the other. Two files are open at most.
class RecordFiles {
 public:
  /// Reads the times of all files. InputError where there is no file, or one has not the variable.
  RecordFiles(std::vector<std::filesystem::path> paths, std::string const& variable);

  std::int64_t count() const { return static_cast<std::int64_t>(seconds_.size()); }
  /// Seconds of a record since the first; NaN where the files do not tell.
  double seconds(std::int64_t record) const { return seconds_[static_cast<std::size_t>(record)]; }
  /// Whether the times of all records are known and grow.
  bool in_order() const;

  struct Place {
    io::InputFile const& file;  ///< until the next but one call
    std::size_t number;         ///< of the file
    std::int64_t time;          ///< index of the record in it
  };
  Place at(std::int64_t record);

 private:
  io::InputFile const& open(std::size_t number);

  std::vector<std::filesystem::path> paths_;
  std::vector<double> seconds_;
  std::vector<std::int64_t> firsts_;  ///< the first record of each file
  std::vector<std::pair<std::size_t, std::unique_ptr<io::InputFile>>> open_;  ///< the latest first
};

}  // namespace ulpine::verification
