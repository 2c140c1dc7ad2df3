// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <nlohmann/json.hpp>

#include "io/own_files.hpp"
#include "io/seal.hpp"
#include "verification/results/json_number.hpp"
#include "verification/results/study_comparison.hpp"

namespace ulpine::verification {
namespace {

using Json = nlohmann::ordered_json;

Json encode(StudyComparison::Side const& side) {
  return {{"case",
           {{"core", side.study_case.core},
            {"name", side.study_case.name},
            {"hash", side.study_case.hash},
            {"start_s", json_number(side.study_case.start_s)},
            {"end_s", json_number(side.study_case.end_s)},
            {"interval_s", json_number(side.study_case.interval_s)}}},
          {"reference", side.reference},
          {"created", side.created},
          {"version", side.version},
          {"commit", side.commit},
          {"answer", name_of(side.answer)}};
}

Json encode(ChangedHash const& hash) {
  return {{"run", hash.run}, {"last", hash.last}, {"this", hash.now}, {"same", hash.same()}};
}

Json encode(ChangedAnswer const& answer) {
  return {{"configuration", answer.configuration},
          {"last", name_of(answer.last)},
          {"this", name_of(answer.now)},
          {"control", answer.control},
          {"worse", answer.worse()}};
}

Json encode(ChangedGate const& gate) {
  return {{"name", gate.name},
          {"run", gate.run},
          {"limit", json_number(gate.limit)},
          {"last", json_number(gate.last)},
          {"this", json_number(gate.now)},
          {"was", gate.was},
          {"is", gate.is},
          {"worse", gate.worse()}};
}

Json encode(ChangedMetric const& metric) {
  return {{"configuration", metric.configuration},
          {"field", metric.field},
          {"metric", metric.metric},
          {"last", json_number(metric.last)},
          {"this", json_number(metric.now)},
          {"ratio", json_number(metric.ratio)},
          {"spread", metric.spread ? Json{{"mean", json_number(metric.spread->l2_relative_mean)},
                                          {"sd", json_number(metric.spread->l2_relative_sd)}}
                                   : Json()}};
}

Json encode(ChangedStatistic const& statistic) {
  return {{"configuration", statistic.configuration},
          {"statistic", statistic.statistic},
          {"last", json_number(statistic.last)},
          {"this", json_number(statistic.now)},
          {"difference", json_number(statistic.difference)},
          {"sd", json_number(statistic.sd)}};
}

Json encode(ChangedTime const& time) {
  return {{"run", time.run},
          {"last_s", json_number(time.last_s)},
          {"this_s", json_number(time.now_s)},
          {"ratio", json_number(time.ratio)}};
}

Json encode(ChangedText const& text) { return {{"key", text.key}, {"last", text.last}, {"this", text.now}}; }

template <class T>
Json list(std::vector<T> const& items) {
  Json result = Json::array();
  for (auto const& item : items) {
    result.push_back(encode(item));
  }
  return result;
}

}  // namespace

std::string to_json(StudyComparison const& comparison) {
  Json document;
  document["schema"] = comparison_schema;
  document["last"] = encode(comparison.last);
  document["this"] = encode(comparison.now);
  document["yardstick"] = comparison.yardstick.empty() ? Json() : Json(comparison.yardstick);
  document["worse"] = comparison.worse;
  document["passed"] = comparison.passed();
  document["incomparable"] = comparison.incomparable;
  document["notes"] = comparison.notes;
  document["hashes"] = list(comparison.hashes);
  document["answers"] = list(comparison.answers);
  document["gates"] = list(comparison.gates);
  document["metrics"] = list(comparison.metrics);
  document["statistics"] = list(comparison.statistics);
  document["wall_s"] = list(comparison.times);
  document["provenance"] = list(comparison.provenance);
  document["only"] = {{"last", comparison.only_last}, {"this", comparison.only_now}};
  return document.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

void write_comparison(std::filesystem::path const& path, StudyComparison const& comparison) {
  io::write_atomically(path, io::sealed_json(to_json(comparison)));
}

}  // namespace ulpine::verification
