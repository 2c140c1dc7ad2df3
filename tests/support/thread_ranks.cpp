// SPDX-License-Identifier: Apache-2.0
#include "support/thread_ranks.hpp"

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <exception>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

namespace ulpine {
namespace {

using Message = std::vector<std::byte>;

/// What the ranks share: their letter boxes.
class Room {
 public:
  explicit Room(int size)
      : size{size},
        boxes_(static_cast<std::size_t>(2 * size * size)),
        failed_(static_cast<std::size_t>(size)) {}
  int const size;

  enum class Box { exchanged, told };
  void put(Box kind, int from, int to, Message message) {
    {
      std::lock_guard const lock(mutex_);
      box(kind, from, to).push_back(std::move(message));
    }
    arrived_.notify_all();
  }
  /// What has arrived is taken even where its sender has failed since.
  Message take(Box kind, int from, int to) {
    std::unique_lock lock(mutex_);
    auto& mine = box(kind, from, to);
    auto const& failed = failed_[static_cast<std::size_t>(from)];
    arrived_.wait(lock, [&] { return !mine.empty() || (failed && kind == Box::exchanged); });
    if (mine.empty()) throw RankFailed(*failed);
    auto message = std::move(mine.front());
    mine.pop_front();
    return message;
  }
  void fail(int rank, std::string const& why) {
    {
      std::lock_guard const lock(mutex_);
      failed_[static_cast<std::size_t>(rank)] = why;
    }
    arrived_.notify_all();
  }
  void recover() {
    std::lock_guard const lock(mutex_);
    for (auto& failed : failed_) failed.reset();
  }
  /// The room that the first `count` ranks enter for the `number`-th time.
  std::shared_ptr<Room> inner(int count, int number) {
    std::lock_guard const lock(mutex_);
    auto& room = inner_[{count, number}];
    if (!room.first) room = {std::make_shared<Room>(count), 0};
    auto const entered = room.first;
    if (++room.second == count) inner_.erase({count, number});
    return entered;
  }

 private:
  std::deque<Message>& box(Box kind, int from, int to) {
    return boxes_[static_cast<std::size_t>((static_cast<int>(kind) * size + from) * size + to)];
  }
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::vector<std::deque<Message>> boxes_;
  std::vector<std::optional<std::string>> failed_;  ///< why, of each rank
  std::map<std::pair<int, int>, std::pair<std::shared_ptr<Room>, int>> inner_;
};

Message copy_of(void const* data, std::size_t bytes) {
  auto const* const first = static_cast<std::byte const*>(data);
  return {first, first + bytes};
}

class ThreadRanks final : public Ranks {
 public:
  ThreadRanks(std::shared_ptr<Room> room, int rank) : room_{std::move(room)}, rank_{rank} {}

  int rank() const override { return rank_; }
  int size() const override { return room_->size; }
  int rank_on_machine() const override { return rank_; }
  int ranks_on_machine() const override { return room_->size; }

  void add(std::span<std::uint64_t> words) override {
    combine(words, [](std::uint64_t a, std::uint64_t b) { return a + b; });
  }
  void largest(std::span<std::int64_t> words) override {
    combine(words, [](std::int64_t a, std::int64_t b) { return std::max(a, b); });
  }
  void broadcast(std::span<std::byte> bytes) override {
    auto const count = static_cast<std::int64_t>(bytes.size());
    std::vector<Outgoing> sent;
    for (int to = 1; rank_ == 0 && to < size(); ++to) sent.push_back({to, bytes.data(), count});
    Incoming const received{0, bytes.data(), count};
    exchange(sent, {&received, rank_ == 0 ? 0u : 1u});
  }
  std::shared_ptr<Ranks> first(int count) override {
    return std::make_shared<ThreadRanks>(room_->inner(count, entered_[count]++), rank_);
  }

  void tell(int rank, std::span<std::byte const> message) override {
    room_->put(Room::Box::told, rank_, rank, copy_of(message.data(), message.size()));
  }
  std::vector<std::byte> hear(int rank) override { return room_->take(Room::Box::told, rank, rank_); }

  void fail(std::string const& why) override {
    close();
    room_->fail(rank_, why);
  }
  // Rank 0's is before the others': none of them goes on, and fails again, before it.
  void recover() override {
    if (rank_ == 0) room_->recover();
  }

 protected:
  void begin_messages(std::span<Outgoing const> sent, std::span<Incoming const> received) override {
    for (auto const& [to, data, bytes] : sent) {
      room_->put(Room::Box::exchanged, rank_, to, copy_of(data, static_cast<std::size_t>(bytes)));
    }
    awaited_.assign(received.begin(), received.end());
  }
  void end_messages() override {
    for (auto const& [from, data, bytes] : awaited_) {
      auto const message = room_->take(Room::Box::exchanged, from, rank_);
      if (message.size() != static_cast<std::size_t>(bytes)) {
        throw std::logic_error("a message has " + std::to_string(message.size()) + " bytes, " +
                               std::to_string(bytes) + " are waited for");
      }
      std::memcpy(data, message.data(), message.size());
    }
  }

 private:
  template <class Word, class Combine>
  void combine(std::span<Word> words, Combine const& combine) {
    auto const ranks = static_cast<std::size_t>(size()), count = words.size();
    auto const bytes = static_cast<std::int64_t>(words.size_bytes());
    std::vector<Word> all(ranks * count);
    std::vector<Outgoing> sent;
    std::vector<Incoming> received;
    for (int other = 0; other < size(); ++other) {
      sent.push_back({other, words.data(), bytes});
      received.push_back({other, all.data() + static_cast<std::size_t>(other) * count, bytes});
    }
    exchange(sent, received);
    std::copy_n(all.begin(), count, words.begin());
    for (std::size_t n = count; n < all.size(); ++n) words[n % count] = combine(words[n % count], all[n]);
  }

  std::shared_ptr<Room> room_;
  int rank_;
  std::vector<Incoming> awaited_;
  std::map<int, int> entered_;
};

}  // namespace

std::vector<std::shared_ptr<Ranks>> thread_ranks(int count) {
  auto const room = std::make_shared<Room>(count);
  std::vector<std::shared_ptr<Ranks>> all;
  for (int rank = 0; rank < count; ++rank) all.push_back(std::make_shared<ThreadRanks>(room, rank));
  return all;
}

void on_thread_ranks(int count, std::function<void(std::shared_ptr<Ranks> const&)> const& body) {
  auto const ranks = thread_ranks(count);
  std::vector<std::exception_ptr> errors(ranks.size());
  auto const run = [&](std::size_t rank) {
    try {
      body(ranks[rank]);
    } catch (std::exception const& error) {
      errors[rank] = std::current_exception();
      ranks[rank]->fail(error.what());
    }
  };
  {
    std::vector<std::jthread> threads;
    for (std::size_t rank = 1; rank < ranks.size(); ++rank) threads.emplace_back(run, rank);
    run(0);
  }
  auto const of_its_own = [](std::exception_ptr const& error) {
    try {
      std::rethrow_exception(error);
    } catch (RankFailed const&) {
      return false;
    } catch (...) {
      return true;
    }
  };
  std::exception_ptr first;
  for (auto const& error : errors) {
    if (error && (!first || (!of_its_own(first) && of_its_own(error)))) first = error;
  }
  if (first) std::rethrow_exception(first);
}

}  // namespace ulpine
