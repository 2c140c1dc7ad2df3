// SPDX-License-Identifier: Apache-2.0
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <string_view>

#include "io/error.hpp"
#include "probe/source/run.hpp"
#include "ulpine.h"

// The functions of ulpine.h: nothing is thrown into the program, and nothing of its own is changed.

// Of the compiler's library, where exceptions are thrown by it: the description of the function at an
// address.
extern "C" void const* _Unwind_Find_FDE(void* address, void* bases);

#define ULPINE_PROBE_EXPORT extern "C" __attribute__((visibility("default")))

ULPINE_PROBE_EXPORT int ulpine_active;
int ulpine_active = 0;

namespace ulpine::probe {
namespace {

/// Never destroyed: the program may call to its very end.
Run* the_run = nullptr;

bool is_active() { return __atomic_load_n(&ulpine_active, __ATOMIC_ACQUIRE) != 0; }
/// Whether it was active before.
bool deactivate() { return __atomic_exchange_n(&ulpine_active, 0, __ATOMIC_ACQ_REL) != 0; }

/// Says one line on the standard error.
void tell(std::string const& line) {
  auto const text = "ulpine: " + one_line(line) + "\n";
  std::size_t done = 0;
  while (done < text.size()) {
    auto const n = ::write(STDERR_FILENO, text.data() + done, text.size() - done);
    if (n < 0 && errno != EINTR) return;
    if (n > 0) done += static_cast<std::size_t>(n);
  }
}

/// Ends what an error has made useless, and says so.
void give_up(char const* problem) noexcept {
  if (!deactivate()) return;
  try {
    tell(the_run->where() + problem + "; the probe is silent from here on");
  } catch (std::exception const&) {
    tell("out of memory; the probe is silent from here on");
  }
  the_run->abandon();
}

/// The program's errno and floating-point environment come back when it ends.
class Kept {
 public:
  Kept() = default;
  Kept(Kept const&) = delete;
  Kept& operator=(Kept const&) = delete;
  ~Kept() { errno = error_; }

 private:
  int error_ = errno;
  PlainArithmetic arithmetic_;
};

/// Calls f(run) where anything is asked for.
template <class F>
void call(F&& f) noexcept {
  if (!is_active()) [[likely]]
    return;
  Kept const kept;
  try {
    f(*the_run);
  } catch (std::bad_alloc const&) {
    give_up("out of memory (the probe needs some beside the model's) trace fewer fields by `only`");
  } catch (std::exception const& error) {
    give_up(error.what());
  }
}

/// A name without the blanks at its end. UseError where it is none.
std::string_view name_of(char const* function, char const* name, std::size_t length) {
  std::string_view text{name == nullptr ? "" : name, name == nullptr ? 0 : length};
  text.remove_suffix(text.size() - (text.find_last_not_of(' ') + 1));
  auto const is_control = [](char letter) {
    return static_cast<unsigned char>(letter) < ' ' || letter == '\x7f';
  };
  constexpr std::size_t longest = 255;
  if (text.empty() || text.size() > longest || std::any_of(text.begin(), text.end(), is_control)) {
    throw UseError(std::string{function} + ": '" + std::string{text.substr(0, longest)} +
                   "' is no name (it has 1 to 255 letters, no control characters) mend it");
  }
  return text;
}

std::size_t length_of(char const* name) { return name == nullptr ? 0 : std::strlen(name); }

Part part_of_call(std::string_view name, ulpine_array const* array) {
  if (array == nullptr) {
    throw UseError("field '" + std::string{name} +
                   "': array is null (a field is told with its array) give its address");
  }
  return part_of(name.data(), name.size(), *array);
}

void field(char const* function, char const* name, std::size_t length, ulpine_array const* array,
           bool state) {
  call([&](Run& run) {
    auto const text = name_of(function, name, length);
    run.field(text, part_of_call(text, array), state);
  });
}

void end() {
  if (!deactivate()) return;
  Kept const kept;
  try {
    the_run->close();
  } catch (std::exception const& error) {
    tell(the_run->where() + error.what());
  }
}

/// Whether exceptions are caught in this program. The unwinder finds no tables in one that is linked with
/// -static, where the linker makes none.
bool can_catch() {
  struct {
    void *text, *data, *function;
  } bases = {};
  return _Unwind_Find_FDE(reinterpret_cast<void*>(&can_catch), &bases) != nullptr;
}

/// When the program starts, so that what an earlier run has left does not lie there until the first step.
[[gnu::constructor]] void start() {
  Kept const kept;
  if (!can_catch()) {
    if (std::getenv("ULPINE") != nullptr || std::getenv("ULPINE_TRACE") != nullptr) {
      tell(
          "this program is linked with -static and has no table of its functions (the probe needs it) link "
          "it with "
          "-Wl,--eh-frame-hdr too; the probe is silent");
    }
    return;
  }
  try {
    auto const variable = [](char const* name) -> char const* { return std::getenv(name); };
    auto settings = read_settings(environ);
    if (!settings) return;
    the_run = new Run(std::move(*settings), launch_of(variable), tell);
    // A child that fork() has made goes on without the probe: there is one writer of a file.
    pthread_atfork(nullptr, nullptr, [] { deactivate(); });
    __atomic_store_n(&ulpine_active, 1, __ATOMIC_RELEASE);
  } catch (std::exception const& error) {
    tell(std::string{error.what()} + "; the probe is silent");
  }
}

[[gnu::destructor]] void finish() { end(); }

}  // namespace
}  // namespace ulpine::probe

using namespace ulpine::probe;

ULPINE_PROBE_EXPORT void ulpine_step(std::int64_t n) {
  call([n](Run& run) { run.step(n); });
}
ULPINE_PROBE_EXPORT void ulpine_rank(int rank, int ranks) {
  call([=](Run& run) { run.rank(rank, ranks); });
}
ULPINE_PROBE_EXPORT void ulpine_enter_n(char const* loop, std::size_t length, std::int64_t i) {
  call([=](Run& run) { run.enter(name_of("ulpine_enter", loop, length), i); });
}
ULPINE_PROBE_EXPORT void ulpine_leave(void) {
  call([](Run& run) { run.leave(); });
}
ULPINE_PROBE_EXPORT void ulpine_stage_n(char const* name, std::size_t length) {
  call([=](Run& run) { run.stage(name_of("ulpine_stage", name, length)); });
}
ULPINE_PROBE_EXPORT void ulpine_field_n(char const* name, std::size_t length, ulpine_array const* array) {
  field("ulpine_field", name, length, array, false);
}
ULPINE_PROBE_EXPORT void ulpine_state_n(char const* name, std::size_t length, ulpine_array const* array) {
  field("ulpine_state", name, length, array, true);
}
ULPINE_PROBE_EXPORT void ulpine_unset_n(char const* name, std::size_t length, ulpine_array const* array) {
  call([=](Run& run) {
    auto const text = name_of("ulpine_unset", name, length);
    run.unset(text, part_of_call(text, array));
  });
}
ULPINE_PROBE_EXPORT void ulpine_watch_n(char const* name, std::size_t length, ulpine_array const* array) {
  call([=](Run& run) {
    auto const text = name_of("ulpine_watch", name, length);
    run.watch(text, part_of_call(text, array));
  });
}
ULPINE_PROBE_EXPORT void ulpine_unwatch_n(char const* name, std::size_t length) {
  call([=](Run& run) { run.unwatch(name_of("ulpine_unwatch", name, length)); });
}
ULPINE_PROBE_EXPORT void ulpine_unit_n(char const* name, std::size_t length, char const* unit,
                                       std::size_t unit_length) {
  call([=](Run& run) {
    run.unit(name_of("ulpine_unit", name, length), name_of("ulpine_unit", unit, unit_length));
  });
}
ULPINE_PROBE_EXPORT void ulpine_time(double seconds) {
  call([seconds](Run& run) { run.time(seconds); });
}
ULPINE_PROBE_EXPORT void ulpine_refuse(char const* text, std::size_t length) {
  call([=](Run&) { throw UseError(std::string{text == nullptr ? "" : text, text == nullptr ? 0 : length}); });
}
ULPINE_PROBE_EXPORT void ulpine_close(void) { end(); }

ULPINE_PROBE_EXPORT void ulpine_enter(char const* loop, std::int64_t i) {
  if (is_active()) ulpine_enter_n(loop, length_of(loop), i);
}
ULPINE_PROBE_EXPORT void ulpine_stage(char const* name) {
  if (is_active()) ulpine_stage_n(name, length_of(name));
}
ULPINE_PROBE_EXPORT void ulpine_field(char const* name, ulpine_array const* array) {
  if (is_active()) ulpine_field_n(name, length_of(name), array);
}
ULPINE_PROBE_EXPORT void ulpine_state(char const* name, ulpine_array const* array) {
  if (is_active()) ulpine_state_n(name, length_of(name), array);
}
ULPINE_PROBE_EXPORT void ulpine_unset(char const* name, ulpine_array const* array) {
  if (is_active()) ulpine_unset_n(name, length_of(name), array);
}
ULPINE_PROBE_EXPORT void ulpine_watch(char const* name, ulpine_array const* array) {
  if (is_active()) ulpine_watch_n(name, length_of(name), array);
}
ULPINE_PROBE_EXPORT void ulpine_unwatch(char const* name) {
  if (is_active()) ulpine_unwatch_n(name, length_of(name));
}
ULPINE_PROBE_EXPORT void ulpine_unit(char const* name, char const* unit) {
  if (is_active()) ulpine_unit_n(name, length_of(name), unit, length_of(unit));
}
