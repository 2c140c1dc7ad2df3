// SPDX-License-Identifier: Apache-2.0
#include "ensembles/cards/card.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "ensembles/study/shipped_folder.hpp"
#include "io/case_file.hpp"
#include "io/error.hpp"

namespace ulpine::ensembles::cards {

namespace fs = std::filesystem;

namespace {

/// Files of the folder that describe no card.
constexpr char const* no_card = "operation_costs";

constexpr std::array all_keys = {
    FigureKey{"memory.bandwidth", "B/s", "greatest rate to and from its memory", true},
    FigureKey{"memory.size", "B", "size of its memory", true},
    FigureKey{"memory.l2", "B", "size of the last cache that all of its processors share", false},
    FigureKey{"rates.fp64", "1/s", "operations in double, a fused multiply-add counted as two", true},
    FigureKey{"rates.fp32", "1/s", "operations in float, a fused multiply-add counted as two", true},
    FigureKey{"rates.tf32", "1/s", "operations of tensor cores in TF32, without sparsity", false},
    FigureKey{"rates.bf16", "1/s", "operations of tensor cores in bfloat16, without sparsity", false},
    FigureKey{"rates.special", "1/s", "special functions in float (2^x, log2 x, 1/x, x^(-1/2))", false},
    FigureKey{"rates.integer", "1/s", "additions of integers of 32 bits", false},
    FigureKey{"chip.multiprocessors", "1", "multiprocessors, compute units", true},
    FigureKey{"chip.clock", "Hz", "clock at which the rates hold", false},
    FigureKey{"chip.power", "W", "power at most", false},
};

/// "title (year) address" of sources.NAME.
std::string source_of(io::CaseFile const& file, std::string const& key, std::string const& name) {
  auto const table = "sources." + name;
  if (file.keys_under(table).empty()) {
    throw file.error(key,
                     "source '" + name + "' is not told of" + choices_hint(name, file.keys_under("sources")));
  }
  for (auto const* const part : {".title", ".year", ".address"}) {
    if (!file.has(table + part)) {
      throw file.error(table, "has no " + std::string(part + 1) +
                                  " (a source is found by title, year and address) add it");
    }
  }
  return fmt::format("{} ({}) {}", file.text(table + ".title", ""),
                     file.integer(table + ".year", 0, 1990, 2100), file.text(table + ".address", ""));
}

Figure read_figure(io::CaseFile const& file, FigureKey const& key) {
  auto const name = std::string(key.name);
  if (file.is_number(name)) {
    throw file.error(name,
                     "has no source (each number says where it is from) write { value = ..., source = "
                     "\"NAME\" } and tell of it in [sources.NAME]");
  }
  if (!file.has(name + ".value")) {
    throw file.error(
        name, fmt::format("has no value (in {}) write {{ value = ..., source = \"NAME\" }}", key.unit));
  }
  Figure figure;
  figure.value = file.number(name + ".value", 0, std::numeric_limits<double>::min(), 1e18);
  if (!file.has(name + ".source")) {
    throw file.error(name,
                     "has no source (each number says where it is from) add source = \"NAME\" and tell of it "
                     "in [sources.NAME]");
  }
  figure.source = source_of(file, name + ".source", file.text(name + ".source", ""));
  figure.derived = file.text(name + ".derived", "");
  return figure;
}

}  // namespace

std::span<FigureKey const> figure_keys() { return all_keys; }

char const* name_of(Pipe pipe) {
  constexpr std::array names = {"FP64", "FP32", "special functions", "integer"};
  return names[static_cast<std::size_t>(pipe)];
}

std::optional<double> Card::instruction_rate(Pipe pipe) const {
  constexpr std::array keys = {"rates.fp64", "rates.fp32", "rates.special", "rates.integer"};
  auto const found = figures.find(keys[static_cast<std::size_t>(pipe)]);
  if (found == figures.end()) return {};
  auto const fused = pipe == Pipe::fp64 || pipe == Pipe::fp32;
  return fused ? found->second.value / 2 : found->second.value;
}

double Card::issue_rate() const {
  auto const clock = figures.find("chip.clock");
  if (clock == figures.end()) return *instruction_rate(Pipe::fp32);
  return 4 * 32 * figures.at("chip.multiprocessors").value * clock->second.value;
}

Card read_card(fs::path const& path) {
  auto const file = io::CaseFile::load(path);
  Card card;
  card.id = path.stem().string();
  if (!file.has("name")) throw file.error("name", "is missing (reports call the card by it) add it");
  card.name = file.text("name", "");
  card.efficiency_like = file.texts("efficiency_like", {});
  for (auto const& key : all_keys) {
    auto const name = std::string(key.name);
    if (!file.has(name) && file.keys_under(name).empty()) {
      if (!key.required) continue;
      throw file.error(name, fmt::format("is missing ({}, in {}) add it", key.meaning, key.unit));
    }
    card.figures.emplace(name, read_figure(file, key));
  }
  for (auto const& source : file.keys_under("sources")) source_of(file, "sources", source);
  file.reject_unknown();
  return card;
}

fs::path cards_folder() {
  return shipped_folder("devices", [](fs::path const& folder) { return !known_cards(folder).empty(); });
}

std::vector<std::string> known_cards(fs::path const& folder) {
  std::vector<std::string> ids;
  std::error_code failed;
  for (auto const& entry : fs::directory_iterator(folder, failed)) {
    auto const& path = entry.path();
    if (path.extension() == ".toml" && path.stem() != no_card) ids.push_back(path.stem().string());
  }
  std::sort(ids.begin(), ids.end());
  return ids;
}

Card find_card(std::string const& name, fs::path const& folder) {
  fs::path const path = name;
  if (path.has_parent_path() || path.extension() == ".toml") return read_card(path);
  auto const known = known_cards(folder);
  if (known.empty()) {
    throw EnvironmentError(
        "no cards found (share/ulpine/devices is missing) install Ulpine with `cmake --install`, or name a "
        "file");
  }
  if (std::find(known.begin(), known.end(), name) == known.end()) {
    throw InputError("unknown card '" + name + "'" + choices_hint(name, known) + ", or name a file");
  }
  return read_card(folder / (name + ".toml"));
}

}  // namespace ulpine::ensembles::cards
