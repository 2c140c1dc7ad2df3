// SPDX-License-Identifier: Apache-2.0
#include "verification/results/junit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

#include "verification/verdict/verdict.hpp"

namespace ulpine::verification {
namespace {

/// Seconds as xs:decimal, which knows no exponent.
std::string seconds(double value) {
  return fmt::format("{:.3f}", std::isfinite(value) && value > 0 ? value : 0.0);
}

struct Case {
  std::string name, time = "0.000";
  std::string failure, skipped;  ///< at most one is set
};

Case case_of(GateResult const& gate) {
  Case result;
  result.name = gate.name;
  auto const limit = std::isnan(gate.limit) ? std::string() : fmt::format(", limit {:.6g}", gate.limit);
  if (!gate.skipped.empty()) {
    result.skipped = gate.skipped + limit;
  } else if (!gate.passed) {
    result.failure = (gate.value ? fmt::format("value {:.6g}", *gate.value) : gate.reason) + limit;
  }
  return result;
}

Case case_of(Verdict const& verdict) {
  Case result;
  result.name = "verdict";
  std::string reasons;
  for (auto const& evidence : verdict.evidence) {
    if (evidence.answer == verdict.answer) {
      reasons += (reasons.empty() ? "" : "; ") + words_of(evidence);
    }
  }
  if (verdict.control && verdict.answer == Answer::different) {
    result.skipped =
        "the reference is different from itself with other noise, so that the tests are not to be believed "
        "here: " +
        reasons;
  } else if (verdict.answer == Answer::different) {
    result.failure = "different: " + reasons;
  } else if (verdict.answer == Answer::undecided) {
    result.skipped =
        "undecided" + (reasons.empty() ? "" : ": " + reasons) + "; would decide: " + verdict.would_decide;
  }
  return result;
}

std::string suite_xml(std::string const& name, std::vector<Case> const& cases) {
  auto const failures =
      std::count_if(cases.begin(), cases.end(), [](Case const& c) { return !c.failure.empty(); });
  auto const skipped =
      std::count_if(cases.begin(), cases.end(), [](Case const& c) { return !c.skipped.empty(); });
  std::string xml = fmt::format(
      "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\" time=\"{}\">\n",
      xml_escaped(name), cases.size(), failures, skipped, cases.empty() ? "0.000" : cases[0].time);
  for (auto const& c : cases) {
    xml += fmt::format("    <testcase classname=\"{}\" name=\"{}\" time=\"{}\"", xml_escaped(name),
                       xml_escaped(c.name), c.time);
    if (!c.failure.empty()) {
      xml += fmt::format(">\n      <failure message=\"{}\"/>\n    </testcase>\n", xml_escaped(c.failure));
    } else if (!c.skipped.empty()) {
      xml += fmt::format(">\n      <skipped message=\"{}\"/>\n    </testcase>\n", xml_escaped(c.skipped));
    } else {
      xml += "/>\n";
    }
  }
  return xml + "  </testsuite>\n";
}

/// A document of test suites, and how many cases it has.
class Suites {
 public:
  void add(std::string const& name, std::vector<Case> const& cases) {
    for (auto const& c : cases) {
      failures_ += c.failure.empty() ? 0 : 1;
      skipped_ += c.skipped.empty() ? 0 : 1;
    }
    tests_ += cases.size();
    xml_ += suite_xml(name, cases);
  }
  std::string document(std::string const& title) const {
    return fmt::format(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<testsuites name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"0\" "
        "skipped=\"{}\">\n{}</testsuites>\n",
        xml_escaped(title), tests_, failures_, skipped_, xml_);
  }

 private:
  std::string xml_;
  std::size_t tests_ = 0, failures_ = 0, skipped_ = 0;
};

}  // namespace

std::string xml_escaped(std::string const& text) {
  using nlohmann::json;
  auto const valid =
      json::parse(json(text).dump(-1, ' ', false, json::error_handler_t::replace)).get<std::string>();
  std::string result;
  for (std::size_t i = 0; i < valid.size(); ++i) {
    // U+FFFE and U+FFFF are no characters of XML.
    if (valid.compare(i, 3, "\xef\xbf\xbe") == 0 || valid.compare(i, 3, "\xef\xbf\xbf") == 0) {
      result += '?';
      i += 2;
      continue;
    }
    auto const c = valid[i];
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\n':
      case '\t':
        result += ' ';
        break;
      default:
        result += static_cast<unsigned char>(c) < 0x20 ? '?' : c;
    }
  }
  return result;
}

std::string to_junit(std::string const& title, std::span<GateResult const> results) {
  std::vector<std::string> names;
  for (auto const& gate : results) {
    if (std::ranges::find(names, gate.subject.name) == names.end()) names.push_back(gate.subject.name);
  }
  Suites suites;
  for (auto const& name : names) {
    std::vector<Case> cases;
    for (auto const& gate : results) {
      if (gate.subject.name == name) cases.push_back(case_of(gate));
    }
    suites.add(name, cases);
  }
  return suites.document(title);
}

std::string to_junit(StudyResults const& results) {
  std::vector<std::string> names;
  for (auto const& run : results.runs) {
    if (!run.member || run.failed) {
      names.push_back(run.id);
    }
  }
  for (auto const& gate : results.gates) {
    if (std::find(names.begin(), names.end(), gate.run) == names.end()) {
      names.push_back(gate.run);
    }
  }
  for (auto const& verdict : results.verdicts) {
    if (verdict.control) names.push_back(verdict.configuration);
  }
  Suites suites;
  for (auto const& name : names) {
    std::vector<Case> cases;
    if (auto const* run = results.find_run(name)) {
      cases.push_back(
          {"completed", seconds(run->wall_s), run->failed ? "the run failed: " + *run->failed : "", ""});
    }
    for (auto const& gate : results.gates) {
      // Whether a run of the list came to its end is said above.
      if (gate.run == name && (gate.name != "completed" || results.find_run(name) == nullptr)) {
        cases.push_back(case_of(gate));
      }
    }
    for (auto const& verdict : results.verdicts) {
      if (verdict.configuration == name) {
        cases.push_back(case_of(verdict));
      }
    }
    suites.add(name, cases);
  }
  return suites.document(results.study_case.core + "/" + results.study_case.name);
}

}  // namespace ulpine::verification
