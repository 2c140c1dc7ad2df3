// SPDX-License-Identifier: Apache-2.0
#include "verification/comparison/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "io/absent_messages.hpp"
#include "io/error.hpp"
#include "verification/comparison/compare_field.hpp"
#include "verification/comparison/matching.hpp"

namespace ulpine::verification {
namespace {

bool has(std::vector<std::string> const& names, std::string const& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::vector<std::string> only_in(std::vector<std::string> const& names,
                                 std::vector<std::string> const& others) {
  std::vector<std::string> result;
  std::copy_if(names.begin(), names.end(), std::back_inserter(result),
               [&](auto const& name) { return !has(others, name); });
  return result;
}

/// Notes on the weights of the variables. InputError where none has those that were named.
void note_weights(ComparisonOptions const& how, io::InputFile const& reference,
                  std::vector<std::string> const& names, std::vector<std::string>& notes) {
  std::set<std::string> customary, thickness;
  std::string unweighted;
  bool weighted = false;
  auto const in_time = [&](std::string const& name) { return reference.time_axis(name).exists; };
  auto const has_times = std::ranges::any_of(names, in_time);
  for (auto const& name : names) {
    auto const measure = how.weighting.measure(reference, name);
    if (measure && measure->thickness) thickness.insert(measure->thickness->source);
    if (!measure || measure->factors.empty()) {
      // Beside fields that change in time, others are the grid's own numbers.
      if ((!has_times || in_time(name)) && is_wide(reference, name))
        unweighted += (unweighted.empty() ? "" : ", ") + name;
      continue;
    }
    weighted = true;
    for (auto const& factor : measure->factors) {
      if (factor.customary) customary.insert(factor.name);
    }
  }
  for (auto const& name : customary) {
    notes.push_back(
        fmt::format("weights {}: known by their usual name, no attribute says what they are", name));
  }
  for (auto const& source : thickness) {
    notes.push_back("levels count by their thickness, as " + source + " tells");
  }
  if (weighted) {
    if (!unweighted.empty())
      notes.push_back(unweighted + ": points count alike: no measure has their dimensions");
    return;
  }
  how.weighting.refuse_misfit(reference);
  auto const hint = how.weighting.hint(reference);
  if (!hint.empty()) {
    notes.push_back(hint);
  }
}

}  // namespace

std::string VariableComparison::failure() const {
  for (auto const& time : times) {
    if (!time.metrics.failure.empty()) return time.metrics.failure;
  }
  return {};
}

Equality Comparison::equal() const {
  auto const any = [&](Sameness same) {
    return std::ranges::any_of(
               variables, [&](auto const& variable) { return !variable.derived && variable.same == same; }) ||
           std::ranges::any_of(places, [&](auto const& place) { return place.second.same == same; });
  };
  if (!only_in_reference.empty() || !only_in_test.empty() || other_times || any(Sameness::no))
    return Equality::no;
  return !not_compared.empty() || any(Sameness::unknown) || (variables.empty() && places.empty())
             ? Equality::unknown
             : Equality::yes;
}

bool Comparison::usable() const {
  return std::ranges::all_of(variables, [](VariableComparison const& variable) {
    return variable.failure().empty() && variable.one_sided == 0;
  });
}

Comparison compare(io::InputFile const& reference, io::InputFile const& test,
                   std::vector<std::string> const& variables, Times times, std::int64_t most_bytes) {
  ComparisonOptions options;
  options.variables = variables;
  options.times = times;
  options.most_bytes = most_bytes;
  return compare(reference, test, options);
}

namespace {

/// All names that a file has something of: numbers, labels, places, and what cannot be read.
std::vector<std::string> all_names(io::InputFile const& file) {
  auto names = file.variables();
  for (auto const& more : {file.labels(), file.places(), file.unreadable()}) {
    names.insert(names.end(), more.begin(), more.end());
  }
  return names;
}

/// Names that are compared as variables: those of numbers and of labels.
std::vector<std::string> variables_of(io::InputFile const& file) {
  auto names = file.variables();
  auto const labels = file.labels();
  names.insert(names.end(), labels.begin(), labels.end());
  return names;
}

/// Says of what both files have whether it can be compared as a variable.
std::string type_refusal(io::InputFile const& reference, io::InputFile const& test, std::string const& name) {
  auto const type_y = reference.stored_type(name).name, type_x = test.stored_type(name).name;
  auto const labels = reference.is_labels(name) || test.is_labels(name);
  return labels && type_y != type_x ? fmt::format("is of another type: {} against {}", type_x, type_y) : "";
}

/// Builds a Comparison variable by variable.
class Comparer {
 public:
  Comparer(io::InputFile const& reference, io::InputFile const& test, ComparisonOptions const& how)
      : reference_(reference),
        test_(test),
        how_(how),
        matching_(reference, test, how.most_bytes / value_bytes) {}

  Comparison run() {
    auto const names = names_to_compare();
    std::vector<io::FieldInfo> fields;
    for (auto const& name : numbers_of(names)) fields.push_back(reference_.info(name));
    for (auto const& vector : vector_components(fields)) components_.insert(vector.begin(), vector.end());
    note_weights(how_, reference_, numbers_of(names), result_.notes);
    for (auto const& name : names) {
      for (auto const* file : {&reference_, &test_}) {
        if (auto note = io::absent_messages(*file, name); !note.empty()) result_.notes.push_back(note);
      }
    }
    for (auto const& name : names) {
      try {
        compare_variable(name);
      } catch (UnreadableVariable const& problem) {
        auto const known = !reference_.why_unreadable(name).empty() || !test_.why_unreadable(name).empty();
        damaged_ += known ? 0 : 1;
        auto variable = refused({name}, problem.what());
        variable.same = Sameness::unknown;
        result_.not_compared.push_back({name, problem.what()});
        result_.variables.push_back(std::move(variable));
        if (damaged_ == names.size()) throw;
      }
    }
    compare_speeds();
    if (how_.variables.empty()) compare_places();
    return std::move(result_);
  }

 private:
  std::vector<std::string> names_to_compare() {
    if (!how_.variables.empty()) {
      for (auto const& name : how_.variables) {
        if (reference_.has_values(name) && test_.has_values(name)) continue;
        throw InputError((reference_.has_values(name) ? test_ : reference_).path() + ": no variable '" +
                         name + "' (both files must have it) compare variables that they share");
      }
      auto left_out = all_names(reference_);
      auto const more = only_in(all_names(test_), left_out);
      left_out.insert(left_out.end(), more.begin(), more.end());
      std::erase_if(left_out, [&](auto const& name) { return has(how_.variables, name); });
      if (!left_out.empty()) {
        result_.not_compared.push_back(
            {"", fmt::format("{} variables and coordinates that were not asked for", left_out.size()), true});
      }
      return how_.variables;
    }
    auto const all_y = all_names(reference_), all_x = all_names(test_);
    result_.only_in_reference = only_in(all_y, all_x);
    result_.only_in_test = only_in(all_x, all_y);
    auto names = variables_of(reference_);
    auto const other = variables_of(test_);
    std::erase_if(names, [&](auto const& name) { return !has(other, name); });
    for (auto const* file : {&reference_, &test_}) {
      for (auto const& name : file->unreadable()) {
        result_.not_compared.push_back(
            {name, fmt::format("{}: {} ({})", name, file->why_unreadable(name), file->path())});
      }
    }
    // Files of a grid alone have coordinates and nothing else.
    auto const only_places =
        variables_of(reference_).empty() && other.empty() && !reference_.places().empty();
    if (names.empty() && !only_places) {
      throw InputError(reference_.path() + " and " + test_.path() +
                       ": nothing to compare (they have no variable in common) name files of like content");
    }
    // Names that are a field in one file and a coordinate in the other are compared, too.
    auto const add_common = [&](std::vector<std::string> const& fields,
                                std::vector<std::string> const& places) {
      std::ranges::copy_if(fields, std::back_inserter(names),
                           [&](auto const& name) { return has(places, name); });
    };
    add_common(variables_of(reference_), test_.places());
    add_common(other, reference_.places());
    return names;
  }

  std::vector<std::string> numbers_of(std::vector<std::string> names) const {
    std::erase_if(names, [&](auto const& name) { return !reference_.has(name); });
    return names;
  }

  void compare_variable(std::string const& name) {
    if (auto const refusal = type_refusal(reference_, test_, name); !refusal.empty()) {
      auto variable = refused({name}, refusal);
      variable.same = Sameness::unknown;
      result_.not_compared.push_back({name, name + ": " + refusal});
      result_.variables.push_back(std::move(variable));
      return;
    }
    auto common = matching_.times(name);
    result_.notes.insert(result_.notes.end(), common.notes.begin(), common.notes.end());
    result_.other_times = result_.other_times || !common.left_out.empty() || common.apart;
    for (auto const& line : {common.left_out, common.assumed}) {
      if (!line.empty()) result_.not_compared.push_back({name, name + ": " + line});
    }
    if (how_.times == Times::last && common.times.size() > 1) {
      result_.not_compared.push_back(
          {name, fmt::format("{}: {} earlier times", name, common.times.size() - 1), true});
      common.times.erase(common.times.begin(), common.times.end() - 1);
    }
    auto const grid = matching_.grid_mismatch(name, result_.notes);
    auto const field_y = reference_.info(name), field_x = test_.info(name);
    auto const refusal = !grid.empty()                                      ? grid
                         : !common.refusal.empty()                          ? common.refusal
                         : common.times.empty() && !common.left_out.empty() ? "no time in common"
                                                                            : "";
    if (grid.empty() && reference_.has(name)) {
      alike_y_.push_back(field_y);
      alike_x_.push_back(field_x);
    }
    auto compared = compare_field(reference_, test_, how_, {name}, refusal, common);
    auto& whole = compared.front();
    if (grid.empty() && !common.refusal.empty() && !common.other_calendar) whole.same = Sameness::unknown;
    auto const doubt = grid.empty() ? matching_.doubt(name) : "";
    if (!doubt.empty() && whole.same != Sameness::no) {
      whole.same = Sameness::unknown;
      whole.unseen = doubt;
    }
    if (reference_.units_and_calendar(name) != test_.units_and_calendar(name)) {
      if (field_x.units != field_y.units) {
        result_.notes.push_back(name + ": units differ ('" + field_x.units + "' against '" + field_y.units +
                                "')");
      }
      if (whole.same != Sameness::no) {
        whole.same = Sameness::unknown;
        whole.unseen = "its units or calendar differ, its numbers do not";
      }
    }
    if (!whole.unseen.empty()) result_.not_compared.push_back({name, name + ": " + whole.unseen});
    if (whole.same == Sameness::unknown && whole.unseen.empty()) {
      result_.not_compared.push_back({name, name + ": " + refusal});
    }
    append(std::move(compared));
    if (components_.contains(name)) common_of_[name] = std::move(common);
  }

  void compare_speeds() {
    auto const vectors_x = vector_components(alike_x_);
    for (auto const& components : vector_components(alike_y_)) {
      auto const common = common_of_.find(components[0]);
      auto const failed = std::ranges::any_of(result_.variables, [&](VariableComparison const& variable) {
        return has(components, variable.name) && !variable.failure().empty();
      });
      if (failed || common == common_of_.end() || common->second.times.empty()) continue;
      if (has_vector(vectors_x, components))
        append(compare_field(reference_, test_, how_, components, {}, common->second));
    }
  }

  static bool has_vector(std::vector<std::vector<std::string>> const& vectors,
                         std::vector<std::string> const& components) {
    return std::find(vectors.begin(), vectors.end(), components) != vectors.end();
  }

  void compare_places() {
    auto const others = test_.places();
    for (auto const& name : reference_.places()) {
      if (!has(others, name)) continue;
      PlaceAgreement agreement;
      try {
        agreement = matching_.agreement(name);
      } catch (UnreadableVariable const& problem) {
        agreement.difference = problem.what();
      }
      if (agreement.same == Sameness::unknown)
        result_.not_compared.push_back({name, "coordinate " + name + ": " + agreement.difference});
      result_.places.emplace_back(name, std::move(agreement));
    }
  }

  void append(std::vector<VariableComparison>&& compared) {
    std::move(compared.begin(), compared.end(), std::back_inserter(result_.variables));
  }

  io::InputFile const& reference_;
  io::InputFile const& test_;
  ComparisonOptions const& how_;
  Matching matching_;
  Comparison result_;
  std::size_t damaged_ = 0;                       ///< variables that failed while they were read
  std::vector<io::FieldInfo> alike_y_, alike_x_;  ///< of fields on one grid: candidates for vectors
  std::set<std::string> components_;              ///< names of variables that are components of vectors
  std::map<std::string, CommonTimes> common_of_;  ///< times of these
};

}  // namespace

Comparison compare(io::InputFile const& reference, io::InputFile const& test, ComparisonOptions const& how) {
  return Comparer(reference, test, how).run();
}

}  // namespace ulpine::verification
