// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// The part of ECMWF's ecCodes that GRIB is read with. Its functions are found at run time, so that nothing
// needs the library but GRIB files.

namespace ulpine::io {

/// Its version ("2.28.0"); empty where there is no ecCodes.
std::string eccodes_version();

/// One message with one field, whose keys ecCodes decodes as they are asked for. A key that a message does
/// not have is nothing; so is one whose value is marked as missing.
class GribMessage {
 public:
  /// The bytes must last as long as the object. NetcdfFailure where ecCodes does not understand them;
  /// LackingMeans where there is no ecCodes.
  explicit GribMessage(std::string_view bytes);

  std::optional<long> integer(char const* key) const;
  std::optional<double> number(char const* key) const;
  /// Empty where there is none.
  std::string text(char const* key) const;
  /// All numbers of a key, `size` of them. NetcdfFailure where there are not as many or they cannot be
  /// decoded.
  std::vector<double> numbers(char const* key, std::size_t size) const;
  /// Steps are counted in this unit ("s").
  void set_step_unit(char const* unit);
  /// Marks missing values.
  void set_missing_value(double value);

 private:
  struct Deleter {
    void operator()(void* handle) const;
  };
  std::unique_ptr<void, Deleter> handle_;
};

}  // namespace ulpine::io
