// SPDX-License-Identifier: Apache-2.0
#include "io/child_process.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "io/netcdf_library.hpp"

namespace ulpine::io {
namespace {

/// Puts aside what the copy has of its parent. The socket is then number 3.
void leave_parent(int socket) {
  for (int number = 1; number < NSIG; ++number) {
    auto const spared = number == SIGINT || number == SIGTERM || number == SIGHUP || number == SIGQUIT;
    std::signal(number, spared ? SIG_IGN : SIG_DFL);  // the parent ends it
  }
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  rlimit const no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  prctl(PR_SET_DUMPABLE, 0);
  if (socket != 3) dup2(socket, 3);  // first, for it may have the number of a standard stream
  auto const nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int standard = 0; standard < 3; ++standard) dup2(nowhere, standard);
  closefrom(4);  // locks among them, which must not outlive the parent
}

}  // namespace

ChildProcess::~ChildProcess() {
  if (socket_ >= 0) ::close(socket_);
  end(true);
}

bool ChildProcess::start(std::function<void(int socket)> const& serve) {
  int sockets[2] = {-1, -1};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0) return false;
  socket_ = sockets[0];
  // No other thread is within netCDF or HDF5 when the process is copied. Signals wait until the child has put
  // this program's handlers aside.
  auto lock = lock_netcdf();
  prepare_netcdf();
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  process_ = fork();
  if (process_ == 0) {
    lock.unlock();
    leave_parent(sockets[1]);
    serve(3);
    _exit(0);
  }
  auto const reason = errno;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  ::close(sockets[1]);
  errno = reason;
  return process_ > 0;
}

void ChildProcess::hang_up() {
  if (socket_ >= 0) shutdown(socket_, SHUT_WR);
  end(false);
}

int ChildProcess::end(bool kill) {
  auto const process = std::exchange(process_, -1);
  if (process <= 0) return -1;
  if (kill) ::kill(process, SIGKILL);
  int status = 0;
  pid_t ended = 0;
  while ((ended = waitpid(process, &status, 0)) < 0 && errno == EINTR) {
  }
  return ended > 0 ? status : -1;
}

bool send_all(int socket, void const* data, std::size_t bytes) {
  auto const* next = static_cast<char const*>(data);
  while (bytes > 0) {
    auto const sent = ::send(socket, next, bytes, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    next += sent;
    bytes -= static_cast<std::size_t>(sent);
  }
  return true;
}

bool receive_all(int socket, void* data, std::size_t bytes) {
  auto* next = static_cast<char*>(data);
  while (bytes > 0) {
    auto const got = ::read(socket, next, bytes);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    next += got;
    bytes -= static_cast<std::size_t>(got);
  }
  return true;
}

}  // namespace ulpine::io
