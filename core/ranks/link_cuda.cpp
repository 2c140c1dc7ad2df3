// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <vector>

#include "core/exec/memory.hpp"
#include "core/exec/stream.hpp"
#include "core/ranks/link.hpp"
#include "io/error.hpp"
#include "io/seal.hpp"

#if defined(ULPINE_HAS_CUDA)
#include <cuda_runtime_api.h>
#include <unistd.h>
#endif
#if defined(ULPINE_HAS_NCCL)
#include <dlfcn.h>
#include <nccl.h>
#endif

namespace ulpine {

#if defined(ULPINE_HAS_NCCL)

namespace {

/// NCCL as found when the program runs: a program that never uses several GPUs does not need it.
struct Library {
  decltype(&ncclGetVersion) get_version = nullptr;
  decltype(&ncclGetUniqueId) get_unique_id = nullptr;
  decltype(&ncclCommInitRank) init_rank = nullptr;
  decltype(&ncclCommAbort) abort = nullptr;
  decltype(&ncclGetErrorString) error_string = nullptr;
  decltype(&ncclGroupStart) group_start = nullptr;
  decltype(&ncclGroupEnd) group_end = nullptr;
  decltype(&ncclSend) send = nullptr;
  decltype(&ncclRecv) receive = nullptr;
  decltype(&ncclAllReduce) all_reduce = nullptr;
  bool found = false;
};

Library const& library() {
  static Library const loaded = [] {
    Library all;
    auto* const handle = dlopen("libnccl.so.2", RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) return all;
    all.found = true;
    auto const take = [&]<class Function>(Function& function, char const* name) {
      function = reinterpret_cast<Function>(dlsym(handle, name));
      all.found = all.found && function != nullptr;
    };
    take(all.get_version, "ncclGetVersion");
    take(all.get_unique_id, "ncclGetUniqueId");
    take(all.init_rank, "ncclCommInitRank");
    take(all.abort, "ncclCommAbort");
    take(all.error_string, "ncclGetErrorString");
    take(all.group_start, "ncclGroupStart");
    take(all.group_end, "ncclGroupEnd");
    take(all.send, "ncclSend");
    take(all.receive, "ncclRecv");
    take(all.all_reduce, "ncclAllReduce");
    return all;
  }();
  return loaded;
}

void check(ncclResult_t status, char const* what) {
  if (status == ncclSuccess) return;
  throw EnvironmentError(std::string("NCCL failed in ") + what + " (" + library().error_string(status) +
                         ") see what NCCL_DEBUG=WARN tells");
}

}  // namespace

std::string nccl_version() {
  int version = 0;
  if (!library().found || library().get_version(&version) != ncclSuccess) return {};
  return std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) + "." +
         std::to_string(version % 100);
}

class Link<Cuda>::Nccl {
 public:
  Nccl(Cuda cuda, Ranks& ranks) : cuda_{cuda} {
    DeviceGuard const guard(cuda.ordinal);
    ncclUniqueId id{};
    // Where that fails, what follows does on all ranks.
    if (ranks.rank() == 0) library().get_unique_id(&id);
    ranks.broadcast(std::as_writable_bytes(std::span(&id, 1)));
    check(library().init_rank(&group_, ranks.size(), id, ranks.rank()), "connecting GPUs");
    // Else the first reduction in a step would connect them for some 0.1 s.
    Array<std::uint64_t, Cuda> word(cuda, 1);
    reduce(word.view().data(), 1, ncclUint64, ncclSum);
  }
  Nccl(Nccl const&) = delete;
  Nccl& operator=(Nccl const&) = delete;
  // Not ncclCommDestroy, which waits for the others.
  ~Nccl() { library().abort(group_); }

  void exchange(Cuda where, std::span<Outgoing const> sent, std::span<Incoming const> received) {
    DeviceGuard const guard(cuda_.ordinal);
    check(library().group_start(), "sending");
    for (auto const& [to, data, bytes] : sent) {
      check(library().send(data, static_cast<std::size_t>(bytes), ncclUint8, to, group_, where.stream),
            "sending");
    }
    for (auto const& [from, data, bytes] : received) {
      check(library().receive(data, static_cast<std::size_t>(bytes), ncclUint8, from, group_, where.stream),
            "receiving");
    }
    check(library().group_end(), "sending");
  }
  void reduce(void* words, std::int64_t count, ncclDataType_t type, ncclRedOp_t operation) {
    DeviceGuard const guard(cuda_.ordinal);
    check(library().all_reduce(words, words, static_cast<std::size_t>(count), type, operation, group_,
                               cuda_.stream),
          "reducing");
  }

 private:
  Cuda cuda_;
  ncclComm_t group_ = nullptr;
};

#elif defined(ULPINE_HAS_CUDA)

std::string nccl_version() { return {}; }
class Link<Cuda>::Nccl {};

#else

std::string nccl_version() { return {}; }

#endif

#if defined(ULPINE_HAS_CUDA)

namespace {

/// Whether each rank has a GPU of its own.
bool apart(Cuda cuda, Ranks& ranks) {
  char bus[32] = {}, machine[256] = {};
  check_cuda(cudaDeviceGetPCIBusId(bus, sizeof(bus), cuda.ordinal), "asking for a GPU's place");
  gethostname(machine, sizeof(machine) - 1);
  io::StreamHash hash;
  hash.add(machine);
  hash.add(bus);
  auto const size = static_cast<std::size_t>(ranks.size());
  std::vector<std::uint64_t> places(size, 0);
  places[static_cast<std::size_t>(ranks.rank())] = hash.value();
  ranks.add(places);
  std::ranges::sort(places);
  return std::ranges::adjacent_find(places) == places.end();
}

}  // namespace

Link<Cuda>::Link(Cuda cuda, std::shared_ptr<Ranks> ranks) : cuda_{cuda}, ranks_{std::move(ranks)} {
  if (!several() || ranks_->mixed()) return;
#if defined(ULPINE_HAS_NCCL)
  std::int64_t lacking = library().found ? 0 : 1;
  ranks_->largest({&lacking, 1});
  if (!apart(cuda, *ranks_) || lacking > 0) return;
  nccl_ = std::make_unique<Nccl>(cuda, *ranks_);
  side_ = std::make_unique<SideStream<Cuda>>(cuda);
#endif
}
Link<Cuda>::Link(Link&&) noexcept = default;
Link<Cuda>::~Link() = default;

bool Link<Cuda>::in_stream_order() const { return !several() || nccl_ != nullptr; }

void Link<Cuda>::exchange(std::span<Outgoing const> sent, std::span<Incoming const> received) {
#if defined(ULPINE_HAS_NCCL)
  if (nccl_) return nccl_->exchange(cuda_, sent, received);
#endif
  std::vector<std::vector<std::byte>> copies;
  std::vector<Outgoing> out;
  std::vector<Incoming> in;
  for (auto const& [to, data, bytes] : sent) {
    auto& copy = copies.emplace_back(static_cast<std::size_t>(bytes));
    detail::to_host(cuda_, copy.data(), data, bytes);
    out.push_back({to, copy.data(), bytes});
  }
  for (auto const& [from, data, bytes] : received) {
    in.push_back({from, copies.emplace_back(static_cast<std::size_t>(bytes)).data(), bytes});
  }
  ranks_->exchange(out, in);
  for (std::size_t n = 0; n < received.size(); ++n) {
    detail::to_executor(cuda_, received[n].data, in[n].data, in[n].bytes);
  }
}

void Link<Cuda>::begin([[maybe_unused]] std::span<Outgoing const> sent,
                       [[maybe_unused]] std::span<Incoming const> received) {
#if defined(ULPINE_HAS_NCCL)
  if (nccl_) return nccl_->exchange(side_->executor(), sent, received);
#endif
  throw std::logic_error("messages are given to a stream, and do not go in the order of one");
}

void Link<Cuda>::add(std::uint64_t* words, std::int64_t count) {
#if defined(ULPINE_HAS_NCCL)
  if (nccl_) return nccl_->reduce(words, count, ncclUint64, ncclSum);
#endif
  std::vector<std::uint64_t> copy(static_cast<std::size_t>(count));
  auto const bytes = count * static_cast<std::int64_t>(sizeof(std::uint64_t));
  detail::to_host(cuda_, copy.data(), words, bytes);
  ranks_->add(copy);
  detail::to_executor(cuda_, words, copy.data(), bytes);
}

void Link<Cuda>::largest(std::int64_t* words, std::int64_t count) {
#if defined(ULPINE_HAS_NCCL)
  if (nccl_) return nccl_->reduce(words, count, ncclInt64, ncclMax);
#endif
  std::vector<std::int64_t> copy(static_cast<std::size_t>(count));
  auto const bytes = count * static_cast<std::int64_t>(sizeof(std::int64_t));
  detail::to_host(cuda_, copy.data(), words, bytes);
  ranks_->largest(copy);
  detail::to_executor(cuda_, words, copy.data(), bytes);
}

#endif

}  // namespace ulpine
