// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ulpine::verification::consistency {

/// The answer of a test on new runs. It is never `consistent` for a test that could not have failed.
enum class Answer {
  consistent,  ///< the test had power and found nothing
  different,   ///< rejected
  undecided,   ///< a difference shows that is too weak to be called one: more runs would decide
  no_power,    ///< too few members or runs, or nothing that varies: says what it would take
  not_applied  ///< not asked for, or there is not what it needs; says why
};
/// "consistent", "different", "undecided", "no power", "not applied".
char const* name_of(Answer answer);

/// One comparison within a method: a variable, a principal component, a level at a time.
struct Finding {
  std::string subject;                           ///< "T", "T level 3 at 21600 s", "component 4"
  std::optional<double> value = {}, limit = {};  ///< the statistic and what it may reach
  std::optional<double> p = {};                  ///< as tested alone
  std::optional<double> adjusted_p = {};         ///< for the family
  bool rejected = false;
  std::string note = {};  ///< why there is no value; what it means in units
};

/// A line of a figure: points in order.
struct Line {
  std::string label;
  std::string kind;  ///< "ensemble", "test", "limit": how it is drawn
  std::vector<double> x = {}, y = {};
};
/// A plot of the evidence of a method; it is drawn by the Python package in analysis/.
struct Figure {
  std::string name, title, x_label, y_label;
  std::string x_scale = "linear", y_scale = "linear";  ///< or "log"
  std::vector<std::string> x_names = {};               ///< names of categories; empty: x are numbers
  std::vector<Line> lines = {};
};

/// The answer of one method and its evidence.
struct Outcome {
  std::string method;  ///< as `--method` names it
  Answer answer = Answer::not_applied;
  std::string statement;  ///< one sentence for people, with numbers
  std::optional<std::int64_t>
      members_needed;       ///< members of the ensemble, or test runs, with which it could reject
  std::string needed_of;    ///< "members" or "test runs"
  double nominal_rate = 0;  ///< false alarms that the method allows itself
  std::vector<std::pair<std::string, std::string>> parameters;  ///< as used, for the record
  std::vector<Finding> findings;                                ///< worst first
  std::vector<Figure> figures;
};

/// All methods together.
struct Verdict {
  Answer answer = Answer::not_applied;
  std::string statement;
  std::vector<Outcome> outcomes;
  std::vector<std::string> notes;
};

}  // namespace ulpine::verification::consistency
