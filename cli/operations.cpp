// SPDX-License-Identifier: Apache-2.0
#include "core/model/operations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "cli/console.hpp"
#include "ensembles/study/case_source.hpp"
#include "io/error.hpp"
#include "io/provenance.hpp"

namespace ulpine::cli {
namespace {

/// Columns of the table, each the operations of kinds from `first` to `last` over all roles.
struct Column {
  char const* name;
  Kind first, last;
};
constexpr Column columns[] = {{"add", Kind::add, Kind::add},
                              {"multiply", Kind::multiply, Kind::multiply},
                              {"fma", Kind::fma, Kind::fma},
                              {"divide", Kind::divide, Kind::divide},
                              {"root", Kind::sqrt, Kind::sqrt},
                              {"function", Kind::exp, Kind::hypot},
                              {"compare", Kind::compare, Kind::compare},
                              {"convert", Kind::from_integer, Kind::from_always_double},
                              {"summed", Kind::sum, Kind::dot}};

double number_of(ByRoleAndKind<double> const& operations, Kind first, Kind last) {
  double number = 0;
  for (auto kind = static_cast<int>(first); kind <= static_cast<int>(last); ++kind) {
    number += operations.of(static_cast<Kind>(kind));
  }
  return number;
}

/// An fma counts as two; a division, a root and a function as one.
double flops_of(ByRoleAndKind<double> const& operations) {
  auto const of = [&](Kind first, Kind last) { return number_of(operations, first, last); };
  return of(Kind::add, Kind::sqrt) + of(Kind::fma, Kind::fma) + of(Kind::exp, Kind::hypot);
}

/// The number in four digits; a dash where there is none.
std::string text_of(double number) { return number == 0 ? "-" : fmt::format("{:.4g}", number); }
std::string ratio_of(double number, double of) { return of > 0 ? text_of(number / of) : "-"; }

/// What the last rows are called; stages have names with a dot.
constexpr char const *between = "(between stages)", *all = "(step)";

/// Numbers of one launch for each of `cells`; of a step where these are 0.
std::string table_of(std::vector<StageOperations> const& stages, double cells) {
  std::size_t width = std::string(between).size();
  for (auto const& stage : stages) width = std::max(width, stage.stage.size());
  auto table = fmt::format("{:<{}}", cells > 0 ? "a launch and cell" : "a step", width);
  for (auto const* const head : {"launches", "bytes"}) table += fmt::format("  {:>9}", head);
  for (auto const& column : columns) table += fmt::format("  {:>9}", column.name);
  table += fmt::format("  {:>9}  {:>9}\n", "flops", "flop/byte");
  for (auto const& stage : stages) {
    auto const scale = cells > 0 ? std::max(stage.launches, 1.0) * cells : 1;
    table += fmt::format("{:<{}}", stage.stage, width);
    table += fmt::format("  {:>9}  {:>9}", text_of(stage.launches), ratio_of(stage.bytes, scale));
    for (auto const& column : columns) {
      table +=
          fmt::format("  {:>9}", ratio_of(number_of(stage.operations, column.first, column.last), scale));
    }
    auto const flops = flops_of(stage.operations);
    table += fmt::format("  {:>9}  {:>9}\n", ratio_of(flops, scale), ratio_of(flops, stage.bytes));
  }
  return table;
}

nlohmann::ordered_json json_of(ByRoleAndKind<double> const& operations) {
  auto roles = nlohmann::ordered_json::object();
  for (std::size_t r = 0; r < role_count; ++r) {
    for (std::size_t k = 0; k < kind_count; ++k) {
      if (operations.numbers[r][k] != 0) roles[role_names[r]][kind_names[k]] = operations.numbers[r][k];
    }
  }
  return roles;
}

}  // namespace

int list_operations(CasesOptions const& options) {
  std::filesystem::path const file(options.stages);
  if (!file.has_parent_path() && file.extension() != ".toml") {
    throw InputError("--operations: no case in --stages " + options.stages +
                     " (operations are counted on a case's data) name a case file: --stages CASE.toml");
  }
  require_case_file(file);
  auto const case_file = ensembles::CaseSource{file}.load();
  auto counted = count_operations(case_file, options.steps, options.threads);
  if (options.json) {
    auto stages = nlohmann::ordered_json::array();
    for (auto const& stage : counted.stages) {
      stages.push_back({{"stage", stage.stage},
                        {"launches", stage.launches},
                        {"bytes", stage.bytes},
                        {"kernels", stage.kernels},
                        {"points", stage.points},
                        {"passes", stage.passes},
                        {"flops", flops_of(stage.operations)},
                        {"operations", json_of(stage.operations)}});
    }
    print_json(options.common, {{"core", case_file.core()},
                                {"case", file.string()},
                                {"cells", counted.cells},
                                {"steps", options.steps},
                                {"hash", io::hex(counted.hash)},
                                {"stages", stages}});
    return exit_code::done;
  }
  StageOperations step;
  step.stage = all;
  for (auto& stage : counted.stages) {
    if (stage.stage.empty()) stage.stage = between;
    step.launches += stage.launches;
    step.bytes += stage.bytes;
    step.operations.add(stage.operations);
  }
  print(options.common, table_of(counted.stages, static_cast<double>(counted.cells)) + "\n");
  counted.stages.push_back(std::move(step));
  print(options.common, table_of(counted.stages, 0));
  print(options.common,
        fmt::format("core {}, {}: the mean of {} step{} after the first over {} cells; an fma is two flops; "
                    "operations on integers are not counted\n",
                    case_file.core(), file.filename().string(), options.steps, options.steps == 1 ? "" : "s",
                    counted.cells));
  return exit_code::done;
}

}  // namespace ulpine::cli
