// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <utility>

#include "cli/console.hpp"
#include "core/model/model.hpp"
#include "ensembles/study/case_source.hpp"
#include "ensembles/study/cases.hpp"
#include "io/error.hpp"

namespace ulpine::cli {
namespace {

/// A model on the host in fp64; null where the core has none of that assembly.
std::unique_ptr<Model> model_of_case(std::filesystem::path const& file, Assembly assembly) {
  ModelOptions options;
  options.assembly = assembly;
  auto const case_file = ensembles::CaseSource{file}.load();
  if (assembly == Assembly::deterministic) return make_model(case_file, options);
  try {
    return make_model(case_file, options);
  } catch (InputError const&) {
    return nullptr;
  }
}

/// A shipped case of that core whose input files are there, with its model.
std::pair<std::filesystem::path, std::unique_ptr<Model>> shipped_model(std::string const& core) {
  std::vector<std::string> cores;
  for (auto const& [name, description] : known_cores()) cores.push_back(name);
  if (std::ranges::find(cores, core) == cores.end()) {
    throw InputError("unknown core '" + core + "'" + choices_hint(core, cores) + ", or name a case file");
  }
  std::string why = "none is shipped";
  for (auto const& item : ensembles::shipped_cases()) {
    if (item.core != core || !item.problem.empty()) continue;
    try {
      return {item.file, model_of_case(item.file, Assembly::deterministic)};
    } catch (InputError const& error) {
      why = error.what();
    }
  }
  throw InputError("no case to take the stages of core '" + core + "' from (" + why +
                   ") name a case file: --stages CASE.toml");
}

}  // namespace

int list_stages(CasesOptions const& options) {
  auto const& what = options.stages;
  auto file = std::filesystem::path(what);
  std::unique_ptr<Model> model;
  if (file.has_parent_path() || file.extension() == ".toml") {
    require_case_file(file);
    model = model_of_case(file, Assembly::deterministic);
  } else {
    std::tie(file, model) = shipped_model(what);
  }
  auto const atomic = model_of_case(file, Assembly::atomic);
  std::map<std::string, Guarantee> in_atomic;
  if (atomic != nullptr) {
    for (auto const& stage : atomic->stages()) in_atomic[stage.name] = stage.guarantee;
  }
  auto const stages = model->stages();
  std::size_t width = 5;
  for (auto const& stage : stages) width = std::max(width, stage.name.size());
  print(options.common, fmt::format("{:<{}}  {:<13}  {:<10}  {:>10}  {}\n", "stage", width, "deterministic",
                                    "atomic", "bytes/cell", "does"));
  for (auto const& stage : stages) {
    auto const found = in_atomic.find(stage.name);
    print(options.common,
          fmt::format("{:<{}}  {:<13}  {:<10}  {:>10.4g}  {}\n", stage.name, width, name_of(stage.guarantee),
                      found == in_atomic.end() ? "-" : name_of(found->second),
                      stage.bytes / static_cast<double>(model->cells()), stage.doc));
  }
  print(options.common, fmt::format("core {}, fp64, {}: the least bytes of one launch over {} cells\n",
                                    model->core(), file.filename().string(), model->cells()));
  return exit_code::done;
}

}  // namespace ulpine::cli
