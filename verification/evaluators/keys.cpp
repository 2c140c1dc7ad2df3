// SPDX-License-Identifier: Apache-2.0
#include "verification/evaluators/keys.hpp"

#include <algorithm>

namespace ulpine::verification {
namespace {

void set_value(std::vector<std::pair<std::string, EvaluationKeys::Value>>& list, std::string const& key,
               EvaluationKeys::Value value) {
  auto const found = std::ranges::find(list, key, [](auto const& entry) { return entry.first; });
  if (found == list.end()) {
    list.emplace_back(key, std::move(value));
  } else {
    found->second = std::move(value);
  }
}

}  // namespace

EvaluationKeys::EvaluationKeys(std::string name, io::CaseFile const& case_file, io::CaseFile const* declared)
    : name_{std::move(name)}, case_{case_file}, declared_{declared} {}

void EvaluationKeys::accept_for_kind(std::string const& kind, std::vector<std::string> case_keys) {
  kind_ = kind;
  case_keys_ = std::move(case_keys);
}

template <class T, class Read>
T EvaluationKeys::value(std::string const& key, T fallback, Read read_from) const {
  known_.push_back(key);
  auto result = std::move(fallback);
  if (declared_ != nullptr && declared_->has(at(key))) {
    result = read_from(*declared_, at(key), result);
  }
  if (std::ranges::find(case_keys_, key) != case_keys_.end()) {
    result = read_from(case_, kind_ + "." + key, result);
  }
  if (case_.has(at(key))) {
    result = read_from(case_, at(key), result);
  }
  if (key != "kind" && key != "field" && key != "use") {
    set_value(read_, key, result);
  }
  return result;
}

std::string EvaluationKeys::text(std::string const& key, std::string const& fallback) const {
  return value(key, fallback,
               [](io::CaseFile const& file, std::string const& path, std::string const& otherwise) {
                 return file.text(path, otherwise);
               });
}

std::string EvaluationKeys::required_text(std::string const& key) const {
  auto result = text(key, "");
  if (result.empty()) {
    throw case_.error(at(key), "is missing (an evaluation needs it) give it");
  }
  return result;
}

std::string EvaluationKeys::choice(std::string const& key, std::string const& fallback,
                                   std::vector<std::string> const& choices) const {
  return value(key, fallback,
               [&](io::CaseFile const& file, std::string const& path, std::string const& otherwise) {
                 return file.choice(path, otherwise, choices);
               });
}

double EvaluationKeys::number(std::string const& key, double fallback, double least, double most) const {
  return value(key, fallback, [&](io::CaseFile const& file, std::string const& path, double otherwise) {
    return file.number(path, otherwise, least, most);
  });
}

double EvaluationKeys::duration(std::string const& key, double least) const {
  return value(key, 0.0, [&](io::CaseFile const& file, std::string const& path, double) {
    return file.duration(path, "0 s", least);
  });
}

bool EvaluationKeys::has(std::string const& key) const {
  return case_.has(at(key)) || (declared_ != nullptr && declared_->has(at(key)));
}

InputError EvaluationKeys::error(std::string const& key, std::string const& problem) const {
  auto const path = key.empty() ? "evaluate." + name_ : at(key);
  auto const of_kind = kind_ + "." + key;
  if (!case_.has(path) && !key.empty() && std::ranges::find(case_keys_, key) != case_keys_.end() &&
      case_.has(of_kind)) {
    return case_.error(of_kind, problem);
  }
  auto const& file = declared_ != nullptr && !case_.has(path) && declared_->has(path) ? *declared_ : case_;
  return file.error(path, problem);
}

void EvaluationKeys::reject_unknown() const {
  for (auto const* file : {&case_, declared_}) {
    if (file == nullptr) continue;
    for (auto const& key : file->keys_under("evaluate." + name_)) {
      if (key != "use" && std::ranges::find(known_, key) == known_.end()) {
        throw file->error(at(key), "unknown key of an evaluation of this kind" + choices_hint(key, known_));
      }
    }
  }
}

}  // namespace ulpine::verification
