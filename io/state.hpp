// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "io/slabs.hpp"
#include "precision/value_type.hpp"

namespace ulpine::io {

/// Description of one array of a model's state; its values are row-major.
struct StateArray {
  std::string name;
  ValueType type = ValueType::float64;
  std::vector<std::int64_t> shape;
  std::int64_t size() const { return values_in(shape); }
  friend bool operator==(StateArray const&, StateArray const&) = default;
};

/// Description of a state, without its values.
struct StateHeader {
  std::string core;
  std::string policy;           ///< the policy whose types the arrays have
  std::uint64_t case_hash = 0;  ///< CaseFile::hash
  std::int64_t step = 0;
  double time = 0;  ///< s since the start
  std::vector<StateArray> arrays;
};

/// A model's state as it lies in a restart: read in pieces, so that nobody holds all of it.
class StateReader {
 public:
  virtual ~StateReader();
  virtual StateHeader const& header() const = 0;
  /// Fills `values` with the row-major values [first, first + count) of header().arrays[array], in the
  /// array's own type, little-endian.
  virtual void read(std::size_t array, std::int64_t first, std::int64_t count, std::byte* values) const = 0;
};

/// A state in memory.
class StoredState : public StateReader {
 public:
  /// A copy.
  explicit StoredState(StateReader const& source);
  /// Zeros.
  explicit StoredState(StateHeader header);
  StateHeader const& header() const override { return header_; }
  void read(std::size_t array, std::int64_t first, std::int64_t count, std::byte* values) const override;

  /// The header, to be changed: the sizes of arrays in it must go on to fit their bytes.
  StateHeader& header() { return header_; }
  std::span<std::byte> bytes(std::size_t array) { return bytes_[array]; }
  std::span<std::byte const> bytes(std::size_t array) const { return bytes_[array]; }

 private:
  StateHeader header_;
  std::vector<std::vector<std::byte>> bytes_;
};

/// `source`, which must outlive the result, with the arrays of `layout` (the state of a model with another
/// policy, same case): values of equally named arrays are converted one by one between float32, float64,
/// float32_pair and binary128 as they are read. Step and time are the source's, the policy is the layout's.
/// InputError where core, names or shapes differ.
std::unique_ptr<StateReader> convert(StateReader const& source, StateHeader const& layout);

}  // namespace ulpine::io
