// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

/// One function a command of `ulpine`. Each prints its result on standard output, throws InputError or
/// EnvironmentError, and returns the exit code of the program (exit_code.hpp). Times are texts as "30 min",
/// parsed by the command.
namespace ulpine::cli {

struct Common {
  bool quiet = false;    ///< nothing on standard output, no progress
  bool verbose = false;  ///< more lines
  /// Files of the names that the command writes are replaced also where Ulpine did not write them. Only of
  /// commands that have the option.
  bool overwrite = false;
};

struct RunOptions;  // run_options.hpp
int run(RunOptions const& options);

struct EnsembleOptions;  // ensemble_options.hpp
int ensemble(EnsembleOptions const& options);

struct SearchOptions {
  Common common;
  std::filesystem::path case_file, output;
  std::string variant;  ///< of the program that the case names; empty: its first
  std::vector<std::string> set;
  std::vector<std::string> precisions = {"fp32", "e5m10", "e8m7"};
  std::vector<std::string> policies = {"mixed", "fp32"};
  std::vector<std::string> stages;  ///< empty: all that can be lowered
  std::vector<std::string> costs;   ///< each `PRECISION=run.json`
  std::string on;                   ///< a card whose predicted times are costs
  double within = 1.0 / 3;
  int members = 24, confirmations = 3;
  std::uint64_t seed = 1;
  std::string until, time;
  std::int64_t runs = 1000;
  int threads = 1;
  int jobs = 0;  ///< 0: as many as the cores hold
  bool resume = false;
};
int search(SearchOptions const& options);

struct DigitsOptions {
  Common common;
  std::filesystem::path case_file, output;
  std::string variant;  ///< of the program that the case names; empty: its first
  std::vector<std::string> set;
  std::string arithmetic = "e11m52-sr";
  int samples = 30;
  std::uint32_t seed = 1;
  std::string until;
  std::string quad_until;                           ///< empty: until the first output, where that is cheap
  std::vector<std::string> stages;                  ///< `all`: each that can be
  std::vector<std::filesystem::path> samples_from;  ///< instead of a case
  std::filesystem::path nearest, wider;  ///< runs to nearest and in wider arithmetic, with `samples_from`
  int mantissa = 53;                     ///< bits of the arithmetic of `samples_from`
  std::vector<std::string> variables, scales;  ///< scales: each `FIELD=VALUE`
  double probability = 0.95, confidence = 0.95;
  int threads = 1;
  int jobs = 0;  ///< 0: as many as the cores hold
  bool relative = false, absolute = false, resume = false, json = false, csv = false;
};
int digits(DigitsOptions const& options);

struct ReportOptions {
  Common common;
  std::filesystem::path study;
  std::filesystem::path against;    ///< an earlier study; empty: results and page of `study` itself
  std::filesystem::path output;     ///< for the comparison, a page or a folder; empty: `study`
  std::vector<std::string> fields;  ///< that the page can be asked for; empty: as many as it has room for
  bool no_fields = false;
  std::vector<std::string> on;  ///< cards for which times are predicted
  int threads = 0;
};
int report(ReportOptions const& options);

struct BitwiseOptions {
  Common common;
  std::filesystem::path case_file;
  std::vector<std::string> set;
  std::vector<std::string> configurations;  ///< empty: cpu:1,cpu:2 and, with a GPU, cuda:128,cuda:256
  std::string policy = "fp64", assembly = "deterministic";
  std::vector<std::string> programs;  ///< each NAME=PATH; compared instead of configurations. Without a case:
                                      ///< programs that tell the probe of their stages
  std::string program_timeout = "1 h";
  std::int64_t steps = 10;
  bool json = false, csv = false;
};
int bitwise(BitwiseOptions const& options);

struct ConformanceOptions {
  Common common;
  std::filesystem::path case_file;
  std::vector<std::string> set;
  std::vector<std::string> configurations;  ///< empty: cpu:1,cpu:2 and, with a GPU, cuda:128,cuda:256
  std::string policy = "fp64", assembly = "deterministic";
  std::int64_t steps = 4;
  bool json = false, csv = false;
};
int conformance(ConformanceOptions const& options);

struct TraceDiffOptions {
  Common common;
  std::filesystem::path first, second;  ///< trace.bin, or folders of runs with checkpoints
  std::vector<std::string> programs;    ///< for folders: the two that repeat a step
  bool run_programs = false;            ///< for folders: programs that the runs' logs name repeat the step
  std::string program_timeout = "1 h";
  bool states_only = false;
  bool partial = false;  ///< of traces: also of runs that were stopped
  bool json = false, csv = false;
};
int trace_diff(TraceDiffOptions const& options);

struct TraceOptions {
  Common common;
  std::filesystem::path file;    ///< a trace, or recorded fields; of ranks as trace_diff() takes them
  std::filesystem::path csv;     ///< of a trace; empty: none
  std::filesystem::path values;  ///< NetCDF of recorded fields; empty: none
  bool partial = false;
};
int trace(TraceOptions const& options);

struct ReplayOptions {
  Common common;
  std::filesystem::path run, output;
  std::int64_t step = 0;
  std::optional<std::int64_t> from, record;
};
int replay(ReplayOptions const& options);

struct CompareOptions {
  Common common;
  std::filesystem::path reference, test;
  std::vector<std::string> variables;
  std::string weights;  ///< empty: the reference's cell measures; else as verification::Weighting takes it
  bool json = false, csv = false, all_times = false, last = false, levels = false;
  std::string fail_on;                  ///< "different", or empty
  std::filesystem::path limits, junit;  ///< TOML of limits; JUnit XML to be written; empty: none
};
int compare(CompareOptions const& options);

struct SameOptions {
  Common common;
  std::filesystem::path reference, test;     ///< files, or folders of the output of a run
  std::vector<std::filesystem::path> noise;  ///< noisy runs of the reference: files, folders, or a study
  std::vector<std::string> variables;
  std::string epsilon;  ///< amplitude of a study's members; empty: the largest
  std::string weights;  ///< as `compare` takes them
  bool json = false, csv = false;
};
int same(SameOptions const& options);

struct RestartOptions {
  Common common;
  std::filesystem::path case_file, output;  ///< output empty: out/NAME-OF-CASE-FILE-restart
  std::vector<std::string> set;
  std::string spinup, until;
  std::string reference;           ///< empty: cpu/fp64/deterministic, or the first variant of a program
  std::vector<std::string> tests;  ///< empty: what the machine can do
  int threads = 0, block = 256;
  bool json = false, csv = false;
};
int restart(RestartOptions const& options);

struct ConsistencyOptions {
  Common common;
  std::filesystem::path ensemble;            ///< folder, study or summary file
  std::vector<std::filesystem::path> tests;  ///< files, or folders of them
  std::filesystem::path unperturbed, control, truth, write_summary, output;
  std::vector<std::string> methods, variables;
  std::string times = "all";
  std::string epsilon;                  ///< amplitude of a study's members; empty: the largest
  std::vector<std::string> parameters;  ///< each `METHOD.KEY=VALUE`
  std::uint64_t seed = 1;
  std::string weights;  ///< as `compare` takes them; empty: the runs' own
  bool levels = false;  ///< means of each level in place of the whole
  std::string as;       ///< a published rule in place of the methods; empty: none
  bool json = false, csv = false;
};
int consistency(ConsistencyOptions const& options);

/// Which plane of a field that has more than two dimensions.
struct PlaneOptions {
  std::optional<std::int64_t> level;  ///< index, negative from the end
  std::vector<std::string> at;        ///< each `DIMENSION=INDEX`
  std::vector<std::string> plane;     ///< the dimensions of rows and columns; empty: as the file tells
};

struct LkfOptions {
  Common common;
  std::vector<std::filesystem::path> files;  ///< in the order of time
  std::string variable, rules, parameters;
  PlaneOptions planes;
  std::int64_t time = -1;  ///< index, negative from the end
  bool json = false, csv = false, all_times = false;
  std::optional<std::int64_t> combine;  ///< records detected in together
  std::vector<std::string> track;       ///< velocities along x and y
  std::string as;                       ///< "process_dataset" or empty
  std::filesystem::path write_lkf_tools;
};
int lkf(LkfOptions const& options);

struct SpectrumOptions {
  Common common;
  std::filesystem::path file;
  std::vector<std::string> variables;
  std::string variant = "pysteps";
  std::int64_t time = -1;
  PlaneOptions planes;
  std::optional<double> log10_floor;  ///< spectrum of log10(max(x, floor))
  bool json = false, csv = false, all_times = false;
};
int spectrum(SpectrumOptions const& options);

struct InfoOptions {
  Common common;
  std::string parser;  ///< name and version of the option parser
};
int info(InfoOptions const& options);

struct CasesOptions {
  Common common;
  std::string stages;       ///< a core or a case file, whose stages are listed instead
  std::string keys;         ///< a core, "common" or "all", whose keys are listed instead
  std::string key;          ///< one of these, or a table of them: all about it
  bool markdown = false;    ///< the keys as a page of the reference
  std::string show;         ///< a case file, whose keys are shown instead
  bool operations = false;  ///< of the stages: what each computes, counted on the case's data
  std::int64_t steps = 1;   ///< counted
  int threads = 1;
  bool json = false;             ///< the operations or the prediction as a document
  std::string on;                ///< a card that the stages' times are predicted or fitted for
  std::string policy = "fp64";   ///< in which they are predicted
  std::vector<std::string> fit;  ///< each `CASE.toml=run.json`, whose times are fitted to instead
  std::filesystem::path output;  ///< where the fitted efficiencies go; empty: standard output
};
int cases(CasesOptions const& options);
int list_stages(CasesOptions const& options);
int list_operations(CasesOptions const& options);
int show_case(CasesOptions const& options);

}  // namespace ulpine::cli
