// SPDX-License-Identifier: Apache-2.0
// The command `ulpine`, and a server of it for the tests: with SERVE as its only word it waits on standard
// input, a Unix socket, and forks for every call, so that the libraries, whose loading takes longer than a
// refusal, are loaded once. Until then it has only been loaded: a call finds what the command finds at its
// start.
#define main ulpine_main
#include "cli/main.cpp"  // NOLINT: the command's own
#undef main

#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace {

constexpr std::string_view serve = "SERVE";
constexpr std::size_t longest = 65536;

/// A folder, the words and standard input, output and errors of a call.
struct Call {
  std::vector<std::string> texts;
  std::array<int, 3> streams{};
};

/// False at the end of the caller.
bool receive(Call& call) {
  std::vector<char> text(longest);
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof call.streams)> rights{};
  iovec piece{text.data(), text.size()};
  msghdr message{};
  message.msg_iov = &piece;
  message.msg_iovlen = 1;
  message.msg_control = rights.data();
  message.msg_controllen = rights.size();
  ssize_t size = -1;
  do {
    size = ::recvmsg(STDIN_FILENO, &message, 0);
  } while (size < 0 && errno == EINTR);
  auto const* const header = CMSG_FIRSTHDR(&message);
  if (size <= 0 || header == nullptr || header->cmsg_len != CMSG_LEN(sizeof call.streams)) return false;
  std::memcpy(call.streams.data(), CMSG_DATA(header), sizeof call.streams);
  call.texts.clear();
  for (std::string_view left{text.data(), static_cast<std::size_t>(size)}; !left.empty();) {
    call.texts.emplace_back(left.substr(0, left.find('\0')));
    left.remove_prefix(call.texts.back().size() + 1);
  }
  return true;
}

[[noreturn]] void run(Call& call) {
  for (int number = 0; number < 3; ++number) {
    ::dup2(call.streams[static_cast<std::size_t>(number)], number);
  }
  for (auto const stream : call.streams) {
    if (stream > STDERR_FILENO) ::close(stream);
  }
  if (::chdir(call.texts.front().c_str()) != 0) std::_Exit(125);
  std::vector<char*> words;
  for (auto word = call.texts.begin() + 1; word != call.texts.end(); ++word) words.push_back(word->data());
  auto const count = static_cast<int>(words.size());
  words.push_back(nullptr);
  std::exit(ulpine_main(count, words.data()));
}

void tell(std::int32_t value) {
  if (::write(STDIN_FILENO, &value, sizeof value) != sizeof value) std::_Exit(1);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2 || argv[1] != serve) return ulpine_main(argc, argv);
  ::unsetenv("LD_BIND_NOW");  // it has looked up the functions of all libraries once for all calls
  Call call;
  while (receive(call)) {
    auto const child = ::fork();
    if (child == 0) run(call);
    for (auto const stream : call.streams) ::close(stream);
    tell(child);
    int status = 0;
    while (child > 0 && ::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    // As Python tells it: a signal is negative.
    tell(WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status));
  }
  return 0;
}
