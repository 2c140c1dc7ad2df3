// SPDX-License-Identifier: Apache-2.0
// How often verdicts are wrong: false alarms, misses and undecided answers of the product's own judge on
// studies of which the truth is known. Prints docs/results/calibration.md's tables.
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "calibration/calibrate.hpp"
#include "calibration/models.hpp"
#include "calibration/report.hpp"
#include "calibration/tables.hpp"
#include "core/seaice/register.hpp"
#include "io/error.hpp"
#include "io/provenance.hpp"
#include "lorenz96/lorenz.hpp"

namespace {

using namespace ulpine;
using namespace ulpine::calibration;

constexpr char const* usage =
    "bench_calibration [--models lorenz96,box,cyclone_quick] [--studies 300] [--faulty 60] [--members 24]\n"
    "                  [--seed 1] [--jobs 1] [--folder calibration] [--json FILE] [--tables]\n";

struct Arguments {
  std::vector<std::string> models = model_names();
  CalibrationOptions options;
  std::filesystem::path folder = "calibration", json;
  bool tables = false;
};

int integer_of(std::string const& option, std::string const& text) {
  int value = 0;
  auto const* end = text.data() + text.size();
  if (auto const [stop, error] = std::from_chars(text.data(), end, value);
      error != std::errc{} || stop != end || value < 1) {
    throw InputError(option + " " + text + " is no number of things (1, 2, ...) give one");
  }
  return value;
}

Arguments read(std::vector<std::string> const& words) {
  Arguments arguments;
  for (std::size_t i = 0; i < words.size(); ++i) {
    auto const& option = words[i];
    if (option == "--tables") {
      arguments.tables = true;
      continue;
    }
    if (i + 1 == words.size()) throw InputError(option + " is no option, or lacks its value\n" + usage);
    auto const& value = words[++i];
    if (option == "--models") {
      arguments.models.clear();
      std::istringstream list(value);
      for (std::string name; std::getline(list, name, ',');) arguments.models.push_back(name);
    } else if (option == "--studies") {
      arguments.options.studies = integer_of(option, value);
    } else if (option == "--faulty") {
      arguments.options.faulty = integer_of(option, value);
    } else if (option == "--members") {
      arguments.options.members = integer_of(option, value);
    } else if (option == "--seed") {
      arguments.options.seed = static_cast<std::uint64_t>(integer_of(option, value));
    } else if (option == "--jobs") {
      arguments.options.jobs = integer_of(option, value);
    } else if (option == "--folder") {
      arguments.folder = value;
    } else if (option == "--json") {
      arguments.json = value;
    } else {
      throw InputError(option + " is no option\n" + usage);
    }
  }
  return arguments;
}

/// A line for each new thing that is done and for every tenth of it.
Progress lines() {
  return [told = std::set<std::string>()](double fraction, std::string const& what) mutable {
    auto line = fmt::format("{:3.0f} % {}", 10 * std::floor(10 * fraction), what);
    if (told.insert(line).second) fmt::print(stderr, "{}\n", line);
  };
}

/// Version and commit, for rates that reports quote; InputError where no commit is what was built.
std::string version_of_build() {
  auto const build = io::build_provenance();
  if (build.commit.empty() || build.commit.ends_with("-dirty") || build.commit == "unknown") {
    throw InputError(
        "--json: this program was built from \"" + build.commit +
        "\" (rates that reports quote are of a commit, so that they can be found again) commit the "
        "changes and build again");
  }
  return build.version + " " + build.commit;
}

void run(Arguments const& arguments) {
  if (arguments.tables) {
    fmt::print("{}", to_markdown(published_rates(1, arguments.options.jobs)));
    return;
  }
  auto const version = arguments.json.empty() ? "" : version_of_build();
  lorenz96::register_lorenz();
  seaice::register_core();
  std::vector<Calibration> calibrations;
  for (auto const& model : arguments.models) {
    auto const pools =
        pools_of(model, arguments.folder, arguments.options.seed, arguments.options.jobs, lines());
    calibrations.push_back(calibrate(pools, arguments.options, lines()));
    fmt::print("{}\n", to_markdown(calibrations.back()));
    std::fflush(stdout);
  }
  if (!arguments.json.empty()) {
    auto const now = std::chrono::time_point_cast<std::chrono::seconds>(std::chrono::system_clock::now());
    std::ofstream(arguments.json) << to_json(calibrations, version, fmt::format("{:%Y-%m-%d}", now));
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    run(read({argv + 1, argv + argc}));
    return 0;
  } catch (InputError const& error) {
    fmt::print(stderr, "bench_calibration: {}\n", error.what());
    return 2;
  } catch (std::exception const& error) {
    fmt::print(stderr, "bench_calibration: {}\n", error.what());
    return 3;
  }
}
