// SPDX-License-Identifier: Apache-2.0
#include "verification/evaluators/case_keys.hpp"

#include <cmath>
#include <iterator>
#include <limits>
#include <string>
#include <utility>

#include "verification/evaluators/evaluator.hpp"
#include "verification/gates/rules.hpp"

namespace ulpine::verification {
namespace {

constexpr double most = std::numeric_limits<double>::infinity(),
                 least_positive = std::numeric_limits<double>::min();
constexpr auto any_number = std::numeric_limits<std::size_t>::max();

std::vector<io::CaseKey> keys_of_verify() {
  return {
      io::text_key(
          "verify.tolerated", "",
          "amplitude of a perturbation of the start that is tolerated: errors, statistics and curves "
          "are held against what it makes of them; a positive number or power, \"2^-10\"")
          .follows("the core's"),
      io::text_key("verify.reason", "", "why that amplitude is tolerated, for reports").follows("the core's"),
      io::text_key("verify.statistics.margin", "0.5 sd",
                   "how far the mean of a statistic may be off: in standard deviations of the reference's "
                   "members (\"0.5 sd\"), in per cent of their mean (\"2 %\"), or a number in its units"),
      io::text_key("verify.statistics.reason", "", "why, for reports"),
      io::number_key("verify.statistics.spread_ratio", usual_spread_ratio, std::nextafter(1.0, 2.0), 1e6,
                     "ratio by which the standard deviations of a statistic over two ensembles may differ, "
                     "either way"),
      io::text_key("verify.statistics.*.margin", "", "the margin of one statistic, by its name")
          .follows("verify.statistics.margin"),
      io::text_key("verify.statistics.*.reason", "", "why that one, for reports"),
      io::text_key("verify.curves.margin", "1 sd",
                   "how far a curve may be off at each of its points, written as that of statistics"),
      io::text_key("verify.curves.reason", "", "why, for reports"),
      io::text_key("verify.curves.*.margin", "", "the margin of one curve, by its name")
          .follows("verify.curves.margin"),
      io::text_key("verify.curves.*.reason", "", "why that one, for reports"),
      io::number_key("verify.levels.from", 0, -most, most,
                     "lowest height or depth, in units of the vertical coordinate, whose level is judged by "
                     "itself; levels beyond count in the error of the whole field alone")
          .follows("the lowest"),
      io::number_key("verify.levels.to", 0, -most, most, "highest such height or depth")
          .follows("the highest"),
      io::text_key("verify.levels.reason", "", "why levels beyond are not judged by themselves, for reports"),
      io::number_key("verify.*.*", 0, -most, most,
                     "a gate, verify.SUBJECT.METRIC: limit of a metric of a field, statistic, integral or "
                     "curve of every unperturbed run against the reference at the last time; or a table of "
                     "the keys below")
          .follows("no gate"),
      io::number_key("verify.*.*.limit", 0, -most, most, "the limit of a gate that is a table")
          .follows("required, or spread"),
      io::number_key("verify.*.*.spread", 0, 0, most,
                     "in place of the limit, a multiple of the spread of the reference's own members")
          .follows("required, or limit"),
      io::text_key("verify.*.*.epsilon", "",
                   "amplitude of the perturbation whose members give the spread: \"2^-10\"")
          .follows("the study's only one")
          .needing("spread beside it"),
      io::text_key("verify.*.*.time", "last",
                   "lead time at which the gate holds: \"last\", \"all\" (the worst of all) or e.g. \"6 h\""),
      io::texts_key("verify.*.*.runs", "[]", 1, any_number,
                    "runs that the gate holds for, by identifier, policy, assembly or device")
          .follows("all"),
      io::choice_key("verify.*.*.subject",
                     {{"field", "a field of the output"},
                      {"statistic", "a statistic of an evaluation"},
                      {"integral", "a conserved integral of the model"},
                      {"curve", "a curve of an evaluation"}},
                     "what SUBJECT is, where two things have its name")
          .follows("what has the name"),
  };
}

std::vector<io::CaseKey> keys_of_evaluations() {
  std::vector<io::KeyChoice> kinds;
  for (auto const& kind : evaluator_kinds()) kinds.push_back({kind.name, kind.description});
  constexpr char const *scalars = "kind = mean, integral, extremum, quantile, extent or power",
                       *averages =
                           "kind = mean, integral, extremum, quantile, extent, power, profile or "
                           "distance",
                       *transformed =
                           "kind = mean, integral, extremum, quantile, extent, power, profile, "
                           "spectrum or slope",
                       *spectra = "kind = spectrum or slope", *slope = "kind = slope",
                       *distance = "kind = distance", *features = "kind = lkf";
  std::vector<io::KeyChoice> const rules = {
      {"repaired", "close lines stop each other, aligned segments join, plateaus yield nothing"},
      {"lkf_tools", "as lkf_tools 2.0 answers, to compare with published counts"}};
  return {
      io::flag_key("evaluate.*.use", true,
                   "whether the evaluation of that name is made; false leaves out one "
                   "that the core declares"),
      io::choice_key("evaluate.*.kind", std::move(kinds),
                     "what is made of the field; the statistics and curves have the evaluation's name")
          .follows("the core's, or required"),
      io::text_key("evaluate.*.field", "", "field of the output that is evaluated, or speed(u,v) of two")
          .follows("the core's, or required"),
      io::text_key("evaluate.*.long_name", "", "name in tables and figures")
          .follows("made of kind and field"),
      io::duration_key("evaluate.*.mean_over", "0 s", 1e-6, most,
                       "time before the last output over whose outputs the mean is taken")
          .follows("none: the last output alone"),
      io::choice_key("evaluate.*.mean_of",
                     {{"fields", "the fields are averaged and their mean is evaluated"},
                      {"values", "what is made of each output is averaged"}},
                     "what that mean is taken of")
          .needing("mean_over beside it"),
      io::choice_key("evaluate.*.transform",
                     {{"none", "the values themselves"}, {"log10", "their decimal logarithm; needs floor"}},
                     "what the values are before they are evaluated")
          .needing(transformed),
      io::number_key("evaluate.*.floor", 0, least_positive, most,
                     "least value that the logarithm is taken of; smaller ones count as that")
          .follows("required")
          .needing("transform = \"log10\" beside it"),
      io::choice_key("evaluate.*.weights",
                     {{"measure", "areas or volumes of the cells, where the output has them"},
                      {"none", "every value counts the same"}},
                     "weights of the values")
          .needing(averages),
      io::number_key("evaluate.*.level", 0, 0, 1e9, "the one level that is looked at, a whole number from 0")
          .follows("all")
          .needing(scalars),
      io::choice_key("evaluate.*.which",
                     {{"maximum", "the largest value"},
                      {"minimum", "the smallest value"},
                      {"magnitude", "the largest absolute value"}},
                     "which extreme value of the field is taken")
          .needing("kind = extremum"),
      io::number_key("evaluate.*.probability", 0.5, 0, 1,
                     "share of the weight that the quantile is not exceeded by")
          .needing("kind = quantile"),
      io::number_key("evaluate.*.threshold", 0, -most, most, "value, in the field's units, that is passed")
          .follows("required")
          .needing("kind = extent"),
      io::choice_key("evaluate.*.side",
                     {{"above", "cells above the threshold count"}, {"below", "cells below it count"}},
                     "on which side of the threshold cells count")
          .needing("kind = extent"),
      io::number_key("evaluate.*.exponent", 1, 1, 8,
                     "whole power of the value whose mean is taken; of a profile 1 is the mean, 2 the "
                     "variance about it, 3 and more the central moment")
          .follows("2 of a power, 1 of a profile")
          .needing("kind = power or profile"),
      io::number_key("evaluate.*.factor", 1, -most, most, "number that the mean power is multiplied by")
          .needing("kind = power"),
      io::choice_key(
          "evaluate.*.about",
          {{"zero", "the value itself"}, {"mean", "its difference from the mean: a central moment"}},
          "what is raised to the power")
          .needing("kind = power"),
      io::text_key("evaluate.*.axis", "", "dimension of the field along which the profile runs")
          .follows("required")
          .needing("kind = profile"),
      io::choice_key("evaluate.*.variant",
                     {{"pysteps", "rings and normalisation of pysteps; nothing is taken off"},
                      {"windowed", "after a Hann window"},
                      {"detrended", "after a plane fitted to the field is taken off"},
                      {"physical", "rings of physical wavenumber, for domains that are not square"}},
                     "how the spectrum is made")
          .needing(spectra),
      io::quantity_key("evaluate.*.shortest", "m", 0, least_positive, most,
                       "shortest wavelength of the band whose slope is taken")
          .follows("required")
          .needing(slope),
      io::quantity_key("evaluate.*.longest", "m", 0, least_positive, most,
                       "longest wavelength of the band whose slope is taken")
          .follows("required")
          .needing(slope),
      io::text_key("evaluate.*.from", "",
                   "static field of the output that the distance is from: a known "
                   "solution")
          .follows("required")
          .needing(distance),
      io::number_key("evaluate.*.lowest", 0, -most, most,
                     "lowest coordinate of the levels that the distance takes in")
          .follows("the lowest level's")
          .needing(distance),
      io::number_key("evaluate.*.highest", 0, -most, most,
                     "highest coordinate of the levels that the distance takes in")
          .follows("the highest level's")
          .needing(distance),
      io::choice_key("evaluate.*.rules", rules, "how linear kinematic features are traced")
          .follows("lkf.rules")
          .needing(features),
      io::text_key("evaluate.*.parameters", "",
                   "how linear kinematic features are detected: a named set, key=value pairs, or both, as "
                   "`ulpine lkf --parameters` takes them")
          .follows("lkf.parameters")
          .needing(features),
      io::choice_key("lkf.rules", rules,
                     "how all evaluations of kind lkf trace linear kinematic features, unless they say it "
                     "themselves"),
      io::text_key("lkf.parameters", "cells",
                   "how all evaluations of kind lkf detect linear kinematic features, unless they say it "
                   "themselves"),
  };
}

std::vector<io::CaseKey> keys_of_figures() {
  return {
      io::flag_key("figure.*.use", true,
                   "whether the report draws the figure of that name; false leaves out "
                   "one that the core proposes"),
      io::choice_key("figure.*.kind",
                     {{"map", "a field over both horizontal axes"},
                      {"section", "a field over the vertical and one horizontal axis"},
                      {"series", "a statistic against time"},
                      {"curve", "a curve of an evaluation"}},
                     "what the drawing shows")
          .follows("required"),
      io::choice_key("figure.*.scale",
                     {{"linear", "even steps"},
                      {"log", "even steps of the logarithm"},
                      {"diverging", "even steps to both sides of 0, in two colours"}},
                     "scale of colours, or of the axis of values"),
      io::text_key("figure.*.field", "", "field that is drawn").needing("kind = map or section"),
      io::text_key("figure.*.statistic", "", "statistic that is drawn").needing("kind = series"),
      io::text_key("figure.*.curve", "", "curve that is drawn").needing("kind = curve"),
      io::text_key("figure.*.axis", "", "dimension across which a section is cut")
          .follows("the report's choice")
          .needing("kind = section"),
      io::integer_key("figure.*.index", 0, 0, std::numeric_limits<int>::max(),
                      "where along that dimension a section is cut, from 0")
          .follows("the middle")
          .needing("kind = section"),
      io::integer_key("figure.*.level", 0, 0, std::numeric_limits<int>::max(), "level of a map, from 0")
          .follows("the middle")
          .needing("kind = map"),
  };
}

}  // namespace

std::vector<io::CaseKey> const& case_keys() {
  static auto const keys = [] {
    std::vector<io::CaseKey> all;
    for (auto part : {keys_of_verify(), keys_of_evaluations(), keys_of_figures()}) {
      all.insert(all.end(), std::make_move_iterator(part.begin()), std::make_move_iterator(part.end()));
    }
    return all;
  }();
  return keys;
}

}  // namespace ulpine::verification
