// SPDX-License-Identifier: Apache-2.0
#include "fuzz/kinds.hpp"

#include <netcdf.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "fuzz/bases.hpp"
#include "fuzz/child.hpp"
#include "fuzz/judging.hpp"
#include "fuzz/mutation.hpp"
#include "io/error.hpp"
#include "io/seal.hpp"
#include "support/temporary_folder.hpp"
#include "verification/results/results.hpp"

namespace ulpine::fuzz {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using test::read_file;
using test::write_file;

bool told_as_failed(Json const& results, fs::path const& run) {
  auto const runs = results.find("runs");
  return runs != results.end() && std::ranges::any_of(*runs, [&](Json const& item) {
           return item.value("path", "") == run.generic_string() && !item.at("failed").is_null();
         });
}

/// What the sealed parts of a restart may be set to by one who seals it anew.
void edit_restart(fs::path const& path, Draws& draws) {
  constexpr std::size_t seal = 16;
  auto const bytes = read_file(path);
  write_file(path, bytes.substr(0, bytes.size() - seal));
  int file = -1;
  nc(nc_open(path.c_str(), NC_WRITE, &file));
  static constexpr long long integers[] = {-5,
                                           -1,
                                           0,
                                           1,
                                           3,
                                           1000000,
                                           4294967297,
                                           std::numeric_limits<long long>::max(),
                                           std::numeric_limits<long long>::min()};
  static constexpr double numbers[] = {0.,
                                       -1.,
                                       1e-300,
                                       1e30,
                                       1e300,
                                       -1e300,
                                       std::numeric_limits<double>::infinity(),
                                       std::numeric_limits<double>::quiet_NaN(),
                                       0.5,
                                       240.};
  static constexpr char const* texts[] = {"",     "fp64",   "fp32", "quad",
                                          "bf16", "seaice", "none", "ffffffffffffffff"};
  auto const integer = [&] { return integers[draws.below(std::size(integers))]; };
  auto const number = [&] { return numbers[draws.below(std::size(numbers))]; };
  int variables = 0;
  nc(nc_inq_nvars(file, &variables));
  for (auto edits = 1 + draws.below(3); edits > 0; --edits) {
    auto const variable = static_cast<int>(draws.below(static_cast<std::size_t>(variables)));
    switch (draws.below(6)) {
      case 0: {
        auto const value = integer();
        nc(nc_put_att_longlong(file, NC_GLOBAL, "restart_step", NC_INT64, 1, &value));
        break;
      }
      case 1: {
        auto const value = number();
        nc(nc_put_att_double(file, NC_GLOBAL, "restart_time", NC_DOUBLE, 1, &value));
        break;
      }
      case 2: {
        static constexpr char const* names[] = {"restart_core", "restart_policy", "restart_case_hash"};
        std::string const value = texts[draws.below(std::size(texts))];
        nc(nc_put_att_text(file, NC_GLOBAL, names[draws.below(3)], value.size(), value.c_str()));
        break;
      }
      case 3: {
        auto const value = static_cast<int>(integer());
        nc(nc_put_att_int(file, variable, "bytes_per_value", NC_INT, 1, &value));
        break;
      }
      case 4: {
        long long const shape[] = {integer(), integer()};
        nc(nc_put_att_longlong(file, variable, "shape", NC_INT64, draws.below(3), shape));
        break;
      }
      default: {
        nc_type type = NC_NAT;
        int rank = 0;
        int dimensions[NC_MAX_VAR_DIMS];
        nc(nc_inq_var(file, variable, nullptr, &type, &rank, dimensions, nullptr));
        for (auto left = std::size_t{1} << draws.below(8); left > 0; --left) {
          std::vector<std::size_t> index;
          for (int d = 0; d < rank; ++d) {
            std::size_t length = 0;
            nc(nc_inq_dimlen(file, dimensions[d], &length));
            index.push_back(draws.below(length));
          }
          auto const value = number();
          auto const single =
              static_cast<float>(std::abs(value) > 1e38 ? std::copysign(INFINITY, value) : value);
          if (type == NC_DOUBLE) nc(nc_put_var1_double(file, variable, index.data(), &value));
          if (type == NC_FLOAT) nc(nc_put_var1_float(file, variable, index.data(), &single));
        }
      }
    }
  }
  nc(nc_close(file));
  io::append_seal(path, path);
}

}  // namespace

char const* name_of(Fate fate) {
  static constexpr char const* names[fates] = {"refused", "harmless", "accepted", "crash",
                                               "hang",    "believed", "unmended", "unclear"};
  return names[static_cast<std::size_t>(fate)];
}

std::vector<std::string> const& kinds() {
  static std::vector<std::string> const all = {"output",  "restart", "resealed", "trace",   "manifest",
                                               "results", "run",     "case",     "classic", "extended",
                                               "toml",    "mesh",    "ugrid"};
  return all;
}

Trials::Trials(fs::path bases, fs::path work, std::uint64_t seed)
    : bases_{std::move(bases)}, work_{std::move(work)}, seed_{seed} {}

Verdict Trials::run(std::string const& kind, std::int64_t number) {
  Draws draws(seed_, kind, number);
  fs::remove_all(work_);
  fs::create_directories(work_);
  auto const base = [&](fs::path const& name) { return read_file(bases_ / name); };
  auto const text_or_bytes = [&](bool text, fs::path const& name, fs::path const& other) {
    return text ? mutate_text(base(name), base(other), draws) : mutate_bytes(base(name), base(other), draws);
  };
  auto const give = [&](fs::path const& name, std::string const& content) {
    altered_ = work_ / name;
    write_file(altered_, content);
  };
  auto const copy = [&](fs::path const& name, fs::path const& as) {
    fs::copy_file(bases_ / name, work_ / as);
  };
  auto const ended = [&](Words const& words, std::string const& file, bool may_be_long) {
    auto verdict = judge_ending(run_command(work_, words), file, may_be_long);
    verdict.command = joined(words);
    return verdict;
  };
  /// As `ended`, with what the same command says of the intact file.
  auto const compared = [&](Words const& words, fs::path const& name, fs::path const& intact) {
    auto const ending = run_command(work_, words);
    auto verdict = judge_ending(ending, name, false);
    verdict.command = joined(words);
    if (verdict.fate == Fate::accepted) {
      auto const altered = read_file(altered_);
      write_file(altered_, base(intact));
      auto const expected = run_command(work_, words);
      write_file(altered_, altered);
      auto const same = ending.code == expected.code && ending.output == expected.output;
      verdict.fate = same ? Fate::harmless : Fate::believed;
      verdict.detail = same ? "" : words.front();
    }
    return verdict;
  };
  /// A file of a study altered, then `report` or `--resume`.
  auto const in_study = [&](bool text, fs::path const& run, fs::path const& name, fs::path const& other) {
    fs::copy(bases_ / "study", work_ / "study", fs::copy_options::recursive);
    copy("case.toml", "case.toml");
    give("study" / run / name, text_or_bytes(text, "study" / run / name, other));
    auto const resumes = draws.one_in(2);
    auto verdict = ended(resumes ? resume_command() : report_command(), name, false);
    if (verdict.fate != Fate::accepted) {
      return verdict;
    }
    auto const results = results_of(work_ / "study");
    auto const failed = !run.empty() && told_as_failed(results, run);
    if (results == results_of(bases_ / "study")) {
      // Done anew, or the alteration is without effect.
      verdict.fate = resumes ? Fate::refused : Fate::harmless;
    } else if (failed) {
      verdict.fate = resumes ? Fate::unmended : Fate::refused;
      verdict.detail = "still told as failed after --resume";
    } else if (name == "case.toml" && results.dump().find("the study was planned") != std::string::npos) {
      verdict.fate = Fate::refused;  // a tolerance, which may be edited: the results tell so
    } else {
      verdict.fate = Fate::believed;
      verdict.detail = resumes ? "ensemble --resume" : "report";
    }
    return verdict;
  };
  auto const runs = runs_of(bases_ / "study");
  auto const some_run = [&] { return runs[draws.below(runs.size())]; };
  auto const foreign = [&](std::string const& name) {
    give("altered.nc", mutate_bytes(base(name), base("other_" + name), draws));
    copy(name, "intact.nc");
    copy("file.toml", "file.toml");
    copy("altered.smesh", "altered.smesh");
    static Words const uses[] = {
        {"compare", "intact.nc", "altered.nc", "--quiet"},
        {"compare", "altered.nc", "intact.nc", "--all-times", "--json"},
        {"lkf", "altered.nc"},
        {"lkf", "altered.nc", "--rules", "lkf_tools", "--time", "0", "--json"},
        {"spectrum", "altered.nc", "--variable", "shear"},
        {"spectrum", "altered.nc", "--variable", "shear", "--variant", "physical", "--log10", "1e-3",
         "--json"},
        {"run", "file.toml", "-o", "out", "--threads", "1", "--quiet"},
        {"run", "file.toml", "-o", "out", "--threads", "1", "--policy", "fp32", "--trap", "--quiet"}};
    return ended(uses[draws.below(std::size(uses))], "altered.nc", true);
  };
  static constexpr char const* policies[] = {"fp64", "fp64", "fp32", "mixed", "tf32", "bf16", "fp16", "quad"};
  auto const policy = [&] { return std::string(policies[draws.below(std::size(policies))]); };

  if (kind == "output") {
    if (draws.one_in(3)) {
      return in_study(false, some_run(), "output.nc", "other/output.nc");
    }
    give("output.nc", mutate_bytes(base("run/output.nc"), base("other/output.nc"), draws));
    copy("run/output.nc", "intact.nc");
    static Words const uses[] = {{"compare", "intact.nc", "output.nc"},
                                 {"compare", "output.nc", "intact.nc", "--all-times", "--json"},
                                 {"lkf", "output.nc", "--json"},
                                 {"spectrum", "output.nc", "--variable", "shear"}};
    return compared(uses[draws.below(std::size(uses))], "output.nc", "run/output.nc");
  }
  if (kind == "restart" || kind == "resealed") {
    copy("case.toml", "case.toml");
    Words const words = {"run", "case.toml", "-o",       "out",    "--threads",
                         "1",   "--restart", "state.nc", "--quiet"};
    if (kind == "resealed") {
      give("state.nc", base("half/restart.nc"));
      auto const made = run_child(work_, [&] {
        edit_restart("state.nc", draws);
        return 0;
      });
      if (made.code != 0) throw std::runtime_error("cannot seal a restart anew: " + made.errors);
      return ended(words, "state.nc", false);
    }
    give("state.nc", mutate_bytes(base("half/restart.nc"), base("run/restart.nc"), draws));
    auto verdict = ended(words, "state.nc", false);
    if (verdict.fate == Fate::accepted) {
      verdict.fate = Fate::believed;
      verdict.detail = "run --restart";
    }
    return verdict;
  }
  if (kind == "trace") {
    give("altered.bin", mutate_bytes(base("run/trace.bin"), base("other/trace.bin"), draws));
    copy("run/trace.bin", "intact.bin");
    copy("other/trace.bin", "other.bin");
    static Words const uses[] = {{"trace-diff", "altered.bin", "intact.bin"},
                                 {"trace-diff", "intact.bin", "altered.bin"},
                                 {"trace-diff", "other.bin", "altered.bin"}};
    auto verdict = ended(uses[draws.below(std::size(uses))], "altered.bin", false);
    if (verdict.fate == Fate::accepted) {
      verdict.fate = Fate::believed;
      verdict.detail = "trace-diff";
    }
    return verdict;
  }
  if (kind == "manifest") return in_study(true, "", "manifest.json", "study/results.json");
  if (kind == "run") return in_study(true, some_run(), "run.json", "other/run.json");
  if (kind == "case") return in_study(true, "", "case.toml", "other.toml");
  if (kind == "results") {
    if (draws.one_in(4)) {
      return in_study(true, "", "results.json", "study/manifest.json");
    }
    give("results.json", mutate_text(base("study/results.json"), base("study/manifest.json"), draws));
    auto const ending = run_child(work_, [] {
      try {
        std::fputs(verification::to_json(verification::read_results("results.json")).c_str(), stdout);
        return 0;
      } catch (InputError const& error) {
        std::fprintf(stderr, "ulpine: %s\n", error.what());
        return 2;
      }
    });
    auto verdict = judge_ending(ending, "results.json", false);
    verdict.command = "(read_results)";
    if (verdict.fate == Fate::accepted) {
      auto const expected = base("study/results.json");
      verdict.fate = ending.output == expected ? Fate::harmless : Fate::believed;
      verdict.detail = "read_results";
    }
    return verdict;
  }
  if (kind == "classic") return foreign(foreign_files[draws.below(3)].name);
  if (kind == "extended") return foreign(foreign_files[3].name);
  if (kind == "toml") {
    auto const from = draws.below(3);
    if (from == 0) {
      give("altered.toml", text_or_bytes(true, "file.toml", "other.toml"));
      copy("altered.smesh", "altered.smesh");
      copy("altered.nc", "altered.nc");
    } else {
      give("altered.toml", from == 1 ? text_or_bytes(true, "case.toml", "other.toml")
                                     : text_or_bytes(true, "other.toml", "file.toml"));
    }
    if (draws.one_in(4)) {
      return ended(study_command("altered.toml"), "altered.toml", true);
    }
    return ended({"run", "altered.toml", "-o", "out", "--threads", "1", "--policy", policy(), "--quiet"},
                 "altered.toml", true);
  }
  if (kind == "mesh") {
    give("altered.smesh", text_or_bytes(true, "altered.smesh", "other.smesh"));
    copy("altered.nc", "altered.nc");
    std::string const case_file = draws.one_in(2) ? "file.toml" : "mesh.toml";
    copy(case_file, case_file);
    return ended({"run", case_file, "-o", "out", "--threads", "1", "--policy", policy(), "--quiet"},
                 "altered.smesh", true);
  }
  if (kind == "ugrid") {
    std::string const name = draws.one_in(2) ? "sides.nc" : "plain.nc";
    give("altered.nc", mutate_bytes(base(name), base("other_" + name), draws));
    copy("air.toml", "air.toml");
    return ended({"run", "air.toml", "-o", "out", "--threads", "1", "--policy", policy(), "--quiet"},
                 "altered.nc", true);
  }
  throw std::invalid_argument("unknown kind '" + kind + "'");
}

}  // namespace ulpine::fuzz
