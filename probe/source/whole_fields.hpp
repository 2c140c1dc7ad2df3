// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "probe/source/fields_file.hpp"
#include "probe/source/place.hpp"

namespace ulpine::probe {

/// A recorded field, put together from its parts.
struct WholeField {
  std::string type;  ///< type_name()
  int element_size = 0;
  std::vector<std::int64_t> shape;  ///< slowest first, a last axis of 2 for complex numbers
  std::vector<std::byte> values;    ///< by dense index
  std::vector<bool> there;          ///< whether the element was recorded, by dense index

  std::byte const* at(std::int64_t index) const { return values.data() + index * element_size; }
  /// Whether parts of this array have values here: same type, size of elements and domain.
  bool goes_with(Part const& part) const;
};

/// The fields of a file by their places. The last few that were asked for stay in memory. Thread-safe.
class WholeFields {
 public:
  /// InputError as of FieldsFile.
  explicit WholeFields(std::string const& name);
  ~WholeFields();
  /// Null where it was not recorded. InputError where its values or parts are not as they were written.
  std::shared_ptr<WholeField const> find(Place const& place);
  FieldsFile const& file() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ulpine::probe
