// SPDX-License-Identifier: Apache-2.0
#include "verification/consistency/output.hpp"
#include "verification/results/json_number.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "io/error.hpp"
#include "io/seal.hpp"
#include "verification/results/junit.hpp"

namespace ulpine::verification::consistency {
namespace {

using Json = nlohmann::ordered_json;

constexpr char const* consistency_schema = "ulpine.consistency/1";

Json to_json(Finding const& finding) {
  return {{"subject", finding.subject},
          {"value", json_number(finding.value)},
          {"limit", json_number(finding.limit)},
          {"p", json_number(finding.p)},
          {"adjusted_p", json_number(finding.adjusted_p)},
          {"rejected", finding.rejected},
          {"note", finding.note}};
}

Json to_json(Figure const& figure) {
  Json lines = Json::array();
  for (auto const& line : figure.lines) {
    lines.push_back({{"label", line.label},
                     {"kind", line.kind},
                     {"x", json_numbers(line.x)},
                     {"y", json_numbers(line.y)}});
  }
  return {{"name", figure.name},       {"title", figure.title},
          {"x_label", figure.x_label}, {"y_label", figure.y_label},
          {"x_scale", figure.x_scale}, {"y_scale", figure.y_scale},
          {"x_names", figure.x_names}, {"lines", lines}};
}

Json to_json(Outcome const& outcome) {
  Json findings = Json::array(), figures = Json::array(), parameters = Json::object();
  for (auto const& finding : outcome.findings) findings.push_back(to_json(finding));
  for (auto const& figure : outcome.figures) figures.push_back(to_json(figure));
  for (auto const& [key, value] : outcome.parameters) parameters[key] = value;
  return {{"method", outcome.method},
          {"answer", name_of(outcome.answer)},
          {"statement", outcome.statement},
          {"needed", outcome.members_needed ? Json(*outcome.members_needed) : Json(nullptr)},
          {"needed_of", outcome.needed_of},
          {"nominal_rate", outcome.nominal_rate},
          {"parameters", parameters},
          {"findings", findings},
          {"figures", figures}};
}

}  // namespace

std::string to_json(Verdict const& verdict, io::Provenance const& provenance, ComparedNames const& names) {
  Json outcomes = Json::array(), built = Json::object();
  for (auto const& outcome : verdict.outcomes) outcomes.push_back(to_json(outcome));
  for (auto const& [key, value] : provenance.items()) built[key] = value;
  Json const document = {{"schema", consistency_schema},
                         {"provenance", built},
                         {"ensemble", names.ensemble},
                         {"tests", names.tests},
                         {"answer", name_of(verdict.answer)},
                         {"statement", verdict.statement},
                         {"notes", verdict.notes},
                         {"outcomes", outcomes}};
  return io::sealed_json(document.dump(1, ' ', false, Json::error_handler_t::replace));
}

std::string to_text(Verdict const& verdict) {
  std::string text;
  for (auto const& note : verdict.notes) text += "# " + one_line(note) + "\n";
  for (auto const& outcome : verdict.outcomes) {
    text += fmt::format("{:<10} {:<12} {}\n", outcome.method, name_of(outcome.answer),
                        one_line(outcome.statement));
    constexpr std::size_t most = 5;
    std::size_t told = 0;
    for (auto const& finding : outcome.findings) {
      if (!finding.rejected) continue;
      if (++told > most) break;
      text += fmt::format("             {}: {}", one_line(finding.subject),
                          finding.value ? fmt::format("{:.4g}", *finding.value) : "no value");
      if (finding.limit) text += fmt::format(", limit {:.4g}", *finding.limit);
      if (finding.adjusted_p) text += fmt::format(", adjusted p = {:.2g}", *finding.adjusted_p);
      text += finding.note.empty() ? "\n" : " (" + one_line(finding.note) + ")\n";
    }
    auto const rejected = std::ranges::count_if(outcome.findings, &Finding::rejected);
    if (rejected > std::ptrdiff_t(most))
      text += fmt::format("             and {} more\n", rejected - std::ptrdiff_t(most));
  }
  return text + fmt::format("{}: {}\n", name_of(verdict.answer), one_line(verdict.statement));
}

std::string to_junit(Verdict const& verdict) {
  std::size_t failures = 0, skipped = 0;
  std::string cases;
  for (auto const& outcome : verdict.outcomes) {
    cases += fmt::format("    <testcase classname=\"consistency\" name=\"{}\" time=\"0.000\"",
                         xml_escaped(outcome.method));
    if (outcome.answer == Answer::consistent) {
      cases += "/>\n";
    } else if (outcome.answer == Answer::different) {
      ++failures;
      cases += fmt::format("><failure message=\"{}\"/></testcase>\n", xml_escaped(outcome.statement));
    } else {
      ++skipped;
      cases += fmt::format("><skipped message=\"{}: {}\"/></testcase>\n", name_of(outcome.answer),
                           xml_escaped(outcome.statement));
    }
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite name=\"consistency\" "
      "tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\" "
      "time=\"0.000\">\n{}  </testsuite>\n</testsuites>\n",
      verdict.outcomes.size(), failures, skipped, cases);
}

}  // namespace ulpine::verification::consistency
