// SPDX-License-Identifier: Apache-2.0
#include "ensembles/cards/operation_costs.hpp"

#include <algorithm>
#include <type_traits>

#include "io/case_file.hpp"
#include "io/error.hpp"
#include "precision/host_policies.hpp"

namespace ulpine::ensembles::cards {

namespace fs = std::filesystem;

namespace {

constexpr std::array type_names = {"double", "float", "double_float"};
constexpr std::array cost_keys = {"fp64", "fp32", "special", "other"};

bool is_conversion(Kind kind) { return kind >= Kind::from_integer && kind <= Kind::from_always_double; }

/// A conversion of a number of another role.
bool is_of_roles(Kind kind) { return kind >= Kind::from_state && kind <= Kind::from_always_double; }

/// What exact sums take in, mostly in integers.
bool is_exact(Kind kind) { return kind == Kind::sum || kind == Kind::dot; }

/// The table's name of a kind; empty where that costs nothing.
std::string operation_of(Kind kind) {
  if (kind == Kind::sign) return "";
  return is_conversion(kind) ? "convert" : kind_names[static_cast<std::size_t>(kind)];
}

std::array<OperationCost, kind_count> read_type(io::CaseFile const& file, std::string const& type) {
  std::array<OperationCost, kind_count> costs{};
  for (std::size_t kind = 0; kind < kind_count; ++kind) {
    auto const name = operation_of(static_cast<Kind>(kind));
    if (name.empty()) continue;
    auto const operation = type + "." + name;
    if (file.keys_under(operation).empty()) {
      if (is_exact(static_cast<Kind>(kind))) continue;
      throw file.error(operation, "is missing (each operation of a type has its instructions) add it");
    }
    for (std::size_t pipe = 0; pipe < pipes; ++pipe) {
      costs[kind][pipe] = file.number(operation + "." + cost_keys[pipe], 0, 0, 1e6);
    }
  }
  return costs;
}

/// Whether both roles have numbers of one type, so that a conversion is none, or one is a float and the other
/// two of them, which takes or adds one.
bool converts_nothing(Kind kind, std::size_t role, std::array<CountedType, role_count> const& types) {
  if (!is_of_roles(kind)) return false;
  auto const from = static_cast<std::size_t>(kind) - static_cast<std::size_t>(Kind::from_state);
  auto const is_double = [&](std::size_t of) { return types[of] == CountedType::float64; };
  return types[from] == types[role] || (!is_double(from) && !is_double(role));
}

std::array<CountedType, role_count> types_of_roles(PolicyTypes const& types) {
  return {types.state, types.compute, types.accumulate, CountedType::float32, CountedType::float64};
}

/// Empty where no device computes in it.
template <class T>
constexpr std::optional<CountedType> type_of() {
  if constexpr (std::is_same_v<T, double>) {
    return CountedType::float64;
  } else if constexpr (std::is_same_v<T, float>) {
    return CountedType::float32;
  } else if constexpr (std::is_same_v<T, DoubleFloat>) {
    return CountedType::double_float;
  } else {
    return {};
  }
}

}  // namespace

OperationCosts read_operation_costs(fs::path const& path) {
  auto const file = io::CaseFile::load(path);
  OperationCosts costs;
  for (std::size_t type = 0; type < counted_types; ++type) {
    if (!file.keys_under(type_names[type]).empty()) costs.of_type[type] = read_type(file, type_names[type]);
  }
  file.reject_unknown();
  return costs;
}

OperationCosts shipped_operation_costs() {
  auto const folder = cards_folder();
  if (folder.empty()) {
    throw EnvironmentError(
        "no table of operations' costs found (share/ulpine/devices is missing) install Ulpine "
        "with `cmake --install`");
  }
  return read_operation_costs(folder / "operation_costs.toml");
}

std::optional<PolicyTypes> types_of(std::string const& policy) {
  return with_policy(HostPolicies{}, policy, []<class P>() -> std::optional<PolicyTypes> {
    constexpr auto state = type_of<typename P::State>();
    constexpr auto compute = type_of<typename P::Compute>();
    constexpr auto accumulate = type_of<typename P::Accumulate>();
    if constexpr (std::is_same_v<typename P::Multiplicand, Exact> && state && compute && accumulate) {
      return PolicyTypes{*state, *compute, *accumulate};
    } else {
      return {};
    }
  });
}

std::string sized_like(std::string const& policy) {
  auto const* const own = find_policy(policy);
  auto const types = types_of(policy);
  if (own == nullptr || own->runs == Runs::everywhere || !types) return policy;
  auto const sizes = [](PolicyTypes const& of) {
    auto const narrow = [](CountedType type) { return type == CountedType::float32; };
    return std::array{narrow(of.state), narrow(of.compute), narrow(of.accumulate)};
  };
  for (auto const& row : policy_rows()) {
    auto const others = types_of(row.name);
    if (row.runs == Runs::everywhere && others && sizes(*others) == sizes(*types)) return row.name;
  }
  return policy;
}

bool has_costs(OperationCosts const& costs, PolicyTypes const& types) {
  return std::ranges::all_of(std::array{types.state, types.compute, types.accumulate}, [&](CountedType type) {
    return costs.of_type[static_cast<std::size_t>(type)].has_value();
  });
}

std::array<double, pipes> instructions_of(ByRoleAndKind<double> const& operations, PolicyTypes const& types,
                                          OperationCosts const& costs) {
  std::array<double, pipes> instructions{};
  auto const type_of_role = types_of_roles(types);
  for (std::size_t role = 0; role < role_count; ++role) {
    auto const type = static_cast<std::size_t>(type_of_role[role]);
    for (std::size_t kind = 0; kind < kind_count; ++kind) {
      auto const count = operations.numbers[role][kind];
      if (count == 0 || converts_nothing(static_cast<Kind>(kind), role, type_of_role)) continue;
      if (!costs.of_type[type]) {
        throw InputError(std::string("operation_costs.toml: has no costs of type ") + type_names[type] +
                         " (the policy computes in it) measure them with benchmarks/operations");
      }
      for (std::size_t pipe = 0; pipe < pipes; ++pipe) {
        instructions[pipe] += count * (*costs.of_type[type])[kind][pipe];
      }
    }
  }
  return instructions;
}

SourceOperations source_operations(ByRoleAndKind<double> const& operations, PolicyTypes const& types) {
  SourceOperations source;
  auto const type_of_role = types_of_roles(types);
  for (std::size_t role = 0; role < role_count; ++role) {
    auto const bytes = type_of_role[role] == CountedType::float32 ? sizeof(float) : sizeof(double);
    for (std::size_t k = 0; k < kind_count; ++k) {
      auto const kind = static_cast<Kind>(k);
      if (kind == Kind::sign || is_exact(kind) || is_of_roles(kind)) continue;
      source.number += operations.numbers[role][k];
      source.bytes += operations.numbers[role][k] * static_cast<double>(bytes);
    }
  }
  return source;
}

}  // namespace ulpine::ensembles::cards
