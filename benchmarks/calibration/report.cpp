// SPDX-License-Identifier: Apache-2.0
#include "calibration/report.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

namespace ulpine::calibration {
namespace {

using Json = nlohmann::ordered_json;

/// "0.3 % (0 to 1.8)"; empty of none.
std::string text_of(Rate const& rate) {
  if (rate.of == 0) return "";
  auto const [low, high] = rate.interval();
  return fmt::format("{:.1f} % ({:.1f} to {:.1f})", 100 * rate.share(), 100 * low, 100 * high);
}

std::string truth_of(Row const& row) {
  if (row.role == Role::equal) return "equal";
  auto const near = row.studies - row.inside - row.beyond;
  return row.beyond == row.studies   ? "beyond"
         : row.inside == row.studies ? "inside"
         : near == row.studies       ? "not told"
                                     : fmt::format("beyond in {} of {}", row.beyond, row.studies);
}

/// Rows of one kind of evidence, summed over what `chosen` takes.
template <class Chosen>
Row sum_of(Calibration const& calibration, std::string const& kind, Chosen const& chosen) {
  Row sum;
  for (auto const& row : calibration.rows) {
    if (row.evidence != kind || !chosen(row)) continue;
    sum.studies += row.studies;
    sum.undecided += row.undecided;
    sum.silent += row.silent;
    for (auto const& [from, to] :
         {std::pair{&row.false_alarms, &sum.false_alarms}, {&row.misses, &sum.misses}}) {
      to->count += from->count;
      to->of += from->of;
    }
  }
  return sum;
}

std::string table_by_kind(Calibration const& calibration) {
  std::string text =
      "| evidence | equal: studies | different | undecided | silent | faults inside: studies | different "
      "| faults beyond: studies | equivalent |\n"
      "| --- | --: | --- | --- | --- | --: | --- | --: | --- |\n";
  for (auto const& kind : kinds_of_evidence()) {
    auto const equal = sum_of(calibration, kind, [](Row const& row) { return row.role == Role::equal; });
    auto const faulty = sum_of(calibration, kind, [](Row const& row) { return row.role != Role::equal; });
    text += fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", kind, equal.studies,
                        text_of(equal.false_alarms), text_of({equal.undecided, equal.studies}),
                        text_of({equal.silent, equal.studies}), faulty.false_alarms.of,
                        text_of(faulty.false_alarms), faulty.misses.of, text_of(faulty.misses));
  }
  return text;
}

std::string table_by_fault(Calibration const& calibration) {
  std::string text =
      "| configuration | truth | studies | equivalent | undecided | different |\n"
      "| --- | --- | --: | --: | --: | --: |\n";
  for (auto const& row : calibration.rows) {
    if (row.evidence != "verdict") continue;
    auto const name = row.role == Role::coarser ? "rounding to 24 bits, coarser by " + row.fault : row.fault;
    text += fmt::format("| {} | {} | {} | {} | {} | {} |\n", name, truth_of(row), row.studies, row.equivalent,
                        row.undecided, row.different);
  }
  return text;
}

/// To four digits after the point: no rate here is known better.
Json rounded(double share) { return std::round(share * 1e4) / 1e4; }
Json share_of(Rate const& rate) { return rate.of == 0 ? Json(nullptr) : rounded(rate.share()); }
Json upper_of(Rate const& rate) { return rate.of == 0 ? Json(nullptr) : rounded(rate.interval()[1]); }

}  // namespace

std::string to_markdown(Calibration const& calibration) {
  auto const members = calibration.rows.empty() ? 0 : calibration.rows.front().members;
  auto text = fmt::format("## {}, {} members\n\n{}\nVerdicts:\n\n{}", calibration.model, members,
                          table_by_kind(calibration), table_by_fault(calibration));
  text +=
      fmt::format("\nStudies in which a configuration was called equivalent and a closer one different: {}.",
                  text_of(calibration.inverted));
  if (calibration.turning.turned_back.of > 0) {
    text += fmt::format(
        " Studies in which a coarser rounding got a better answer than a finer one: {}; in which it was "
        "called "
        "equivalent after a finer one was called different: {}.",
        text_of(calibration.turning.turned_back), text_of(calibration.turning.turned_across));
  }
  text += "\n";
  if (!calibration.edges.empty()) {
    text +=
        "\nStatistics that are a thousandth beyond their margin:\n\n"
        "| configuration | statistic | called equivalent | called different |\n| --- | --- | --- | --- |\n";
    for (auto const& item : calibration.edges) {
      text += fmt::format("| {} | {} {} | {} | {} |\n", item.fault, item.subject, item.part,
                          text_of(item.equivalent), text_of(item.different));
    }
  }
  if (!calibration.detected.empty()) {
    text +=
        "\nThe smallest difference told from none with 80 % power, planted:\n\n"
        "| configuration | statistic | members | difference | shown |\n| --- | --- | --: | --: | --- |\n";
    for (auto const& item : calibration.detected) {
      text += fmt::format("| {} | {} | {} | {:.3g} | {} |\n", item.fault, item.subject, item.members,
                          item.detectable, text_of(item.shown));
    }
  }
  if (!calibration.decided.empty()) {
    text +=
        "\nMembers that would decide with 80 % power, tried:\n\n"
        "| configuration | statistic | undecided with 8 | members asked for (median) | decided with those |\n"
        "| --- | --- | --: | --: | --- |\n";
    for (auto const& item : calibration.decided) {
      text += fmt::format("| {} | {} {} | {} | {} | {} |\n", item.fault, item.subject, item.part,
                          item.undecided, item.needed, text_of(item.decided));
    }
  }
  return text;
}

std::string to_markdown(std::vector<std::vector<PublishedRate>> const& tables) {
  std::string text;
  char const* const titles[] = {"Principal components", "Tolerances from members",
                                "Kolmogorov-Smirnov over 120 variables"};
  for (std::size_t i = 0; i < tables.size(); ++i) {
    text += fmt::format(
        "{}## {}\n\n| rule | published | simulated here | standard error |\n| --- | --: | --: | --: |\n",
        i == 0 ? "" : "\n", titles[i]);
    for (auto const& rate : tables[i]) {
      text += fmt::format("| {} | {}{:.4g} % | {:.3g} % | {:.1g} % |\n", rate.rule, rate.at_most ? "< " : "",
                          100 * rate.published, 100 * rate.simulated, 100 * rate.error);
    }
  }
  return text;
}

std::string to_json(std::vector<Calibration> const& calibrations, std::string const& version,
                    std::string const& date) {
  std::string rows;
  for (auto const& calibration : calibrations) {
    for (auto const& row : calibration.rows) {
      if (row.silent == row.studies) continue;
      Json const json = {{"model", row.model},
                         {"evidence", row.evidence},
                         {"fault", row.role == Role::equal ? "none: " + row.fault : row.fault},
                         {"members", row.members},
                         {"studies", row.studies},
                         {"false_alarms", share_of(row.false_alarms)},
                         {"false_alarms_upper", upper_of(row.false_alarms)},
                         {"misses", share_of(row.misses)},
                         {"misses_upper", upper_of(row.misses)},
                         {"undecided", share_of({row.undecided, row.studies})}};
      rows += (rows.empty() ? "\n" : ",\n") + json.dump();
    }
  }
  return "{\"version\":" + Json(version).dump() + ",\"date\":" + Json(date).dump() + ",\"rows\":[" + rows +
         "\n]}\n";
}

}  // namespace ulpine::calibration
