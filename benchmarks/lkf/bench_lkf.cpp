// SPDX-License-Identifier: Apache-2.0
// Every rule set and parameter set of the detector, judged on features of known length. Prints the tables of
// docs/results/lkf.md.
#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "lkf/judge.hpp"

namespace {

using namespace ulpine::lkf;
using namespace ulpine::lkf::judging;

struct Row {
  std::string shape;
  Setting setting;
  std::vector<Scene> scenes;
};

std::vector<Row> table_rows() {
  std::vector<Row> rows;
  for (auto const& shape : shapes()) {
    for (auto const setting : {Setting{Ground::quiet, 0},
                               {Ground::quiet, 0.3},
                               {Ground::smooth, 0},
                               {Ground::smooth, 0.1},
                               {Ground::smooth, 0.3},
                               {Ground::smooth, 1}}) {
      rows.push_back({shape, setting, scenes(shape, setting)});
    }
  }
  for (auto const noise : {0.0, 0.1}) {
    Setting const ring{Ground::ring, noise};
    rows.push_back({"none", ring, scenes("none", ring)});
  }
  return rows;
}

Judgements judged(Row const& row, Parameters const& parameters, Rules rules) {
  std::vector<Judgement> judgements;
  for (auto const& scene : row.scenes)
    judgements.push_back(judge(scene, detect(scene.field(), parameters, rules)));
  return judging::summarise(judgements);
}

std::string number(double value, char const* format = "{:.2f}") {
  return std::isnan(value) ? "" : fmt::format(fmt::runtime(format), value);
}

std::string header(std::string const& first) {
  return fmt::format(
      "| {} | recall | precision | pieces | bias of length | least | greatest | features | error |\n"
      "| --- | --: | --: | --: | --: | --: | --: | --: | --: |\n",
      first);
}

std::string line(std::string const& first, Judgements const& judgements) {
  auto const& [mean, least, greatest] = judgements;
  return fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", first, number(mean.recall),
                     number(mean.precision), number(mean.pieces), number(mean.bias, "{:+.2f}"),
                     number(least.bias, "{:+.2f}"), number(greatest.bias, "{:+.2f}"),
                     number(mean.features, "{:.1f}"), number(mean.error()));
}

/// Mean errors over the rows, all with the same weight.
struct Errors {
  double sum = 0;
  int rows = 0;

  void add(double error) {
    sum += error;
    ++rows;
  }
  std::string text() const { return number(sum / rows, "{:.3f}"); }
};

/// All rows for one set and one choice of rules; its line of the ranking.
std::string judge_all(std::vector<Row> const& rows, char const* set, Rules rules, std::string& tables) {
  auto const* name = rules == Rules::repaired ? "repaired" : "lkf_tools";
  tables += fmt::format("\n### `{}`, rules `{}`\n\n{}", set, name, header("shape, ground"));
  Errors all, clear, noisy, none;
  for (auto const& row : rows) {
    auto const judgements = judged(row, named_parameters(set), rules);
    tables += line(row.shape + ", " + row.setting.name(), judgements);
    auto const error = judgements.mean.error();
    all.add(error);
    (row.shape == "none" ? none : row.setting.noise > 0 ? noisy : clear).add(error);
  }
  return fmt::format("| `{}` | `{}` | {} | {} | {} | {} |\n", set, name, all.text(), clear.text(),
                     noisy.text(), none.text());
}

void run() {
  auto const rows = table_rows();
  std::string tables;
  fmt::print(
      "## Errors\n\n| parameters | rules | all | features, no noise | features, noise | no features |\n"
      "| --- | --- | --: | --: | --: | --: |\n");
  for (auto const* set : {"cells", "eps_default", "dog15", "rgps"}) {
    for (auto const rules : {Rules::repaired, Rules::lkf_tools}) {
      fmt::print("{}", judge_all(rows, set, rules, tables));
    }
  }

  constexpr double spacing_km = 4;
  fmt::print("\n## Width of features on a grid of {} km\n\n{}", spacing_km,
             header("shape, parameters, width in cells"));
  for (auto const* shape : {"line", "network"}) {
    for (auto const* set : {"cells", "process_dataset"}) {
      for (auto const width : {1.0, 2.0, 4.0, 6.0}) {
        Row const row{shape, {Ground::smooth, 0.1}, scenes(shape, {Ground::smooth, 0.1}, width)};
        fmt::print("{}", line(fmt::format("{}, `{}`, {}", shape, set, width),
                              judged(row, parameters_on(set, Spacing{spacing_km}), Rules::repaired)));
      }
    }
  }

  fmt::print("\n## Every shape\n{}", tables);
}

}  // namespace

int main() {
  try {
    run();
    return 0;
  } catch (std::exception const& error) {
    fmt::print(stderr, "bench_lkf: {}\n", error.what());
    return 3;
  }
}
