// SPDX-License-Identifier: Apache-2.0
#include "ensembles/study/unchanged_runs.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

#include "ensembles/runs/interrupt.hpp"
#include "io/error.hpp"
#include "io/seal.hpp"
#include "verification/results/at_rest.hpp"

namespace ulpine::ensembles {
namespace {

using verification::Answer;
using verification::ends_as_it_began;
using verification::is_zero;
using verification::stays_zero;

constexpr char const* reason =
    "nothing happened: the run ends as it began, as the reference does, and what stays at rest is the same "
    "in any arithmetic";
constexpr char const* remedy =
    "a case in which something happens: look whether its start, forcing, terrain and buildings lie on the "
    "grid";

std::vector<double> values_of(Model const& model, io::FieldInfo const& field) {
  std::vector<double> values(static_cast<std::size_t>(field.size()));
  model.read(field.name, values);
  return values;
}

std::uint64_t hash_of(std::vector<double> const& values) {
  io::StreamHash hash;
  hash.add({reinterpret_cast<char const*>(values.data()), values.size() * sizeof(double)});
  return hash.value();
}

}  // namespace

FieldsAt::FieldsAt(Model const& model) {
  for (auto const& field : model.fields()) {
    auto const values = values_of(model, field);
    fields_[field.name] = {hash_of(values), is_zero(values)};
  }
}

bool FieldsAt::unchanged(Model const& model) const {
  for (auto const& field : model.fields()) {
    auto const values = values_of(model, field);
    auto const& then = fields_.at(field.name);
    if (then.zero ? !stays_zero(values) : hash_of(values) != then.hash) return false;
  }
  return true;
}

std::set<std::string> runs_at_rest(StudyEvaluation const& study) {
  std::set<std::string> at_rest;
  for (auto const& run : study.runs) {
    if (run.plan.member || run.result.failed) continue;
    try {
      stop_where(study.options.cancel);
      if (ends_as_it_began(io::InputFile(study.output_of(run.plan)))) at_rest.insert(run.plan.id);
    } catch (InputError const&) {
      // What cannot be read shows nothing.
    }
    // The reference comes first: where it moves, nobody has to be looked at.
    if (at_rest.empty()) break;
  }
  return at_rest;
}

void withhold_verdicts(verification::StudyResults& results, std::set<std::string> const& at_rest) {
  auto withheld = !at_rest.empty() && results.verdicts.empty();
  for (auto& verdict : results.verdicts) {
    auto const still = at_rest.contains(verdict.control ? results.reference : verdict.configuration);
    if (verdict.answer == Answer::different || !still) continue;
    withheld = true;
    verification::Evidence evidence;
    evidence.kind = "error";
    evidence.subject = "final state";
    evidence.answer = Answer::undecided;
    evidence.reason = reason;
    verdict.evidence.push_back(std::move(evidence));
    verdict.answer = Answer::undecided;
    verdict.would_decide = remedy;
  }
  if (!withheld) return;
  results.notes.push_back(fmt::format("{}: {}", fmt::join(at_rest, ", "), reason));
  results.answer = std::max(results.answer, Answer::undecided);
  if (results.answer == Answer::undecided && results.missing.runs == 0) results.would_decide = remedy;
}

}  // namespace ulpine::ensembles
