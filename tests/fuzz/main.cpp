// SPDX-License-Identifier: Apache-2.0
// Alters valid files of every kind, has the program use each in a child process, and tells what became of
// them. Exit code 0 where nothing failed, 1 where something did, 2 for a wrong call.
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <map>
#include <stdexcept>

#include "fuzz/bases.hpp"
#include "fuzz/child.hpp"
#include "fuzz/kinds.hpp"

namespace {

using namespace ulpine::fuzz;
namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr auto usage =
    "usage: ulpine_fuzz [--files N] [--kinds a,b,...] [--seed S] [--first I] [--jobs J] [--keep DIR] "
    "[--bases DIR]\n"
    "                   [--list refused]\n"
    "  N altered files of each kind from number I on. Failing ones are kept in DIR (fuzz-failures), with the "
    "valid\n"
    "  files they were made from in its folder bases; with --bases these are used again, to the same "
    "bytes,\n"
    "  or made there where there is no such folder.\n";

struct Options {
  std::int64_t files = 300, first = 0;
  std::uint64_t seed = 1;
  int jobs = 1;
  std::vector<std::string> kinds = ulpine::fuzz::kinds();
  fs::path keep, bases;
  std::string list;  ///< a fate whose causes are listed besides the failures
};

std::vector<std::string> split(std::string const& text) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    auto const end = std::min(text.find(',', begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

Options parse(int count, char** arguments) {
  Options options;
  options.keep = fs::absolute("fuzz-failures");
  for (int i = 1; i + 1 < count; i += 2) {
    std::string const name = arguments[i], value = arguments[i + 1];
    if (name == "--files") {
      options.files = std::stoll(value);
    } else if (name == "--first") {
      options.first = std::stoll(value);
    } else if (name == "--seed") {
      options.seed = std::stoull(value);
    } else if (name == "--jobs") {
      options.jobs = std::clamp(std::stoi(value), 1, 64);
    } else if (name == "--kinds") {
      options.kinds = split(value);
    } else if (name == "--keep") {
      options.keep = fs::absolute(value);
    } else if (name == "--list") {
      options.list = value;
    } else if (name == "--bases") {
      options.bases = fs::absolute(value);
    } else {
      throw std::invalid_argument("unknown option " + name);
    }
  }
  if (count % 2 == 0) throw std::invalid_argument("options come with a value");
  for (auto const& kind : options.kinds) {
    if (std::ranges::find(kinds(), kind) == kinds().end())
      throw std::invalid_argument("unknown kind " + kind);
  }
  return options;
}

/// What a worker tells of one file, as one line of tab-separated words.
struct Result {
  std::size_t kind = 0;
  std::int64_t number = 0;
  std::size_t fate = 0;
  double seconds = 0;
  std::string command, detail;
};

constexpr std::size_t longest_line = PIPE_BUF;  // a pipe takes so much at once

void tell(int pipe, Result const& result) {
  auto line = std::to_string(result.kind) + '\t' + std::to_string(result.number) + '\t' +
              std::to_string(result.fate) + '\t' + std::to_string(result.seconds) + '\t' + result.command +
              '\t';
  for (auto const c : result.detail) line += c == '\n' || c == '\t' ? ' ' : c;
  line.resize(std::min(line.size(), longest_line - 1));
  line += '\n';
  if (::write(pipe, line.data(), line.size()) < 0) std::_Exit(1);
}

Result parse_line(std::string const& line) {
  std::array<std::string, 6> words;
  std::size_t begin = 0;
  for (auto& word : words) {
    auto const end = std::min(line.find('\t', begin), line.size());
    word = line.substr(std::min(begin, line.size()), end - std::min(begin, line.size()));
    begin = end + 1;
  }
  return {std::stoul(words[0]),
          std::stoll(words[1]),
          std::stoul(words[2]),
          std::stod(words[3]),
          words[4],
          words[5]};
}

/// Every `jobs`-th file, from number `job` on.
int work(Options const& options, fs::path const& bases, fs::path const& folder, int job, int pipe) {
  Trials trials(bases, folder / "work", options.seed);
  std::int64_t turn = 0;
  for (std::int64_t number = options.first; number < options.first + options.files; ++number) {
    for (std::size_t kind = 0; kind < options.kinds.size(); ++kind) {
      if (turn++ % options.jobs != job) continue;
      auto const begin = Clock::now();
      auto const verdict = trials.run(options.kinds[kind], number);
      if (verdict.fate >= Fate::crash) {
        auto const kept = options.keep / options.kinds[kind];
        fs::create_directories(kept);
        fs::copy_file(trials.altered_file(),
                      kept / (std::to_string(options.seed) + "-" + std::to_string(number) + "-" +
                              trials.altered_file().filename().string()),
                      fs::copy_options::overwrite_existing);
      }
      tell(pipe,
           {kind, number, static_cast<std::size_t>(verdict.fate),
            std::chrono::duration<double>(Clock::now() - begin).count(), verdict.command, verdict.detail});
    }
  }
  return 0;
}

struct Row {
  std::array<std::int64_t, fates> count{};
  double seconds = 0, longest = 0;
};

class Summary {
 public:
  explicit Summary(Options const& options) : options_{options}, rows_(options.kinds.size()) {}

  void add(Result const& result) {
    auto& row = rows_.at(result.kind);
    ++row.count.at(result.fate);
    row.seconds += result.seconds;
    row.longest = std::max(row.longest, result.seconds);
    ++done_;
    auto const fate = static_cast<Fate>(result.fate);
    failed_ = failed_ || fate >= Fate::crash;
    if (fate < Fate::crash && options_.list != name_of(fate)) return;
    auto const& kind = options_.kinds[result.kind];
    auto& [times, first] = causes_[kind + ": " + name_of(fate) + ": " + result.detail];
    if (times++ == 0) {
      first = "--kinds " + kind + " --seed " + std::to_string(options_.seed) + " --first " +
              std::to_string(result.number) + " --files 1   (ulpine " + result.command + ")";
    }
  }

  std::int64_t done() const { return done_; }
  bool failed() const { return failed_; }

  void print() const {
    std::printf("%-10s %6s", "kind", "files");
    for (std::size_t fate = 0; fate < fates; ++fate) std::printf(" %9s", name_of(static_cast<Fate>(fate)));
    std::printf(" %8s %8s\n", "s", "longest");
    for (std::size_t kind = 0; kind < rows_.size(); ++kind) {
      auto const& row = rows_[kind];
      std::int64_t files = 0;
      for (auto const count : row.count) files += count;
      std::printf("%-10s %6lld", options_.kinds[kind].c_str(), static_cast<long long>(files));
      for (auto const count : row.count) std::printf(" %9lld", static_cast<long long>(count));
      std::printf(" %8.1f %8.2f\n", row.seconds, row.longest);
    }
    for (auto const& [cause, occurrences] : causes_) {
      std::printf("\n%lld x %s\n  %s\n", static_cast<long long>(occurrences.first), cause.c_str(),
                  occurrences.second.c_str());
    }
  }

 private:
  Options const& options_;
  std::vector<Row> rows_;
  std::map<std::string, std::pair<std::int64_t, std::string>> causes_;  ///< how often, and the first file
  std::int64_t done_ = 0;
  bool failed_ = false;
};

int fuzz(Options const& options, fs::path const& folder) {
  auto const bases = options.bases.empty() ? folder / "bases" : options.bases;
  if (!fs::exists(bases)) {
    fs::create_directories(bases);
    make_bases(bases);
  }
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) throw std::runtime_error("no pipe");
  std::fflush(nullptr);
  std::vector<pid_t> team;
  for (int job = 0; job < options.jobs; ++job) {
    auto const worker = ::fork();
    if (worker < 0) throw std::runtime_error("cannot fork");
    if (worker == 0) {
      ::close(ends[0]);
      int code = 1;
      try {
        code = work(options, bases, folder / ("job" + std::to_string(job)), job, ends[1]);
      } catch (std::exception const& error) {
        std::fprintf(stderr, "worker: %s\n", error.what());
      }
      std::_Exit(code);
    }
    team.push_back(worker);
  }
  ::close(ends[1]);

  Summary summary(options);
  auto const total = options.files * static_cast<std::int64_t>(options.kinds.size());
  auto shown = Clock::now();
  std::string pending;
  std::array<char, 65536> buffer{};
  for (;;) {
    auto const got = ::read(ends[0], buffer.data(), buffer.size());
    if (got <= 0) break;
    pending.append(buffer.data(), static_cast<std::size_t>(got));
    for (auto end = pending.find('\n'); end != std::string::npos; end = pending.find('\n')) {
      summary.add(parse_line(pending.substr(0, end)));
      pending.erase(0, end + 1);
    }
    if (Clock::now() - shown > std::chrono::seconds(10)) {
      shown = Clock::now();
      std::fprintf(stderr, "%lld of %lld files\n", static_cast<long long>(summary.done()),
                   static_cast<long long>(total));
    }
  }
  auto sound = summary.done() == total;
  for (auto const worker : team) {
    int status = 0;
    ::waitpid(worker, &status, 0);
    sound = sound && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }
  summary.print();
  if (summary.failed() && options.bases.empty()) {
    fs::remove_all(options.keep / "bases");
    fs::copy(bases, options.keep / "bases", fs::copy_options::recursive);
    std::printf("\nTo see one again add --bases %s\n", (options.keep / "bases").c_str());
  }
  if (!sound) std::fprintf(stderr, "a worker ended early\n");
  return sound && !summary.failed() ? 0 : 1;
}

/// Goes with its object.
struct Folder {
  fs::path path;
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
};

}  // namespace

int main(int count, char** arguments) {
  try {
    auto const options = parse(count, arguments);
    Folder const folder{working_folder(arguments)};
    return fuzz(options, folder.path);
  } catch (std::invalid_argument const& error) {
    std::fprintf(stderr, "%s\n%s", error.what(), usage);
    return 2;
  } catch (std::exception const& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
