// SPDX-License-Identifier: Apache-2.0
#include "core/ranks/mpi_ranks.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "io/error.hpp"

#if defined(ULPINE_HAS_MPI)
#include <mpi.h>
#endif

namespace ulpine {

bool started_by_mpi() {
  return std::ranges::any_of(std::initializer_list<char const*>{"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"},
                             [](char const* name) { return std::getenv(name) != nullptr; });
}

#if defined(ULPINE_HAS_MPI)

namespace {

/// Apart from each other, as their order is.
enum Tag : int { exchanged = 1, told, failed };

constexpr std::int64_t most_bytes = std::int64_t{1} << 30;  // of a message; MPI counts in int

void check(int status, char const* what) {
  if (status == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = {};
  int length = 0;
  MPI_Error_string(status, text, &length);
  throw EnvironmentError(std::string("MPI failed in ") + what + " (" + text +
                         ") check the launcher and the network");
}

/// Waits without taking a processor from ranks that have work, and, once that takes long, from anybody.
class Patience {
 public:
  void wait() {
    if (++tries_ < spins) return;
    if (tries_ < yields) return std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }

 private:
  static constexpr int spins = 1000, yields = 20000;
  int tries_ = 0;
};

/// Rank of a process among all processes of the program on its machine.
struct PlaceOnMachine {
  int rank = 0, ranks = 1;
};

PlaceOnMachine place_on_machine(MPI_Comm all) {
  int rank = 0;
  MPI_Comm_rank(all, &rank);
  MPI_Comm machine = MPI_COMM_NULL;
  check(MPI_Comm_split_type(all, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &machine),
        "looking for neighbours");
  PlaceOnMachine place;
  MPI_Comm_rank(machine, &place.rank);
  MPI_Comm_size(machine, &place.ranks);
  MPI_Comm_free(&machine);
  return place;
}

class MpiRanks final : public Ranks {
 public:
  /// Owns `group`. The place is that among all of the program: no two groups are to take the same GPU.
  MpiRanks(MPI_Comm group, PlaceOnMachine place) : group_{group}, place_{place} {
    check(MPI_Comm_set_errhandler(group_, MPI_ERRORS_RETURN), "setting up");
    MPI_Comm_rank(group_, &rank_);
    MPI_Comm_size(group_, &size_);
  }
  ~MpiRanks() override {
    for (auto& [request, why] : notices_) MPI_Request_free(&request);
    MPI_Comm_free(&group_);
  }

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  int rank_on_machine() const override { return place_.rank; }
  int ranks_on_machine() const override { return place_.ranks; }
  MPI_Comm communicator() const { return group_; }

  void add(std::span<std::uint64_t> words) override {
    require_closed();
    requests_.resize(1);
    check(MPI_Iallreduce(MPI_IN_PLACE, words.data(), static_cast<int>(words.size()), MPI_UINT64_T, MPI_SUM,
                         group_, requests_.data()),
          "adding");
    wait();
  }
  void largest(std::span<std::int64_t> words) override {
    require_closed();
    requests_.resize(1);
    check(MPI_Iallreduce(MPI_IN_PLACE, words.data(), static_cast<int>(words.size()), MPI_INT64_T, MPI_MAX,
                         group_, requests_.data()),
          "comparing");
    wait();
  }
  void broadcast(std::span<std::byte> bytes) override {
    require_closed();
    in_pieces(static_cast<std::int64_t>(bytes.size()), [&](std::int64_t first, int count) {
      requests_.resize(1);
      check(MPI_Ibcast(bytes.data() + first, count, MPI_BYTE, 0, group_, requests_.data()), "telling all");
      wait();
    });
  }
  std::shared_ptr<Ranks> first(int count) override {
    MPI_Group all = MPI_GROUP_NULL, some = MPI_GROUP_NULL;
    int range[1][3] = {{0, count - 1, 1}};
    MPI_Comm_group(group_, &all);
    MPI_Group_range_incl(all, 1, range, &some);
    MPI_Comm group = MPI_COMM_NULL;
    auto const status = MPI_Comm_create_group(group_, some, exchanged, &group);
    MPI_Group_free(&some);
    MPI_Group_free(&all);
    check(status, "gathering ranks");
    return std::make_shared<MpiRanks>(group, place_);
  }

  void tell(int rank, std::span<std::byte const> message) override {
    check(MPI_Send(message.data(), static_cast<int>(message.size()), MPI_BYTE, rank, told, group_),
          "telling");
  }
  std::vector<std::byte> hear(int rank) override {
    MPI_Status status;
    Patience patience;
    for (int arrived = 0; arrived == 0; patience.wait()) {
      check(MPI_Iprobe(rank, told, group_, &arrived, &status), "listening");
    }
    int bytes = 0;
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    std::vector<std::byte> message(static_cast<std::size_t>(bytes));
    check(MPI_Recv(message.data(), bytes, MPI_BYTE, rank, told, group_, MPI_STATUS_IGNORE), "listening");
    return message;
  }

  void fail(std::string const& why) override {
    forget_messages();
    for (int other = 0; other < size_; ++other) {
      if (other == rank_) continue;
      auto& [request, text] = notices_.emplace_back(MPI_REQUEST_NULL, why);
      MPI_Isend(text.data(), static_cast<int>(text.size()), MPI_BYTE, other, failed, group_, &request);
    }
  }
  void recover() override {
    for (int other = 0; other < size_; ++other) {
      if (other != rank_) notice(other);
    }
    for (auto& [request, text] : notices_) MPI_Wait(&request, MPI_STATUS_IGNORE);
    notices_.clear();
  }

 protected:
  void begin_messages(std::span<Outgoing const> sent, std::span<Incoming const> received) override {
    requests_.clear();
    for (auto const& [from, data, bytes] : received) {
      in_pieces(bytes, [&](std::int64_t first, int count) {
        check(MPI_Irecv(static_cast<std::byte*>(data) + first, count, MPI_BYTE, from, exchanged, group_,
                        &requests_.emplace_back()),
              "receiving");
      });
    }
    receiving_ = requests_.size();
    for (auto const& [to, data, bytes] : sent) {
      in_pieces(bytes, [&](std::int64_t first, int count) {
        check(MPI_Isend(static_cast<std::byte const*>(data) + first, count, MPI_BYTE, to, exchanged, group_,
                        &requests_.emplace_back()),
              "sending");
      });
    }
  }
  void end_messages() override {
    wait();
    receiving_ = 0;
  }

 private:
  template <class Body>
  static void in_pieces(std::int64_t bytes, Body const& body) {
    for (std::int64_t first = 0; first == 0 || first < bytes; first += most_bytes) {
      body(first, static_cast<int>(std::min(most_bytes, bytes - first)));
    }
  }
  /// For requests_, unless a rank has failed; what others sent before they did may still arrive a while
  /// later.
  void wait() {
    constexpr auto grace = std::chrono::seconds(2);
    std::chrono::steady_clock::time_point noticed{};
    int failing = MPI_ANY_SOURCE;
    Patience patience;
    for (int tries = 0;; ++tries) {
      int done = 0;
      check(MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &done, MPI_STATUSES_IGNORE),
            "waiting");
      if (done != 0) return;
      patience.wait();
      if (tries % 256 != 255) continue;
      auto const now = std::chrono::steady_clock::now();
      if (failing == MPI_ANY_SOURCE) {
        int told_so = 0;
        MPI_Status status;
        MPI_Iprobe(MPI_ANY_SOURCE, failed, group_, &told_so, &status);
        if (told_so == 0) continue;
        failing = status.MPI_SOURCE;
        noticed = now;
      } else if (now - noticed > grace) {
        throw RankFailed(notice(failing));
      }
    }
  }
  /// Nothing is written any more to memory that may go now.
  void forget_messages() {
    for (std::size_t n = 0; n < receiving_; ++n) {
      if (requests_[n] == MPI_REQUEST_NULL) continue;
      MPI_Cancel(&requests_[n]);
      MPI_Request_free(&requests_[n]);
    }
    receiving_ = 0;
    close();
  }
  std::string notice(int rank) {
    MPI_Status status;
    MPI_Probe(rank, failed, group_, &status);
    int bytes = 0;
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    std::string why(static_cast<std::size_t>(bytes), ' ');
    MPI_Recv(why.data(), bytes, MPI_BYTE, rank, failed, group_, MPI_STATUS_IGNORE);
    return why;
  }

  MPI_Comm group_;
  PlaceOnMachine place_;
  int rank_ = 0, size_ = 1;
  std::vector<MPI_Request> requests_;
  std::size_t receiving_ = 0;  ///< of them that an exchange has begun to receive by, which come first
  std::vector<std::pair<MPI_Request, std::string>> notices_;
};

std::vector<void (*)()>& libraries_to_end() {
  static std::vector<void (*)()> ends;
  return ends;
}

}  // namespace

std::optional<int> mpi_communicator(Ranks const& ranks) {
  auto const* const processes = dynamic_cast<MpiRanks const*>(&ranks);
  if (processes == nullptr) return {};
  return static_cast<int>(MPI_Comm_c2f(processes->communicator()));
}

void before_mpi_ends(void (*end)()) { libraries_to_end().push_back(end); }

std::string mpi_version() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = {};
  int length = 0;
  MPI_Get_library_version(text, &length);
  std::string const all(text, static_cast<std::size_t>(length));
  return all.substr(0, all.find(','));
}

MpiSession::MpiSession() {
  if (!started_by_mpi()) return;
  int provided = 0;
  // Runs on several ranks call it one at a time, but PETSc may solve for one on a rank alone beside them.
  check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided), "starting");
  if (provided < MPI_THREAD_SERIALIZED) {
    throw EnvironmentError(
        "this MPI serves one thread alone (runs call it from several, one at a time) use one with "
        "MPI_THREAD_SERIALIZED");
  }
  MPI_Comm all = MPI_COMM_NULL;
  check(MPI_Comm_dup(MPI_COMM_WORLD, &all), "starting");
  world_ = std::make_shared<MpiRanks>(all, place_on_machine(all));
}

std::shared_ptr<Ranks> MpiSession::group(int size) const {
  auto const rank = world_->rank();
  MPI_Comm group = MPI_COMM_NULL;
  check(MPI_Comm_split(MPI_COMM_WORLD, rank / size, rank, &group), "forming groups");
  return std::make_shared<MpiRanks>(group,
                                    PlaceOnMachine{world_->rank_on_machine(), world_->ranks_on_machine()});
}

MpiSession::~MpiSession() {
  if (!world_) return;
  for (auto* const end : libraries_to_end()) end();
  world_.reset();
  MPI_Finalize();
}

#else

std::string mpi_version() { return {}; }

std::optional<int> mpi_communicator(Ranks const&) { return {}; }

void before_mpi_ends(void (*)()) {}

MpiSession::MpiSession() {
  if (!started_by_mpi()) return;
  throw EnvironmentError(
      "mpirun started a program without MPI (this build has none) install libopenmpi-dev and build it again, "
      "or run it without mpirun");
}

std::shared_ptr<Ranks> MpiSession::group(int) const { return world_; }

MpiSession::~MpiSession() = default;

#endif

}  // namespace ulpine
