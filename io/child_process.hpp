// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <utility>

namespace ulpine::io {

/// A copy of this process that does one thing and answers through a socket: what netCDF and HDF5 do there
/// neither harms this process nor waits for it. It sees neither the terminal nor this process' files and
/// signals, and may touch nothing of a GPU. Ends with this object.
class ChildProcess {
 public:
  ChildProcess() = default;
  ChildProcess(ChildProcess&& other) noexcept { swap(other); }
  ChildProcess& operator=(ChildProcess&& other) noexcept {
    swap(other);
    return *this;
  }
  ~ChildProcess();

  /// Copies the process while no thread is within netCDF; the copy calls serve(socket), which must not
  /// throw, and ends. False where there can be none: errno says why.
  bool start(std::function<void(int socket)> const& serve);
  int socket() const { return socket_; }
  /// Lets it find the end of the conversation, and waits for what it does then.
  void hang_up();
  /// Waits for its end, which it is made to come to where `kill`; as waitpid() gives it. -1: it cannot be
  /// known.
  int end(bool kill);

 private:
  void swap(ChildProcess& other) {
    std::swap(process_, other.process_);
    std::swap(socket_, other.socket_);
  }
  pid_t process_ = -1;
  int socket_ = -1;
};

/// Sends or receives all; false where the other side is gone. No signal is raised.
bool send_all(int socket, void const* data, std::size_t bytes);
bool receive_all(int socket, void* data, std::size_t bytes);

}  // namespace ulpine::io
