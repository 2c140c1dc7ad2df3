// SPDX-License-Identifier: Apache-2.0
#include "fuzz/kinds.hpp"

#include <netcdf.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string_view>

#include "fuzz/child.hpp"
#include "fuzz/mutation.hpp"
#include "io/error.hpp"
#include "io/seal.hpp"
#include "support/temporary_folder.hpp"
#include "verification/results.hpp"

namespace ulpine::fuzz {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using Words = std::vector<std::string>;
using test::read_file;
using test::write_file;

constexpr char const* case_text = R"(core = "seaice"
name = "small"
description = "Eight by eight cells, two steps"

[grid]
nx = 8
ny = 8
length = 512e3
distortion = 0.05

[discretisation]
cg = 1
dg = 3

[time]
step = "120 s"
end = "4 min"
substeps = 4

[forcing]
wind = "cyclone"
cyclone_x = 256e3
cyclone_y = 256e3
ocean = "gyre"
ocean_speed = 0.01

[output]
interval = "2 min"

[verify.sivol]
l2_relative = 1e-3
[verify.siu]
l2_relative = 1e-2
)";

constexpr char const* other_case_text = R"(core = "seaice"
[grid]
nx = 6
ny = 9
length = 1e5
[time]
step = "60 s"
end = "2 min"
substeps = 3
[seaice]
alpha = 500
beta = 500.0
limiter = "nextsim"
runge_kutta = 3
[initial]
source = "uniform"
height = 2
concentration = 0.9
[forcing]
wind = "uniform"
wind_u = 10
wind_v = -5.5
ocean = "still"
[lkf]
parameters = "dog15,lmin=4"
)";

/// Of the mesh and the initial ice that are altered.
constexpr char const* file_case_text = R"(core = "seaice"
[grid]
mesh = "altered.smesh"
[time]
step = "120 s"
end = "4 min"
substeps = 4
[initial]
source = "file"
file = "altered.nc"
mask = "mask"
height_variable = "hice"
concentration_variable = "cice"
longitude_variable = "longitude"
latitude_variable = "latitude"
[forcing]
ocean = "still"
[output]
interval = "2 min"
)";

/// The mesh without the ice.
constexpr char const* mesh_case_text = R"(core = "seaice"
[grid]
mesh = "altered.smesh"
[discretisation]
dg = 1
[time]
step = "120 s"
end = "4 min"
substeps = 4
[forcing]
cyclone_x = 1e5
cyclone_y = 1e5
)";

constexpr int cells = 8;  ///< a side of the mesh

/// Cells of 25 km, a little askew, with an island; every closed side is listed.
std::string mesh_text(double skew) {
  std::string text = "ParametricMesh 2.0\n8 8\n";
  for (int j = 0; j <= cells; ++j) {
    for (int i = 0; i <= cells; ++i) {
      text += std::to_string(25e3 * i + skew * j) + " " + std::to_string(25e3 * j - skew * i) + "\n";
    }
  }
  auto const sea = [](int i, int j) {
    return i >= 0 && j >= 0 && i < cells && j < cells && !(i == 3 && j == 4);
  };
  text += "landmask 64\n";
  std::string sides;
  int count = 0;
  for (int j = 0; j < cells; ++j) {
    for (int i = 0; i < cells; ++i) {
      text += sea(i, j) ? "1\n" : "0\n";
      constexpr int di[] = {0, 1, 0, -1}, dj[] = {-1, 0, 1, 0};
      for (int side = 0; side < 4; ++side) {
        if (sea(i, j) && !sea(i + di[side], j + dj[side])) {
          sides += std::to_string(cells * j + i) + " " + std::to_string(side) + "\n";
          ++count;
        }
      }
    }
  }
  return text + "dirichlet " + std::to_string(count) + "\n" + sides + "periodic 0\n";
}

void nc(int status) {
  if (status != NC_NOERR) throw std::runtime_error(nc_strerror(status));
}

/// Ice for the mesh, and a deformation in time with coordinates, packed, as others write them.
void write_foreign(fs::path const& path, int format, double shift) {
  int file = -1;
  nc(nc_create(path.c_str(), format | NC_CLOBBER, &file));
  auto const extended = format == NC_NETCDF4;
  int time = -1, y = -1, x = -1, v = -1, u = -1;
  nc(nc_def_dim(file, "time", NC_UNLIMITED, &time));
  nc(nc_def_dim(file, "y", cells, &y));
  nc(nc_def_dim(file, "x", cells, &x));
  nc(nc_def_dim(file, "v", 16, &v));
  nc(nc_def_dim(file, "u", 16, &u));
  auto const define = [&](char const* name, nc_type type, std::vector<int> const& dimensions,
                          char const* units) {
    int id = -1;
    nc(nc_def_var(file, name, type, static_cast<int>(dimensions.size()), dimensions.data(), &id));
    nc(nc_put_att_text(file, id, "units", std::char_traits<char>::length(units), units));
    if (extended && dimensions.size() > 1) {
      nc(nc_def_var_deflate(file, id, 1, 1, 1));
      nc(nc_def_var_fletcher32(file, id, NC_FLETCHER32));
    }
    return id;
  };
  auto const times = define("time", NC_DOUBLE, {time}, "hours since 2010-01-01 00:00:00");
  auto const columns = define("u", NC_DOUBLE, {u}, "m");
  auto const rows = define("v", NC_DOUBLE, {v}, "km");
  auto const mask = define("mask", extended ? NC_BYTE : NC_SHORT, {y, x}, "1");
  auto const hice = define("hice", NC_FLOAT, {y, x}, "m");
  auto const cice = define("cice", NC_DOUBLE, {y, x}, "1");
  auto const longitude = define("longitude", NC_DOUBLE, {y, x}, "degrees_east");
  auto const latitude = define("latitude", NC_DOUBLE, {y, x}, "degrees_north");
  auto const shear = define("shear", NC_SHORT, {time, v, u}, "day-1");
  double const factor = 1e-3, offset = 0.5;
  short const missing = -32768;
  nc(nc_put_att_double(file, shear, "scale_factor", NC_DOUBLE, 1, &factor));
  nc(nc_put_att_double(file, shear, "add_offset", NC_DOUBLE, 1, &offset));
  nc(nc_put_att_short(file, shear, "_FillValue", NC_SHORT, 1, &missing));
  if (extended) {
    char const* words[] = {"made", "for tests"};
    nc(nc_put_att_string(file, NC_GLOBAL, "history", 2, words));
    int group = -1, inner = -1;
    nc(nc_def_grp(file, "inner", &group));
    nc(nc_def_var(group, "strain", NC_FLOAT, 1, &u, &inner));
  }
  nc(nc_enddef(file));
  std::vector<double> field(cells * cells);
  auto const put = [&](int id, auto value) {
    for (int k = 0; k < cells * cells; ++k) field[static_cast<std::size_t>(k)] = value(k % cells, k / cells);
    nc(nc_put_var_double(file, id, field.data()));
  };
  put(mask, [](int i, int j) { return i == 3 && j == 4 ? 0. : 1.; });
  put(hice, [&](int i, int j) { return 1 + shift + 0.1 * i - 0.05 * j; });
  put(cice, [](int i, int j) { return 1 - 0.01 * i - 0.02 * j; });
  put(longitude, [&](int i, int) { return 10. * i + shift; });
  put(latitude, [](int, int j) { return 60. + j; });
  std::vector<double> axis(16);
  for (std::size_t k = 0; k < axis.size(); ++k) axis[k] = 1000. * static_cast<double>(k);
  nc(nc_put_var_double(file, columns, axis.data()));
  for (auto& value : axis) value /= 1000;
  nc(nc_put_var_double(file, rows, axis.data()));
  for (std::size_t t = 0; t < 2; ++t) {
    auto const hour = static_cast<double>(t);
    nc(nc_put_var1_double(file, times, &t, &hour));
    std::vector<short> packed(16 * 16);
    for (int k = 0; k < 16 * 16; ++k) {
      auto const ridge = std::abs(k % 16 - k / 16) < 2 || std::abs(k % 16 + k / 16 - 12) < 2;
      packed[static_cast<std::size_t>(k)] = static_cast<short>((ridge ? 900 : -480) + k % 7 + 10 * shift);
    }
    packed[40] = missing;
    std::size_t const start[] = {t, 0, 0}, count[] = {1, 16, 16};
    nc(nc_put_vara_short(file, shear, start, count, packed.data()));
  }
  nc(nc_close(file));
}

constexpr std::pair<char const*, int> foreign_formats[] = {{"classic1.nc", NC_CLASSIC_MODEL * 0},
                                                           {"classic2.nc", NC_64BIT_OFFSET},
                                                           {"classic5.nc", NC_64BIT_DATA},
                                                           {"extended.nc", NC_NETCDF4}};

Words const study_options = {"--policies",   "fp64,fp32", "--assemblies", "deterministic",
                             "--epsilons",   "2^-23",     "--members",    "1",
                             "--threads",    "1",         "--jobs",       "1",
                             "--quad-until", "0 s",       "--quiet"};

Words operator+(Words words, Words const& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

Words const resume = Words{"ensemble", "case.toml", "-o", "study", "--resume"} + study_options;
Words const report = {"report", "study", "--threads", "1", "--quiet"};

std::string joined(Words const& words) {
  std::string text;
  for (auto const& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

/// Folders of the runs within a study.
std::vector<fs::path> runs_of(fs::path const& study) {
  std::vector<fs::path> runs;
  for (auto const& entry : fs::recursive_directory_iterator(study)) {
    if (entry.path().filename() == "run.json") {
      runs.push_back(entry.path().parent_path().lexically_relative(study));
    }
  }
  std::ranges::sort(runs);
  return runs;
}

/// What must not depend on when and how fast the study was made.
void drop_times(Json& json) {
  if (json.is_object()) {
    // The seal is over the times too.
    for (auto const* const key : {"wall_s", "created", "seal"}) json.erase(key);
  }
  if (json.is_structured()) {
    for (auto& item : json) drop_times(item);
  }
}

/// results.json of the study but for times; null where there is none.
Json results_of(fs::path const& study) {
  auto json = Json::parse(read_file(study / "results.json"), nullptr, false);
  drop_times(json);
  return json.is_discarded() ? Json() : json;
}

bool told_as_failed(Json const& results, fs::path const& run) {
  auto const runs = results.find("runs");
  return runs != results.end() && std::ranges::any_of(*runs, [&](Json const& item) {
           return item.value("path", "") == run.generic_string() && !item.at("failed").is_null();
         });
}

std::string first_line_with(std::string const& text, char const* word) {
  auto const found = text.find(word);
  if (found == std::string::npos) return {};
  auto const begin = text.rfind('\n', found) + 1;
  return text.substr(begin, text.find('\n', begin) - begin);
}

/// The functions of a sanitizer's report where it happened and, first of the program's own, that led there.
std::string frames_of(std::string const& report) {
  std::string frames;
  for (std::size_t begin = 0; begin < report.size();) {
    auto const end = std::min(report.find('\n', begin), report.size());
    auto const line = report.substr(begin, end - begin);
    begin = end + 1;
    auto const name = line.find(" in ");
    if (line.find("    #") != 0 || name == std::string::npos || line.find("sanitizer") != std::string::npos) {
      continue;
    }
    auto const own = line.find("ulpine::") != std::string::npos;
    if (frames.empty() || own) frames += line.substr(name);
    if (own) break;
  }
  return frames;
}

/// One line on a crash, without addresses and process numbers.
std::string crash_detail(Ending const& ending) {
  if (!ending.report.empty() || ending.errors.find("runtime error: ") != std::string::npos) {
    auto const& text = ending.report.empty() ? ending.errors : ending.report;
    if (auto const line = first_line_with(text, "runtime error: "); !line.empty()) return line;
    auto const summary = first_line_with(text, "SUMMARY: ");
    auto const word = summary.find(' ', std::string_view("SUMMARY: AddressSanitizer: ").size());
    return summary.substr(0, word) + frames_of(text);
  }
  if (ending.signal != 0) return "signal " + std::to_string(ending.signal);
  return "exit code " + std::to_string(ending.code);
}

/// The line with what stands between quotes and all digits blanked: the same for the same cause.
std::string shape_of(std::string const& line) {
  std::string shape;
  for (auto const c : line.substr(0, 200)) {
    auto const digit = c >= '0' && c <= '9';
    if (digit && !shape.empty() && shape.back() == '#') continue;
    shape += digit ? '#' : c;
  }
  return shape;
}

/// What is wrong with how the program ended, whatever the file; Fate::refused where it refused it well,
/// Fate::accepted where it took it.
/// A refusal names `file`, or what it is used with: its study, its case, a file that the case names.
Verdict judge_ending(Ending const& ending, std::string const& file, bool may_be_long) {
  Verdict verdict;
  auto const stopped = ending.asked && ending.code == 128 + SIGTERM;
  auto const known = ending.code >= 0 && ending.code <= 4;
  if (ending.killed) {
    return {Fate::hang, "", "took all memory, or did not stop when asked to"};
  }
  if (!ending.report.empty() || ending.signal != 0 || (!known && !stopped)) {
    return {Fate::crash, "", crash_detail(ending)};
  }
  if (ending.asked && !may_be_long) {
    return {Fate::hang, "", "stopped only when asked to"};
  }
  auto const& errors = ending.errors;
  auto const lines = std::ranges::count(errors, '\n');
  auto const names = [&](std::string const& word) { return errors.find(word) != std::string::npos; };
  auto const fit = errors.starts_with("ulpine: ") && lines == 1 && !names("internal error") &&
                   (ending.code != 2 || names(file) || names("altered.") || names("file.toml") ||
                    names("mesh.toml") || names("study"));
  if (ending.code == 2 || ending.code == 3) {
    return {fit ? Fate::refused : Fate::unclear, "", shape_of(errors)};
  }
  if (!errors.empty() && (!errors.starts_with("ulpine: ") || lines != 1)) {
    return {Fate::unclear, "", shape_of(errors)};
  }
  return {Fate::accepted, "", ""};
}

/// A case of the program's own files in a study: what is altered, by what it is read.
struct StudyFile {
  fs::path run;   ///< folder of the run it belongs to; empty: of the study
  fs::path file;  ///< within the study
};

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
  static std::vector<std::string> const all = {"output",   "restart",  "resealed", "trace",
                                               "manifest", "results",  "run",      "case",
                                               "classic",  "extended", "toml",     "mesh"};
  return all;
}

void make_bases(fs::path const& folder) {
  write_file(folder / "case.toml", case_text);
  write_file(folder / "other.toml", other_case_text);
  write_file(folder / "file.toml", file_case_text);
  write_file(folder / "mesh.toml", mesh_case_text);
  write_file(folder / "altered.smesh", mesh_text(1500));
  write_file(folder / "other.smesh", mesh_text(-700));
  auto const must = [](Ending const& ending, std::string const& what) {
    // 4: a study of one member decides nothing.
    if (ending.code != 0 && ending.code != 4)
      throw std::runtime_error(what + ": " + ending.errors + ending.report);
  };
  auto const command = [&](Words const& words) { must(run_command(folder, words), joined(words)); };
  must(run_child(folder,
                 [&] {
                   for (auto const& [name, format] : foreign_formats) {
                     write_foreign(name, format, 0);
                     write_foreign(std::string("other_") + name, format, 0.25);
                   }
                   return 0;
                 }),
       "foreign files");
  fs::copy_file(folder / "extended.nc", folder / "altered.nc");
  command({"run", "case.toml", "-o", "run", "--threads", "1", "--trace", "--quiet"});
  command({"run", "case.toml", "-o", "other", "--threads", "1", "--trace", "--policy", "fp32", "--quiet"});
  command({"run", "case.toml", "-o", "half", "--threads", "1", "--until", "2 min", "--quiet"});
  command({"run", "other.toml", "-o", "toml", "--threads", "1", "--quiet"});
  command({"run", "mesh.toml", "-o", "mesh", "--threads", "1", "--quiet"});
  command({"run", "file.toml", "-o", "file", "--threads", "1", "--quiet"});
  command(Words{"ensemble", "case.toml", "-o", "study"} + study_options);
  command(report);
  auto const before = results_of(folder / "study");
  fs::create_directories(folder / "second");
  fs::copy(folder / "study", folder / "second" / "study", fs::copy_options::recursive);
  fs::copy_file(folder / "case.toml", folder / "second" / "case.toml");
  auto const runs = runs_of(folder / "study");
  fs::remove(folder / "second" / "study" / runs.front() / "run.json");
  must(run_command(folder / "second", resume), "resume");
  if (before.is_null() || results_of(folder / "second" / "study") != before) {
    throw std::runtime_error("an undisturbed study and a resumed one have other results");
  }
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
    auto verdict = ended(resumes ? resume : report, name, false);
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
  if (kind == "classic") return foreign(foreign_formats[draws.below(3)].first);
  if (kind == "extended") return foreign(foreign_formats[3].first);
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
      return ended(Words{"ensemble", "altered.toml", "-o", "study"} + study_options, "altered.toml", true);
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
  throw std::invalid_argument("unknown kind '" + kind + "'");
}

}  // namespace ulpine::fuzz
