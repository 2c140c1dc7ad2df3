// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "io/error.hpp"
#include "io/seal.hpp"
#include "verification/digits/digits.hpp"
#include "verification/digits/significant_digits.hpp"
#include "verification/results/json_number.hpp"

namespace ulpine::verification {
namespace {

using Json = nlohmann::ordered_json;

constexpr char const* digits_schema = "ulpine.digits/1";
constexpr char const* reference = "mean of the samples";

Json shares_json(BitShares const& shares) {
  return {{"p05", json_numbers(shares.p05)},
          {"p50", json_numbers(shares.p50)},
          {"p95", json_numbers(shares.p95)},
          {"min", json_numbers(shares.least)},
          {"norm", json_numbers(shares.norm)}};
}

Json bits_json(FieldDigits const& field) {
  return {{"significant", shares_json(field.significant)},
          {"contributing", shares_json(field.contributing)},
          {"general", shares_json(field.general)},
          {"parker", shares_json(field.parker)}};
}

Json field_json(FieldDigits const& field) {
  auto quad = Json(nullptr);
  if (field.wider) {
    quad = shares_json(*field.wider);
    quad["baseline_within"] = json_numbers(field.baseline_within);
    quad["samples_within"] = json_numbers(field.samples_within);
  }
  return {{"name", field.name},
          {"units", field.units},
          {"times_s", json_numbers(field.time_s)},
          {"scale", json_numbers(field.scale)},
          {"bits", bits_json(field)},
          {"quad", quad},
          {"differing_share", json_numbers(field.differing)},
          {"not_finite_share", json_numbers(field.not_finite)},
          {"not_normal_share", json_numbers(field.not_normal)},
          {"note", field.note}};
}

/// JSON of samples that round at random in one stage alone: bits of the weakest field at the last time.
Json stage_json(DigitsRecord::Stage const& stage) {
  auto const* field = weakest(stage.digits);
  Json json = {{"name", stage.name}, {"field", field ? Json(field->name) : Json(nullptr)}, {"bits", nullptr}};
  if (field == nullptr) return json;
  json["bits"] = Json::object();
  auto const bits = bits_json(*field);
  for (auto const& [kind, shares] : bits.items()) {
    for (auto const& [name, values] : shares.items()) json["bits"][kind][name] = values.back();
  }
  return json;
}

std::string bits_text(std::vector<double> const& values) {
  auto const value = values.empty() ? std::nan("") : values.back();
  return std::isnan(value) ? "-" : std::isinf(value) ? "all" : fmt::format("{:.1f}", value);
}

std::string share_text(std::vector<double> const& values) {
  auto const value = values.empty() ? std::nan("") : values.back();
  return std::isnan(value) ? "-" : fmt::format("{:.1f}%", 100 * value);
}

std::string row(std::string const& name, FieldDigits const& field) {
  auto const median = field.significant.p50.back();
  return fmt::format("{:<28} {:>6} {:>6} {:>6} {:>6} {:>6} {:>8} {:>8} {:>8}", one_line(name),
                     bits_text(field.significant.p05), bits_text(field.significant.p50),
                     bits_text(field.significant.p95), bits_text(field.significant.least),
                     bits_text(field.significant.norm),
                     std::isfinite(median) ? fmt::format("{:.1f}", median / std::log2(10.0)) : "-",
                     bits_text(field.contributing.p50), bits_text(field.general.p50));
}

char const* words_of(DigitsOptions::Scale scale) {
  return scale == DigitsOptions::Scale::mean      ? "relative to each point's mean"
         : scale == DigitsOptions::Scale::leading ? "over the leading bit of each point's mean"
                                                  : "over the field's scale";
}

}  // namespace

std::string to_json(Digits const& digits, DigitsRecord const& record) {
  auto const& options = digits.options;
  auto provenance = Json::object();
  for (auto const& [name, value] : record.provenance) provenance[name] = value;
  auto fields = Json::array(), stages = Json::array();
  for (auto const& field : digits.fields) fields.push_back(field_json(field));
  for (auto const& stage : record.stages) stages.push_back(stage_json(stage));
  Json const document = {{"schema", digits_schema},
                         {"case", record.case_name.empty() ? Json(nullptr) : Json(record.case_name)},
                         {"provenance", provenance},
                         {"arithmetic", record.arithmetic},
                         {"samples", digits.samples},
                         {"seed", record.seed ? Json(*record.seed) : Json(nullptr)},
                         {"confidence", options.confidence},
                         {"probability", options.probability},
                         {"contributing_probability", options.contributing_probability},
                         {"general_probability", bernoulli_probability(digits.samples, options.confidence)},
                         {"reference", record.reference.empty() ? std::string(reference) : record.reference},
                         {"errors", words_of(options.scale)},
                         {"fields", fields},
                         {"stages", stages},
                         {"notes", digits.notes}};
  return io::sealed_json(document.dump(1, ' ', false, Json::error_handler_t::replace));
}

std::string to_text(Digits const& digits, DigitsRecord const& record) {
  auto const& options = digits.options;
  auto text = fmt::format(
      "{} samples{}: significant bits with probability {:g} at confidence {:g}, errors {}\n\n"
      "{:<28} {:>6} {:>6} {:>6} {:>6} {:>6} {:>8} {:>8} {:>8}\n",
      digits.samples, record.arithmetic.empty() ? "" : " of " + record.arithmetic, options.probability,
      options.confidence, words_of(options.scale), "field, last time", "5%", "median", "95%", "least", "norm",
      "decimal", "contrib.", "general");
  for (auto const& field : digits.fields) text += row(field.name, field) + "\n";
  if (std::any_of(digits.fields.begin(), digits.fields.end(),
                  [](FieldDigits const& field) { return field.wider.has_value(); })) {
    text += fmt::format("\n{:<28} {:>6} {:>6} {:>8} {:>8}\n", "against the wider run", "median", "norm",
                        "within", "samples");
    for (auto const& field : digits.fields) {
      if (!field.wider) continue;
      // The wider run may be shorter.
      auto last = field.baseline_within.size();
      while (last > 0 && std::isnan(field.wider->norm[last - 1])) --last;
      auto const upto = [&](std::vector<double> values) {
        values.resize(last);
        return values;
      };
      text += fmt::format("{:<28} {:>6} {:>6} {:>8} {:>8}\n", one_line(field.name),
                          bits_text(upto(field.wider->p50)), bits_text(upto(field.wider->norm)),
                          share_text(upto(field.baseline_within)), share_text(upto(field.samples_within)));
    }
  }
  if (!record.stages.empty()) {
    text += fmt::format("\n{:<28} {:>6} {:>6} {:>6} {:>6} {:>6} {:>8} {:>8} {:>8}\n",
                        "stage alone, weakest field", "5%", "median", "95%", "least", "norm", "decimal",
                        "contrib.", "general");
    for (auto const& stage : record.stages) {
      auto const* field = weakest(stage.digits);
      text += field ? row(stage.name, *field) + "  " + one_line(field->name) + "\n"
                    : fmt::format("{:<28} no rounding shows\n", stage.name);
    }
  }
  for (auto const& field : digits.fields) {
    if (!field.note.empty()) text += one_line(field.name + ": " + field.note) + "\n";
  }
  for (auto const& note : digits.notes) text += one_line(note) + "\n";
  return text;
}

}  // namespace ulpine::verification
