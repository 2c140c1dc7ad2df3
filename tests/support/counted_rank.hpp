// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/ranks/ranks.hpp"

namespace ulpine::test {

/// A rank that counts what it says to others.
class CountedRank final : public Ranks {
 public:
  explicit CountedRank(std::shared_ptr<Ranks> rank) : rank_{std::move(rank)} {}
  int told = 0, exchanges = 0, sums = 0;
  std::int64_t messages = 0, bytes = 0;  ///< of exchanges

  int rank() const override { return rank_->rank(); }
  int size() const override { return rank_->size(); }
  int rank_on_machine() const override { return rank_->rank_on_machine(); }
  int ranks_on_machine() const override { return rank_->ranks_on_machine(); }
  void add(std::span<std::uint64_t> words) override {
    ++sums;
    rank_->add(words);
  }
  void largest(std::span<std::int64_t> words) override { rank_->largest(words); }
  void broadcast(std::span<std::byte> values) override { rank_->broadcast(values); }
  std::shared_ptr<Ranks> first(int count) override { return rank_->first(count); }
  void tell(int rank, std::span<std::byte const> message) override {
    ++told;
    rank_->tell(rank, message);
  }
  std::vector<std::byte> hear(int rank) override { return rank_->hear(rank); }
  void fail(std::string const& why) override { rank_->fail(why); }
  void recover() override { rank_->recover(); }

 protected:
  void begin_messages(std::span<Outgoing const> sent, std::span<Incoming const> received) override {
    ++exchanges;
    for (auto const& message : sent) ++messages, bytes += message.bytes;
    rank_->begin(sent, received);
  }
  void end_messages() override { rank_->end(); }

 private:
  std::shared_ptr<Ranks> rank_;
};

}  // namespace ulpine::test
