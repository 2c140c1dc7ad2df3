// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

/// Several processes (or threads) that compute one run, each a part of its domain.
namespace ulpine {

/// A message to, or from, a rank. Between two ranks messages arrive in the order in which they were given.
struct Outgoing {
  int to = 0;
  void const* data = nullptr;
  std::int64_t bytes = 0;
};
struct Incoming {
  int from = 0;
  void* data = nullptr;
  std::int64_t bytes = 0;
};

/// Another rank has given up, as it says.
class RankFailed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Those who compute together. begin(), end(), exchange(), add(), largest(), broadcast() and first() are
/// called by all ranks in the same order and, but for begin(), return when this rank's part is done; memory
/// is the host's. Where a rank has given up (fail()), they throw RankFailed instead of waiting for it. Used
/// by one thread of each rank at a time.
class Ranks {
 public:
  Ranks() = default;
  Ranks(Ranks const&) = delete;
  Ranks& operator=(Ranks const&) = delete;
  virtual ~Ranks() = default;

  virtual int rank() const = 0;
  virtual int size() const = 0;
  /// Which of the ranks on this machine this is, counted from 0, and how many there are.
  virtual int rank_on_machine() const = 0;
  virtual int ranks_on_machine() const = 0;

  /// Sends and receives at once, also to and from oneself. Messages arrive with the bytes sent.
  void exchange(std::span<Outgoing const> sent, std::span<Incoming const> received) {
    begin(sent, received);
    end();
  }
  /// exchange() in two parts, between which the rank may do anything but use the memory of either or its
  /// ranks: another begin(), say, is a std::logic_error.
  void begin(std::span<Outgoing const> sent, std::span<Incoming const> received) {
    require_closed();
    begin_messages(sent, received);
    open_ = true;
  }
  void end() {
    open_ = false;
    end_messages();
  }
  /// Replaces words by their sums over all ranks, modulo 2^64: integers, so in whatever order.
  virtual void add(std::span<std::uint64_t> words) = 0;
  /// Replaces words by the largest of all ranks.
  virtual void largest(std::span<std::int64_t> words) = 0;
  /// Gives all ranks those of rank 0.
  virtual void broadcast(std::span<std::byte> bytes) = 0;
  /// The first `count` of these, for themselves; called by them alone.
  virtual std::shared_ptr<Ranks> first(int count) = 0;

  /// A message of any length between two ranks, apart from all others; goes through where a rank has failed.
  virtual void tell(int rank, std::span<std::byte const> message) = 0;
  virtual std::vector<std::byte> hear(int rank) = 0;

  /// This rank gives up: what waits for it, now or later, throws RankFailed(why). Who gets that gives up,
  /// too, by the same words.
  virtual void fail(std::string const& why) = 0;
  /// All ranks have given up at the same place, and know it of each other: go on. Rank 0 calls it when all
  /// have, the others when it has.
  virtual void recover() = 0;

  /// Whether some compute on devices and others on the host: then messages go through the host's memory, and
  /// what all have to do alike is done as on devices. All set the same before they compute.
  bool mixed() const { return mixed_; }
  void set_mixed(bool mixed) { mixed_ = mixed; }

 protected:
  virtual void begin_messages(std::span<Outgoing const> sent, std::span<Incoming const> received) = 0;
  /// Ends the messages that were begun last.
  virtual void end_messages() = 0;
  void require_closed() const {
    if (open_)
      throw std::logic_error("ranks have begun to exchange messages and are asked for something else");
  }
  /// Forgets, after a failure, messages that were begun and are not ended.
  void close() { open_ = false; }

 private:
  bool mixed_ = false;
  bool open_ = false;  ///< begun and not ended
};

/// Whether there are more ranks than this one; null stands for one alone.
inline bool several(Ranks const* ranks) { return ranks != nullptr && ranks->size() > 1; }
inline bool several(std::shared_ptr<Ranks> const& ranks) { return several(ranks.get()); }

}  // namespace ulpine
