// SPDX-License-Identifier: Apache-2.0
#include "io/regular_file.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "io/error.hpp"
#include "support/temporary_folder.hpp"

namespace {

using namespace ulpine;
namespace fs = std::filesystem;

TEST(RegularFile, OrMissingIsNotRefused) {
  test::TemporaryFolder folder;
  auto const file = folder.write("file", "");
  EXPECT_NO_THROW(io::require_regular_file(file));
  fs::create_symlink(file, folder / "link");
  EXPECT_NO_THROW(io::require_regular_file(folder / "link"));
  fs::create_symlink("nowhere", folder / "dangling");
  EXPECT_NO_THROW(io::require_regular_file(folder / "dangling")) << "missing";
  EXPECT_NO_THROW(io::require_regular_file(folder / "missing"));
  EXPECT_NO_THROW(io::require_regular_file(file / "below")) << "missing, too";
}

TEST(RegularFile, AllElseIsRefusedByWhatItIs) {
  test::TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  fs::create_symlink(folder / "pipe", folder / "link");
  auto const listener = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  auto const name = (folder / "socket").string();
  ASSERT_LT(name.size(), sizeof address.sun_path);
  std::strcpy(address.sun_path, name.c_str());
  ASSERT_EQ(::bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  ::close(listener);
  for (auto const& [path, kind] : std::vector<std::pair<fs::path, std::string>>{{folder.path(), "a folder"},
                                                                                {folder / "pipe", "a pipe"},
                                                                                {folder / "link", "a pipe"},
                                                                                {name, "a socket"},
                                                                                {"/dev/null", "a device"}}) {
    EXPECT_EQ(test::message_of<InputError>([&] { io::require_regular_file(path); }),
              path.string() + ": cannot be read (it is " + kind + ", no ordinary file) name a file");
  }
}

TEST(RegularFile, OfTheKernelIsRefused) {
  for (fs::path const path : {"/proc/self/status", "/proc/self/environ", "/sys/kernel/uevent_seqnum"}) {
    if (!fs::exists(path)) continue;
    EXPECT_EQ(test::message_of<InputError>([&] { io::require_regular_file(path); }),
              path.string() + ": cannot be read (it is a file of the kernel, no ordinary file) name a file");
  }
}

TEST(RegularFile, ContentIsAllOrRefused) {
  test::TemporaryFolder folder;
  std::string text(3'000'001, ' ');
  for (std::size_t i = 0; i < text.size(); ++i) text[i] = static_cast<char>(i * i % 251);
  auto const file = folder.write("file", text);
  EXPECT_EQ(io::regular_file_content(file), text);
  EXPECT_EQ(io::regular_file_content(file, text.size()), text);
  EXPECT_EQ(io::regular_file_content(folder.write("empty", "")), "");
  auto const refused = test::message_of<InputError>([&] { io::regular_file_content(file, text.size() - 1); });
  EXPECT_NE(refused.find("it has more than 3000000 bytes"), std::string::npos) << refused;
  EXPECT_THROW(io::regular_file_content(folder.path()), InputError);
}

// Of holes alone, so that it costs a stranger nothing.
TEST(RegularFile, LargerThanTheMemoryIsNotRead) {
  test::TemporaryFolder folder;
  auto const file = folder.write("file", "");
  std::error_code failed;
  fs::resize_file(file, std::uintmax_t{1} << 42, failed);
  if (failed) GTEST_SKIP() << failed.message();
  EXPECT_THROW(io::regular_file_content(file), InputError);
}

TEST(RegularFile, WithoutContentIsNothing) {
  test::TemporaryFolder folder;
  EXPECT_FALSE(io::regular_file_content(folder / "missing"));
  EXPECT_EQ(errno, ENOENT);
  fs::create_symlink(folder / "b", folder / "a");
  fs::create_symlink(folder / "a", folder / "b");
  EXPECT_FALSE(io::regular_file_content(folder / "a"));
  EXPECT_EQ(errno, ELOOP);
}

}  // namespace
