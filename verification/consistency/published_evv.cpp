// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <regex>
#include <set>

#include "io/absence.hpp"
#include "io/error.hpp"
#include "io/netcdf.hpp"
#include "verification/consistency/numpy_sums.hpp"
#include "verification/consistency/published.hpp"
#include "verification/statistics/distributions.hpp"
#include "verification/statistics/statistics.hpp"

namespace ulpine::verification::consistency {
namespace {

namespace fs = std::filesystem;
constexpr std::size_t months = 12;

/// Monthly files of the instances of one case, in order of months: "CASE.eam_0001.h0.0001-01.nc".
using Instances = std::map<int, std::vector<fs::path>>;
/// The same of each component, by its name.
std::map<std::string, Instances> instances_in(fs::path const& folder) {
  static std::regex const pattern(
      "(?:.*\\.)?([A-Za-z][A-Za-z0-9]*)_([0-9]{4})\\.h0\\.([0-9]{4}-[0-9]{2})\\.nc");
  std::map<std::string, std::map<int, std::map<std::string, fs::path>>> found;
  for (auto const& entry : fs::directory_iterator(folder)) {
    std::smatch part;
    auto const name = entry.path().filename().string();
    if (std::regex_match(name, part, pattern)) found[part[1]][std::stoi(part[2])][part[3]] = entry.path();
  }
  std::map<std::string, Instances> components;
  for (auto const& [component, instances] : found) {
    for (auto const& [instance, dates] : instances) {
      auto& files = components[component][instance];
      for (auto const& [date, path] : dates) files.push_back(path);
      if (files.size() > months) files.erase(files.begin(), files.end() - std::ptrdiff_t(months));
    }
  }
  return components;
}

/// Means of runs by variable.
using MeansByName = std::map<std::string, std::vector<double>>;

/// The unweighted mean of the first time of a field, in the field's own precision as NumPy has it.
double plain_mean(io::InputFile const& file, std::string const& name) {
  auto const field = file.read(name, 0);
  std::size_t missing = 0;
  for (auto const value : field.values) {
    auto const why = io::absence_of(value);
    missing += why != io::Absence::none && why != io::Absence::nan ? 1 : 0;
  }
  auto const in = [&]<class T>(T) {
    std::vector<T> values;
    for (auto const value : field.values) {
      auto const why = io::absence_of(value);
      values.push_back(why == io::Absence::none || why == io::Absence::nan ? T(value) : T(0));
    }
    auto const mean = double(numpy::sum(std::span<T const>(values))) / double(field.values.size() - missing);
    return missing == 0 ? double(T(mean)) : mean;
  };
  return file.stored_type(name).name == "float" ? in(float()) : in(double());
}

/// Annual means: of 12 monthly means of each instance.
MeansByName annual_means(Instances const& instances, std::vector<std::string> const& wanted,
                         ReadingProgress const& progress) {
  MeansByName means;
  std::size_t done = 0;
  for (auto const& [instance, files] : instances) {
    if (files.size() != months) {
      throw InputError(
          fmt::format("{}: instance {} has {} monthly files (EVV takes 12, the last ones) complete "
                      "it",
                      files.front().string(), instance, files.size()));
    }
    std::map<std::string, std::vector<double>> monthly;
    for (auto const& path : files) {
      progress(double(done) / double(instances.size() * months), path.filename().string());
      ++done;
      io::InputFile const file(path);
      for (auto const& name : file.variables()) {
        if (!wanted.empty() && std::ranges::count(wanted, name) == 0) continue;
        if (!file.time_axis(name).exists) continue;
        if (std::ranges::count(file.info(name).dimensions, "ncol") == 0) continue;
        monthly[name].push_back(plain_mean(file, name));
      }
    }
    for (auto const& [name, values] : monthly) {
      if (values.size() != months) {
        throw InputError(
            fmt::format("{}: {} is in {} of the 12 monthly files (EVV averages all of them) leave it "
                        "out with --variables",
                        files.front().string(), name, values.size()));
      }
      means[name].push_back(numpy::mean(values));
    }
  }
  return means;
}

/// Runs of any model: means over all common times.
MeansByName means_over_times(EnsembleSummary const& runs) {
  MeansByName means;
  for (std::size_t v = 0; v < runs.variables.size(); ++v) {
    for (auto const& run : runs.members) {
      std::vector<double> of_times;
      for (auto const& time : run.variables[v]) of_times.push_back(time.mean);
      means[runs.variables[v].name].push_back(numpy::mean(of_times));
    }
  }
  return means;
}

struct TwoCases {
  MeansByName ensemble, tests;
};

TwoCases read_cases(PublishedRequest const& request, Parameters& parameters, ReadingProgress const& progress,
                    std::vector<std::string>& notes) {
  auto const folders = fs::is_directory(request.ensemble) && request.tests.size() == 1 &&
                       fs::is_directory(request.tests.front());
  auto accepted = folders ? instances_in(request.ensemble) : std::map<std::string, Instances>{};
  auto tested = folders ? instances_in(request.tests.front()) : std::map<std::string, Instances>{};
  std::erase_if(accepted, [&](auto const& entry) { return !tested.contains(entry.first); });
  if (accepted.empty()) {
    auto const runs = read_for_rule(request, true, progress, notes);
    if (runs.ensemble.times.size() > 1)
      notes.push_back(
          fmt::format("means are over {} times, unless another weighting is named those of EVV: "
                      "without weights",
                      runs.ensemble.times.size()));
    return {means_over_times(runs.ensemble), means_over_times(runs.tests)};
  }
  refuse_options(request, "folders of instances are averaged as EVV does");
  std::vector<std::string> components;
  for (auto const& [component, instances] : accepted) components.push_back(component);
  std::ranges::stable_sort(components, std::greater<>(), [](std::string const& name) {
    return name == "eam" ? 2 : name == "cam" ? 1 : 0;
  });
  auto const component = parameters.choice("component", components);
  auto const most = std::size_t(parameters.integer("ninst", 100000, 2, 100000));
  TwoCases cases;
  auto const read = [&](Instances instances) {
    while (instances.size() > most) instances.erase(std::prev(instances.end()));
    notes.push_back(fmt::format("{} instances of {} are taken, 12 months each", instances.size(), component));
    return annual_means(instances, request.variables, progress);
  };
  cases.ensemble = read(accepted[component]);
  cases.tests = read(tested[component]);
  return cases;
}

/// p-values adjusted for their number under any dependence (Benjamini and Yekutieli 2001).
std::vector<double> adjusted(std::vector<double> const& p) {
  std::vector<std::size_t> order(p.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::sort(order, {}, [&](std::size_t i) { return p[i]; });
  double harmonic = 0;
  for (std::size_t i = 1; i <= p.size(); ++i) harmonic += 1 / double(i);
  std::vector<double> result(p.size(), 1);
  double least = 1;
  for (auto rank = p.size(); rank-- > 0;) {
    least = std::min(least, p[order[rank]] * double(p.size()) * harmonic / double(rank + 1));
    result[order[rank]] = least;
  }
  return result;
}

}  // namespace

std::optional<Outcome> as_evv(PublishedRequest const& request, Parameters& parameters,
                              ReadingProgress const& progress, std::vector<std::string>& notes) {
  if (!request.write.empty())
    throw InputError(
        "--write-summary: EVV keeps none (it reads all runs each time) leave out --as for Ulpine's");
  auto const alpha = parameters.number("alpha", 0.05, 1e-12, 0.5);
  auto const uncorrected = parameters.integer("uncorrected", 0, 0, 1) == 1;
  auto const critical = std::size_t(uncorrected ? parameters.integer("critical", 13, 1, 1000000) : 1);
  auto const cases = read_cases(request, parameters, progress, notes);
  parameters.reject_unknown();
  progress(1, "");
  Outcome outcome;
  outcome.method = "evv";
  std::vector<double> p;
  std::vector<std::string> constant;
  std::set<std::size_t> not_counted;
  for (auto const& [name, accepted] : cases.ensemble) {
    auto const found = cases.tests.find(name);
    if (found == cases.tests.end()) continue;
    for (auto const* means : {&found->second, &accepted}) {
      if (!std::ranges::all_of(*means, [](double mean) { return std::isfinite(mean); })) {
        throw InputError(name +
                         ": has a mean that is not finite (EVV has no answer to it) leave it out with "
                         "--variables, or judge without --as");
      }
    }
    auto const test = kolmogorov_smirnov(found->second, accepted);
    if (moments(found->second).sd == 0 && moments(accepted).sd == 0) {
      not_counted.insert(p.size());
      constant.push_back(name);
    }
    p.push_back(test.p.value_or(1));
    Finding finding;
    finding.subject = name;
    finding.value = test.statistic;
    finding.p = test.p;
    outcome.findings.push_back(std::move(finding));
  }
  if (p.empty())
    throw InputError("--test: shares no variable with the ensemble (nothing is compared) name like runs");
  if (!constant.empty()) {
    notes.push_back(fmt::format("constant in both, which EVV does not count whatever their values: {}",
                                fmt::join(constant, ", ")));
  }
  auto const corrected = adjusted(p);
  auto const rejections = benjamini_yekutieli(p, alpha);
  std::size_t rejected = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    auto& finding = outcome.findings[i];
    finding.adjusted_p = corrected[i];
    finding.rejected = !not_counted.contains(i) && (uncorrected ? p[i] < alpha : bool(rejections[i]));
    rejected += finding.rejected ? 1 : 0;
  }
  std::ranges::stable_sort(outcome.findings, {}, [](Finding const& finding) { return *finding.adjusted_p; });
  outcome.nominal_rate =
      uncorrected ? distributions::binomial_above(double(critical) - 1, double(p.size()), alpha) : alpha;
  if (uncorrected && critical > p.size()) outcome.nominal_rate = 0;
  auto const fails = rejected >= critical;
  outcome.answer = fails ? Answer::different : Answer::consistent;
  outcome.statement = fmt::format(
      "EVV's rule {}: {} of {} variables are rejected by Kolmogorov and Smirnov's test at {} ({}; {} or more "
      "fail); false alarms in theory {}{:.2g} % ({})",
      fails ? "fails" : "passes", rejected, p.size(), alpha,
      uncorrected ? "uncorrected" : "false discovery rate under any dependence", critical,
      uncorrected ? "" : "at most ", 100 * outcome.nominal_rate,
      uncorrected ? "independent variables" : "whatever their dependence");
  outcome.parameters = parameters.used();
  return outcome;
}

}  // namespace ulpine::verification::consistency
