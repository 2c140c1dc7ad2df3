// SPDX-License-Identifier: Apache-2.0
#include "cli/command.hpp"

#include <omp.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "cli/command_line.hpp"
#include "cli/console.hpp"
#include "cli/keys.hpp"
#include "cli/ranks.hpp"
#include "cli/shell_limits.hpp"
#include "core/exec/device.hpp"
#include "core/model/not_solved.hpp"
#include "core/model/ranked_model.hpp"
#include "core/model/unchecked_options.hpp"
#include "core/ranks/mpi_ranks.hpp"
#include "ensembles/programs/program_keys.hpp"
#include "ensembles/runs/interrupt.hpp"
#include "ensembles/runs/run.hpp"
#include "io/error.hpp"
#include "io/former_keys.hpp"
#include "io/joined_plan.hpp"

namespace ulpine {
namespace {

/// Whether a file operation failed for want of something in the environment rather than by a wrong name.
bool is_environmental(std::error_code code) {
  return code == std::errc::no_space_on_device || code == std::errc::permission_denied ||
         code == std::errc::read_only_file_system || code == std::errc::io_error ||
         code == std::errc::too_many_files_open || code == std::errc::not_enough_memory;
}

/// Threads for each rank of a machine, unless who started them has seen to that.
void share_machine(Ranks const& world) {
  cli::set_local_rank({world.rank_on_machine(), world.ranks_on_machine()});
  bool const bound = omp_get_num_procs() < static_cast<int>(std::thread::hardware_concurrency());
  if (bound || std::getenv("OMP_NUM_THREADS") != nullptr) return;
  omp_set_num_threads(std::max(1, omp_get_num_procs() / world.ranks_on_machine()));
}

/// The exit code of `work`, whose errors are told.
int told(std::function<int()> const& work) {
  try {
    return work();
  } catch (io::Misfits const& misfits) {
    for (auto const& line : misfits.lines()) cli::complain(line);
    return cli::exit_code::bad_input;
  } catch (InputError const& error) {
    cli::complain(error.what());
    return cli::exit_code::bad_input;
  } catch (NotSolved const& error) {
    cli::complain(error.what());
    return cli::exit_code::different;
  } catch (EnvironmentError const& error) {
    cli::complain(error.what());
    return cli::exit_code::environment;
  } catch (ensembles::RunFailed const& error) {
    cli::complain(error.what());
    return cli::exit_code::different;
  } catch (std::bad_alloc const&) {
    cli::complain("out of memory (the host has no more) use a smaller grid, fewer jobs or fewer threads");
    return cli::exit_code::environment;
  } catch (std::filesystem::filesystem_error const& error) {
    auto const path = error.path1().string();
    cli::complain((path.empty() ? "the current folder" : path) + ": cannot be used (" +
                  error.code().message() + ") check the path, its permissions and the free space");
    return is_environmental(error.code()) ? cli::exit_code::environment : cli::exit_code::bad_input;
  } catch (ensembles::Interrupted const&) {
    return cli::interrupted("Call it again");
  } catch (std::exception const& error) {
    cli::complain(std::string("internal error (") + error.what() +
                  ") please report it with the command and the case");
    return cli::exit_code::environment;
  }
}

}  // namespace

int command_main(int argc, char** argv, std::function<void()> const& register_cores) {
  return told([&]() -> int {
    host_cpu_check();
    cli::set_program_name(argc > 0 ? argv[0] : "");
    cli::keep_arguments(argc, argv);
    cli::hold_standard_descriptors();
    cli::ignore_signals();
    cli::respect_shell_limits();
    io::set_former_keys_reporter([](std::string const& line) { cli::complain("note: " + line); });
    if (register_cores) {
      register_cores();
    }
    ensembles::register_programs();
    cli::register_common_keys();
    MpiSession const ranks;
    cli::keep_session(ranks);
    if (ranks.world()) share_machine(*ranks.world());
    if (ranks.world() && ranks.world()->rank() != 0) {
      // The other ranks read no command line, so options that rank 0 takes are set here.
      if (std::find(argv, argv + argc, std::string_view(unchecked_options_flag)) != argv + argc) {
        take_unchecked_options();
      }
      cli::leave_signals_to_rank_0();
      serve(*ranks.world(), [](std::vector<std::string> const& called) {
        return cli::answer_call(called, [](std::vector<std::string> const& words) {
          return told([&] { return cli::read_command_line(words)(); });
        });
      });
      return cli::exit_code::done;
    }
    cli::TeamInCharge const team(ranks.world());
    auto const code = cli::read_command_line({argv + std::min(argc, 1), argv + argc})();
    cli::flush_output();
    return code;
  });
}

}  // namespace ulpine
