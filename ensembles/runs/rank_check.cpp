// SPDX-License-Identifier: Apache-2.0
#include "ensembles/runs/rank_check.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/model/model.hpp"
#include "core/ranks/ranks.hpp"
#include "core/ranks/too_many_ranks.hpp"
#include "io/error.hpp"

namespace ulpine::ensembles {
namespace {

/// The first of ranks of which no other is there: each message gives up.
class LoneRank final : public Ranks {
 public:
  explicit LoneRank(int size) : size_{size} {}
  int rank() const override { return 0; }
  int size() const override { return size_; }
  int rank_on_machine() const override { return 0; }
  int ranks_on_machine() const override { return size_; }
  void add(std::span<std::uint64_t>) override { give_up(); }
  void largest(std::span<std::int64_t>) override { give_up(); }
  void broadcast(std::span<std::byte>) override {}
  std::shared_ptr<Ranks> first(int) override { give_up(); }
  void tell(int, std::span<std::byte const>) override {}
  std::vector<std::byte> hear(int) override { give_up(); }
  void fail(std::string const&) override {}
  void recover() override {}

 protected:
  void begin_messages(std::span<Outgoing const>, std::span<Incoming const>) override { give_up(); }
  void end_messages() override { give_up(); }

 private:
  [[noreturn]] static void give_up() { throw RankFailed("there are no others"); }
  int size_;
};

}  // namespace

void require_enough_for_ranks(CaseSource const& source, int ranks) {
  ModelOptions options;
  options.ranks = ranks;
  options.team = std::make_shared<LoneRank>(ranks);
  try {
    make_model(source.load(), options);
  } catch (TooManyRanks const&) {
    throw;
  } catch (InputError const&) {
  } catch (EnvironmentError const&) {
  } catch (RankFailed const&) {
  }
}

}  // namespace ulpine::ensembles
