// SPDX-License-Identifier: Apache-2.0
#include "ensembles/cards/efficiency.hpp"

#include <fmt/format.h>

#include <limits>

#include "io/case_entries.hpp"
#include "io/case_file.hpp"

namespace ulpine::ensembles::cards {

namespace fs = std::filesystem;

namespace {

constexpr std::array efficiency_keys = {"fp64", "fp32", "special", "integer"};
/// Numbers that a file may lack, each with what it means.
struct OptionalKey {
  char const* name;
  std::optional<double> Efficiency::*value;
  double largest;
  char const* meaning;
};
constexpr OptionalKey optional_keys[] = {
    {"kernel_latency", &Efficiency::kernel_latency, 1, "s a kernel of a loop, as of a solver"},
    {"overhead", &Efficiency::overhead, 100, "instructions more for an operation, as of addresses"},
    {"number_latency", &Efficiency::number_latency, 1, "s a number that a thread moves"},
    {"instruction_latency", &Efficiency::instruction_latency, 1, "s an instruction of a thread"}};
constexpr double smallest = std::numeric_limits<double>::min();

}  // namespace

std::string to_toml(MeasuredEfficiency const& measured) {
  auto const& [efficiency, judgement] = measured;
  auto text = std::string(efficiency_head) + ", fitted by `ulpine cases --fit` to measured times.\n";
  auto const line = [&](std::string const& key, std::string const& value, char const* meaning) {
    text += fmt::format("{} = {}{}\n", key, value, *meaning == '\0' ? "" : std::string("  # ") + meaning);
  };
  line("card", io::toml_text(judgement.card), "");
  std::vector<std::string> runs;
  for (auto const& run : judgement.runs) runs.push_back(io::toml_text(run));
  line("runs", io::toml_array(runs), "");
  line("memory", io::toml_number(efficiency.memory), "of memory.bandwidth");
  for (std::size_t i = 0; i < pipes; ++i) {
    if (auto const& value = efficiency.of_pipe[i]) {
      line(efficiency_keys[i], io::toml_number(*value), i == 0 ? "of rates.fp64" : "");
    }
  }
  line("latency", io::toml_number(efficiency.latency), "s a launch");
  for (auto const& key : optional_keys) {
    if (auto const& value = efficiency.*key.value) line(key.name, io::toml_number(*value), key.meaning);
  }
  line("fitted", std::to_string(judgement.fitted), "stages");
  line("judged", std::to_string(judgement.judged), "other stages, whose times the fit has not seen");
  line("median_error", io::toml_number(judgement.median_error), "of these, relative");
  line("largest_error", io::toml_number(judgement.largest_error), "of the ten of these that take longest");
  line("total_error", io::toml_number(judgement.total_error), "of the sum of their times");
  return text;
}

MeasuredEfficiency read_efficiency(fs::path const& path) {
  auto const file = io::CaseFile::load(path);
  MeasuredEfficiency measured;
  auto& [efficiency, judgement] = measured;
  for (auto const* const key : {"card", "memory", "latency"}) {
    if (!file.has(key))
      throw file.error(key, "is missing (`ulpine cases --fit` writes it) write the file anew");
  }
  judgement.card = file.text("card", "");
  judgement.runs = file.texts("runs", {});
  efficiency.memory = file.number("memory", 1, smallest, largest_efficiency);
  for (std::size_t i = 0; i < pipes; ++i) {
    if (file.has(efficiency_keys[i]))
      efficiency.of_pipe[i] = file.number(efficiency_keys[i], 1, smallest, largest_efficiency);
  }
  efficiency.latency = file.number("latency", 0, 0, 1);
  for (auto const& key : optional_keys) {
    if (file.has(key.name)) efficiency.*key.value = file.number(key.name, 0, 0, key.largest);
  }
  judgement.fitted = file.integer("fitted", 0, 0);
  judgement.judged = file.integer("judged", 0, 0);
  judgement.median_error = file.number("median_error", 0, 0);
  judgement.largest_error = file.number("largest_error", 0, 0);
  judgement.total_error = file.number("total_error", 0, 0);
  file.reject_unknown();
  return measured;
}

ChosenEfficiency efficiency_for(Card const& card, fs::path const& folder) {
  std::vector<std::string> ids = {card.id};
  ids.insert(ids.end(), card.efficiency_like.begin(), card.efficiency_like.end());
  for (auto const& id : ids) {
    auto const file = folder / "efficiency" / (id + ".toml");
    std::error_code failed;
    if (!fs::is_regular_file(file, failed)) continue;
    auto const measured = read_efficiency(file);
    auto const own = id == card.id;
    return {measured.efficiency, fmt::format("efficiencies measured on {}{}", own ? "it" : id,
                                             own ? "" : ", as none are of this card")};
  }
  return {
      {},
      "at all of the card's rates and without latency, as no efficiencies are measured: times are the least "
      "that they can be"};
}

}  // namespace ulpine::ensembles::cards
