// SPDX-License-Identifier: Apache-2.0
#include "ensembles/study/judged_amplitudes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/model/model.hpp"
#include "io/case_file.hpp"
#include "verification/gates/rules.hpp"

namespace ulpine::ensembles {

std::vector<std::string> doubts_about_amplitudes(CaseSource const& source, StudyPlan const& plan) {
  auto const case_file = source.load();
  auto const tolerated = verification::read_rules(case_file, judging_of(case_file.core())).tolerated;
  std::vector<std::string> lines, above;
  std::string below;
  if (tolerated.empty()) return lines;
  auto const limit = io::parse_power(tolerated);
  double largest = 0;
  std::size_t idle = 0;
  for (auto const& run : plan.runs) {
    if (!run.epsilon) continue;
    auto const& [text, value] = *run.epsilon;
    if (value > limit) {
      ++idle;
      if (std::ranges::find(above, text) == above.end()) above.push_back(text);
    } else if (value > largest) {
      largest = value;
      below = text;
    }
  }
  if (!above.empty()) {
    lines.push_back(
        fmt::format("amplitude {} is above the tolerated {}: {} of {} runs are shown and judge nothing",
                    fmt::join(above, ", "), tolerated, idle, plan.runs.size()));
  }
  if (largest < limit && (largest > 0 || idle > 0)) {
    lines.push_back(fmt::format("no members at the tolerated {}: {}", tolerated,
                                below.empty() ? std::string("nothing can be judged by members")
                                              : fmt::format("what is outside at {} stays undecided", below)));
  }
  return lines;
}

}  // namespace ulpine::ensembles
