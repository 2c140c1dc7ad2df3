// SPDX-License-Identifier: Apache-2.0
// Rows of NCCL, loaded at run time where it is installed: sums over ranks by algorithm, protocol and length.
// Multicast by switches (NVLS) stays off: it may put the GPUs of a host out of service.
#include <dlfcn.h>

#include <fstream>
#include <memory>

#include "card.hpp"
#include "children.hpp"

namespace ulpine::atlas {
namespace {

constexpr std::size_t long_count = 1 << 20, short_count = 1000;
constexpr auto repeats = 10;

/// The functions that are used here, as nccl.h declares them; 7 is its number for floats, 0 for sums.
class Library {
 public:
  using Communicator = void*;
  Library() : handle_(dlopen("libnccl.so.2", RTLD_NOW)) {
    if (handle_ == nullptr) throw std::runtime_error("no libnccl.so.2 found");
    find(get_version, "ncclGetVersion");
    find(init_all, "ncclCommInitAll");
    find(all_reduce, "ncclAllReduce");
    find(group_start, "ncclGroupStart");
    find(group_end, "ncclGroupEnd");
    find(destroy, "ncclCommDestroy");
  }
  int (*get_version)(int*) = nullptr;
  int (*init_all)(Communicator*, int, int const*) = nullptr;
  int (*all_reduce)(void const*, void*, std::size_t, int, int, Communicator, cudaStream_t) = nullptr;
  int (*group_start)() = nullptr;
  int (*group_end)() = nullptr;
  int (*destroy)(Communicator) = nullptr;

 private:
  template <class Function>
  void find(Function& function, char const* name) {
    function = reinterpret_cast<Function>(dlsym(handle_, name));
    if (function == nullptr) throw std::runtime_error(std::string("libnccl.so.2 has no ") + name);
  }
  void* handle_;
};

/// What a child process found: sums on rank 0, and whether runs and ranks have the same bits.
struct Sums {
  std::vector<float> of_all, of_few;
  bool same_in_runs = true, same_on_ranks = true;
};

std::vector<float> addends(int rank) {
  return uniform<float>(static_cast<std::int64_t>(long_count), 51 + static_cast<std::uint64_t>(rank));
}

/// The sums of a child process under values of NCCL_ALGO and NCCL_PROTO, empty for NCCL's own choice.
Sums sums_under(int ranks, std::string const& algorithm, std::string const& protocol) {
  std::string environment = "NCCL_NVLS_ENABLE=0";
  if (!algorithm.empty()) environment += " NCCL_ALGO=" + algorithm;
  if (!protocol.empty()) environment += " NCCL_PROTO=" + protocol;
  auto const bytes = child(environment, "--nccl-sums " + std::to_string(ranks));
  auto const same = numbers<char>(bytes, (long_count + short_count) * sizeof(float), 2);
  return {numbers<float>(bytes, 0, long_count),
          numbers<float>(bytes, long_count * sizeof(float), short_count), same[0] != 0, same[1] != 0};
}

void rows_of(Rows& rows, int ranks) {
  auto const block = "all-reduce of 2^20 floats, " + std::to_string(ranks) + " GPUs";
  auto const first = sums_under(ranks, "", "");
  auto const by_flag = [&](bool same) {
    return compare(std::vector<int>{1}, std::vector<int>{same ? 1 : 0});
  };
  rows.add({"NCCL", block, "arrival", "10 runs"}, by_flag(first.same_in_runs));
  rows.add({"NCCL", block, "place", "the sums on each rank"}, by_flag(first.same_on_ranks));
  rows.add(
      {"NCCL", block, "part", "the first 1000 numbers alone"},
      compare(std::vector<float>(first.of_all.begin(), first.of_all.begin() + short_count), first.of_few));
  auto serial = addends(0);
  for (auto rank = 1; rank < ranks; ++rank) {
    auto const more = addends(rank);
    for (std::size_t i = 0; i < long_count; ++i) serial[i] += more[i];
  }
  rows.add({"NCCL", block, "definition", "the sum in the order of ranks against the library"},
           compare(serial, first.of_all));
  rows.measure(block + ", another process", [&] {
    rows.add({"NCCL", block, "handle", "a second process"},
             compare(first.of_all, sums_under(ranks, "", "").of_all));
  });
  for (auto const& [algorithm, protocol] : {std::pair{"Ring", "Simple"},
                                            {"Ring", "LL"},
                                            {"Ring", "LL128"},
                                            {"Tree", "Simple"},
                                            {"Tree", "LL"},
                                            {"Tree", "LL128"}}) {
    auto const words = std::string("NCCL_ALGO=") + algorithm + " NCCL_PROTO=" + protocol;
    rows.measure(block + ", " + words, [&, algorithm = algorithm, protocol = protocol] {
      auto const sums = sums_under(ranks, algorithm, protocol);
      rows.add({"NCCL", block, "algorithm", words + " against NCCL's own choice"},
               compare(first.of_all, sums.of_all));
      rows.add(
          {"NCCL", block + ", " + words, "part", "the first 1000 numbers alone"},
          compare(std::vector<float>(sums.of_all.begin(), sums.of_all.begin() + short_count), sums.of_few));
    });
  }
}

}  // namespace

int nccl_sums(int ranks, char const* path) {
  Library const nccl;
  std::vector<int> devices;
  for (auto rank = 0; rank < ranks; ++rank) devices.push_back(rank);
  std::vector<Library::Communicator> communicators(devices.size());
  check(nccl.init_all(communicators.data(), ranks, devices.data()), "ncclCommInitAll");
  std::vector<OnCard<float>> in, out;
  std::vector<std::unique_ptr<OwnStream>> streams;
  for (auto rank = 0; rank < ranks; ++rank) {
    check(cudaSetDevice(rank), "cudaSetDevice");
    in.emplace_back(addends(rank));
    out.emplace_back(long_count);
    streams.push_back(std::make_unique<OwnStream>());
  }
  auto const sum = [&](std::size_t count) {
    constexpr auto floats = 7, add = 0;
    check(nccl.group_start(), "ncclGroupStart");
    for (std::size_t rank = 0; rank < devices.size(); ++rank) {
      check(nccl.all_reduce(in[rank].data(), out[rank].data(), count, floats, add, communicators[rank],
                            streams[rank]->get()),
            "ncclAllReduce");
    }
    check(nccl.group_end(), "ncclGroupEnd");
    std::vector<std::vector<float>> results;
    for (std::size_t rank = 0; rank < devices.size(); ++rank) {
      check(cudaSetDevice(static_cast<int>(rank)), "cudaSetDevice");
      results.push_back(out[rank].get(0, count));
    }
    return results;
  };
  auto const first = sum(long_count);
  char same[2] = {1, 1};
  for (auto run = 0; run < repeats; ++run)
    same[0] = static_cast<char>(same[0] != 0 && sum(long_count)[0] == first[0]);
  for (auto const& other : first) same[1] = static_cast<char>(same[1] != 0 && other == first[0]);
  auto const few = sum(short_count)[0];
  for (auto const communicator : communicators) nccl.destroy(communicator);
  std::ofstream output(path, std::ios::binary);
  output.write(reinterpret_cast<char const*>(first[0].data()),
               static_cast<std::streamsize>(long_count * sizeof(float)));
  output.write(reinterpret_cast<char const*>(few.data()),
               static_cast<std::streamsize>(short_count * sizeof(float)));
  output.write(same, sizeof same);
  return output ? 0 : 1;
}

void nccl_rows(Rows& rows) {
  auto count = 0;
  check(cudaGetDeviceCount(&count), "cudaGetDeviceCount");
  if (count < 2) return rows.not_measured("NCCL", "one GPU; give the program two or four");
  auto version = 0;
  check(Library().get_version(&version), "ncclGetVersion");
  rows.version("NCCL", std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) + "." +
                           std::to_string(version % 100));
  for (auto const ranks : {2, 4}) {
    if (count < ranks) {
      rows.not_measured("NCCL on " + std::to_string(ranks) + " GPUs", "there are " + std::to_string(count));
      continue;
    }
    rows.measure("NCCL on " + std::to_string(ranks) + " GPUs", [&] { rows_of(rows, ranks); });
  }
}

}  // namespace ulpine::atlas
