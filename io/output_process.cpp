// SPDX-License-Identifier: Apache-2.0
#include "io/output_process.hpp"

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <exception>
#include <new>
#include <stdexcept>
#include <utility>

#include "io/error.hpp"

// The conversation, all numbers as memory has them. The parent gives orders: a byte, of a time followed by
// its seconds and of each field the bytes and the values, of a new name by its length and the name. The child
// answers when the file is made, when it is closed and when it fails, then once for all: a byte, of failures
// followed by the length of the reason and the reason.

namespace ulpine::io {
namespace {

enum Order : std::uint8_t { write_one, close_file, take_name };
enum Answer : std::uint8_t { well, lacking, refused };

void answer_with(int socket, Answer answer, std::string const& reason) {
  std::uint64_t const size = reason.size();
  if (send_all(socket, &answer, sizeof answer) && send_all(socket, &size, sizeof size)) {
    send_all(socket, reason.data(), reason.size());
  }
}

/// The child's whole life.
void serve(int socket, std::function<OutputFile()> const& make, std::vector<FieldInfo> const& fields) {
  std::signal(SIGXFSZ, SIG_IGN);  // a full quota is an error of the file
  try {
    auto file = make();
    auto answer = well;
    send_all(socket, &answer, sizeof answer);
    std::vector<std::byte> values;
    for (Order order{}; receive_all(socket, &order, sizeof order);) {
      if (order == close_file) {
        file.close();
        send_all(socket, &answer, sizeof answer);
        return;
      }
      if (order == take_name) {
        std::uint64_t size = 0;
        if (!receive_all(socket, &size, sizeof size)) return;
        std::string name(size, '\0');
        if (!receive_all(socket, name.data(), size)) return;
        file.moved_to(name);
        continue;
      }
      double seconds = 0;
      if (!receive_all(socket, &seconds, sizeof seconds)) return;
      file.begin_time(seconds);
      for (auto const& field : fields) {
        std::uint64_t size = 0;
        if (!receive_all(socket, &size, sizeof size)) return;
        values.resize(size);
        if (!receive_all(socket, values.data(), size)) return;
        auto const width = static_cast<std::int64_t>(size) / std::max<std::int64_t>(field.size(), 1);
        file.write(field.name, [&](std::int64_t first, std::int64_t count, void* slab) {
          std::memcpy(slab, values.data() + first * width, static_cast<std::size_t>(count * width));
        });
      }
      file.finish_time();
    }
  } catch (EnvironmentError const& problem) {
    answer_with(socket, lacking, problem.what());
  } catch (std::bad_alloc const&) {
    answer_with(socket, lacking,
                "out of memory (output is written) use fewer --jobs, or a smaller --batch on a GPU");
  } catch (std::exception const& problem) {
    answer_with(socket, refused, problem.what());
  }
}

}  // namespace

std::optional<OutputProcess> OutputProcess::start(std::filesystem::path const& path,
                                                  std::function<OutputFile()> const& make,
                                                  std::vector<FieldInfo> const& fields) {
  OutputProcess output(path);
  if (!output.child_.start([&](int socket) { serve(socket, make, fields); })) return {};
  output.require_answer();
  return output;
}

OutputProcess::~OutputProcess() { child_.hang_up(); }

void OutputProcess::moved_to(std::filesystem::path const& path) {
  auto const order = take_name;
  auto const name = path.string();
  std::uint64_t const size = name.size();
  send(&order, sizeof order);
  send(&size, sizeof size);
  send(name.data(), name.size());
}

void OutputProcess::write_time(double seconds, std::vector<std::vector<std::byte>> const& values) {
  auto const order = write_one;
  send(&order, sizeof order);
  send(&seconds, sizeof seconds);
  for (auto const& field : values) {
    std::uint64_t const size = field.size();
    send(&size, sizeof size);
    send(field.data(), field.size());
  }
}

void OutputProcess::close() {
  auto const order = close_file;
  send(&order, sizeof order);
  require_answer();
}

void OutputProcess::send(void const* data, std::size_t bytes) {
  if (!send_all(child_.socket(), data, bytes)) require_answer();
}

void OutputProcess::require_answer() {
  auto answer = well;
  std::uint64_t size = 0;
  std::string reason;
  auto const told = [&] {
    if (!receive_all(child_.socket(), &answer, sizeof answer)) return false;
    if (answer == well) return true;
    if (!receive_all(child_.socket(), &size, sizeof size)) return false;
    reason.resize(size);
    return receive_all(child_.socket(), reason.data(), size);
  }();
  if (!told) {
    throw EnvironmentError(path_ +
                           ": cannot be written (the process that writes it is gone) see whether there " +
                           "is enough memory");
  }
  if (answer == lacking) throw EnvironmentError(reason);
  if (answer == refused) throw std::runtime_error(reason);
}

}  // namespace ulpine::io
