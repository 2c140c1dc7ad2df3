// SPDX-License-Identifier: Apache-2.0
#include "ensembles/study/unchanged_runs.hpp"

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
    "nothing happened: every unperturbed run ends as it began, and what stays at rest is the same in any "
    "arithmetic";
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

bool nothing_happened(StudyEvaluation const& study) {
  auto looked = false;
  for (auto const& run : study.runs) {
    if (run.plan.member || run.result.failed) continue;
    try {
      stop_where(study.options.cancel);
      if (!ends_as_it_began(io::InputFile(study.output_of(run.plan)))) return false;
    } catch (InputError const&) {
      return false;
    }
    looked = true;
  }
  return looked;
}

void withhold_verdicts(verification::StudyResults& results) {
  for (auto& verdict : results.verdicts) {
    if (verdict.answer == Answer::different) continue;
    verification::Evidence evidence;
    evidence.kind = "error";
    evidence.subject = "final state";
    evidence.answer = Answer::undecided;
    evidence.reason = reason;
    verdict.evidence.push_back(std::move(evidence));
    verdict.answer = Answer::undecided;
    verdict.would_decide = remedy;
  }
  results.notes.emplace_back(reason);
  results.answer = std::max(results.answer, Answer::undecided);
  if (results.answer == Answer::undecided && results.missing.runs == 0) results.would_decide = remedy;
}

}  // namespace ulpine::ensembles
