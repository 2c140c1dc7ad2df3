// SPDX-License-Identifier: Apache-2.0
#include "probe/source/seconds.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>
#include <fstream>
#include <mutex>
#include <vector>

#include "io/error.hpp"

namespace ulpine::probe {
namespace {

constexpr std::string_view head = "stage,calls,seconds,least,most,share\n";

std::int64_t monotonic() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// With a point whatever the model's locale.
std::string decimal(double value, int digits) {
  std::array<char, 64> text;
  return {text.data(),
          std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed, digits).ptr};
}
std::string seconds_text(std::int64_t nanoseconds) {
  return decimal(static_cast<double>(nanoseconds) * 1e-9, 9);
}

/// In quotes where CSV needs them.
std::string csv_text(std::string const& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (char const letter : text) quoted.append(letter == '"' ? 2 : 1, letter);
  return quoted + "\"";
}

}  // namespace

struct Seconds::State {
  struct Row {
    std::string stage;
    std::int64_t calls = 0, total = 0, least = 0, most = 0;
    void add(std::int64_t time) {
      total += time;
      least = calls == 0 ? time : std::min(least, time);
      most = std::max(most, time);
      ++calls;
    }
  };

  Clock clock;
  mutable std::mutex mutex;  ///< guards what is below
  std::vector<Row> rows;
  Row rest{"(no stage)"}, probe{"(probe)"};
  std::int64_t mark = 0;    ///< when the last stage ended
  std::int64_t within = 0;  ///< threads that are in a call
  std::int64_t begun = 0;   ///< when the first of these began
  std::int64_t own = 0;     ///< spent in calls since `mark`, before `begun`

  /// The model's own time up to the begin of this call.
  std::int64_t take() {
    auto const time = std::max<std::int64_t>(begun - mark - own, 0);
    mark = begun;
    own = 0;
    return time;
  }
};

Seconds::Seconds(Clock clock) : state_{std::make_unique<State>()} {
  state_->clock = clock == nullptr ? monotonic : clock;
  state_->mark = state_->clock();
}

Seconds::~Seconds() = default;

void Seconds::enter() {
  std::lock_guard const lock{state_->mutex};
  if (state_->within++ == 0) state_->begun = state_->clock();
}

void Seconds::leave() {
  std::lock_guard const lock{state_->mutex};
  if (--state_->within > 0) return;
  auto const spent = state_->clock() - state_->begun;
  state_->own += spent;
  state_->probe.add(spent);
}

void Seconds::stage(std::string_view name) {
  std::lock_guard const lock{state_->mutex};
  auto& rows = state_->rows;
  auto row = std::ranges::find_if(rows, [name](auto const& one) { return one.stage == name; });
  if (row == rows.end()) row = rows.insert(rows.end(), State::Row{std::string{name}});
  row->add(state_->take());
}

void Seconds::rest() {
  std::lock_guard const lock{state_->mutex};
  state_->rest.add(state_->take());
}

std::string Seconds::table() const {
  std::lock_guard const lock{state_->mutex};
  auto rows = state_->rows;
  if (state_->rest.calls > 0) rows.push_back(state_->rest);
  if (state_->probe.calls > 0) rows.push_back(state_->probe);
  std::int64_t all = 0;
  for (auto const& row : rows) all += row.total;
  std::string text{head};
  for (auto const& row : rows) {
    text += csv_text(row.stage) + "," + std::to_string(row.calls) + "," + seconds_text(row.total) + "," +
            seconds_text(row.least) + "," + seconds_text(row.most) + "," +
            decimal(all == 0 ? 0 : static_cast<double>(row.total) / static_cast<double>(all), 4) + "\n";
  }
  return text;
}

void Seconds::write(std::string const& path) const {
  auto const fail = [&path](std::string const& why) {
    return EnvironmentError(path + ": seconds cannot be written (" + why +
                            ") check the folder, its permissions and the free space");
  };
  std::string start(head.size(), '\0');
  if (std::ifstream there{path, std::ios::binary}; there) {
    there.read(start.data(), static_cast<std::streamsize>(start.size()));
    if (there.gcount() > 0 && start != head) throw fail("another file is there, which stays as it is");
  }
  errno = 0;
  std::ofstream stream{path, std::ios::binary | std::ios::trunc};
  stream << table() << std::flush;
  if (!stream) throw fail(std::strerror(errno == 0 ? EIO : errno));
}

}  // namespace ulpine::probe
