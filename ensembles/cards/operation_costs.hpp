// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>

#include "ensembles/cards/prediction.hpp"
#include "precision/operation_counts.hpp"

namespace ulpine::ensembles::cards {

/// Types of numbers whose operations have costs. `double_float` is a sum of two floats.
enum class CountedType { float64, float32, double_float };
inline constexpr std::size_t counted_types = 3;

/// Instructions of each pipe that an operation takes.
using OperationCost = std::array<double, pipes>;

/// The hardware instructions of all operations, by type and kind.
struct OperationCosts {
  /// Empty where the table has no such type.
  std::array<std::optional<std::array<OperationCost, kind_count>>, counted_types> of_type = {};
};

/// Reads a table [TYPE.OPERATION] with the keys fp64, fp32, special and other; types double, float and
/// double_float. Operations are the kinds of operation_counts.hpp, but for the conversions, which are all
/// `convert` of the type that they end in, and changes of sign, which cost nothing; `sum` and `dot` cost
/// nothing where they are left out. InputError
/// "<file>:<line>: <key>: ...": unknown keys, operations that are missing, negative numbers.
OperationCosts read_operation_costs(std::filesystem::path const& file);
/// The table that comes with the program.
OperationCosts shipped_operation_costs();

/// The types of a policy's roles.
struct PolicyTypes {
  CountedType state, compute, accumulate;
};
/// Empty for `quad`, policies that round operands of products, and formats.
std::optional<PolicyTypes> types_of(std::string const& policy);
/// The policy itself, or where a build may lack it, one whose numbers have as many bytes in each role: fp64
/// for `df32`.
std::string sized_like(std::string const& policy);

/// Whether the table has the types of all three roles.
bool has_costs(OperationCosts const& costs, PolicyTypes const& types);

/// The instructions of operations on numbers of these types, by pipe. Conversions between roles of one type
/// are none. InputError where the table lacks a type that has operations.
std::array<double, pipes> instructions_of(ByRoleAndKind<double> const& operations, PolicyTypes const& types,
                                          OperationCosts const& costs);

/// Operations of the source on numbers of these types.
struct SourceOperations {
  double number = 0;  ///< without changes of sign, conversions between roles and what exact sums take in
  double bytes = 0;   ///< of one number for each of them
};
SourceOperations source_operations(ByRoleAndKind<double> const& operations, PolicyTypes const& types);

}  // namespace ulpine::ensembles::cards
