// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

#include "verification/evaluators/kinds.hpp"

namespace ulpine::verification {
namespace {

struct Registry {
  std::mutex mutex;
  std::map<std::string, EvaluatorKind> kinds;

  Registry() {
    for (auto const& list :
         {kinds_of_scalars(), kinds_of_curves(), kinds_of_distances(), kinds_of_features()}) {
      for (auto const& kind : list) kinds.emplace(kind.name, kind);
    }
  }
};

Registry& registry() {
  static Registry instance;
  return instance;
}

}  // namespace

void register_evaluator(EvaluatorKind kind) {
  auto& known = registry();
  std::lock_guard const lock(known.mutex);
  auto const name = kind.name;
  known.kinds.insert_or_assign(name, std::move(kind));
}

std::vector<EvaluatorKind> evaluator_kinds() {
  auto& known = registry();
  std::lock_guard const lock(known.mutex);
  std::vector<EvaluatorKind> result;
  for (auto const& [name, kind] : known.kinds) result.push_back(kind);
  return result;
}

}  // namespace ulpine::verification
