// SPDX-License-Identifier: Apache-2.0
#include "core/stage/batch.hpp"

#include <algorithm>
#include <utility>

namespace ulpine {
namespace {

/// A member's recorded sequence: kept for its batch, or given at once.
class CollectedWork final : public RecordedWork {
 public:
  CollectedWork(Collector& collector, std::shared_ptr<RecordedWork> work)
      : collector_{collector}, work_{std::move(work)} {}

  void launch() override {
    if (collector_.collecting()) {
      collector_.list().add_own([work = work_] { work->launch(); });
    } else {
      collector_.use();
      work_->launch();
    }
  }

 private:
  Collector& collector_;
  std::shared_ptr<RecordedWork> work_;
};

class CollectingRecorder final : public WorkRecorder {
 public:
  CollectingRecorder(Collector& collector, std::unique_ptr<WorkRecorder> own)
      : collector_{collector}, own_{std::move(own)} {}

  Cuda executor() const override { return own_->executor(); }
  void begin() override {
    collector_.begin_recording();
    own_->begin();
  }
  std::unique_ptr<RecordedWork> end() override {
    collector_.end_recording();
    return std::make_unique<CollectedWork>(collector_, own_->end());
  }
  void abandon() noexcept override {
    collector_.end_recording();
    own_->abandon();
  }
  void wait() override {
    collector_.use();
    own_->wait();
  }
  std::function<void(Cuda)> mark(Cuda given) override { return own_->mark(given); }

 private:
  Collector& collector_;
  std::unique_ptr<WorkRecorder> own_;
};

}  // namespace

std::unique_ptr<WorkRecorder> make_collecting_recorder(Collector& collector,
                                                       std::unique_ptr<WorkRecorder> own) {
  return std::make_unique<CollectingRecorder>(collector, std::move(own));
}

Batch::Batch(int ordinal, int block) : stream_{std::make_unique<Stream>(ordinal, block)} {
#if defined(ULPINE_HAS_CUDA)
  shared_ = make_work_recorder(stream_->executor());
#endif
}

Batch::Batch(std::unique_ptr<WorkRecorder> shared) : shared_{std::move(shared)} {}

void Batch::give() {
  round_.open = false;
  std::vector<Given> given;
  for (auto* member : std::exchange(round_.members, {})) given.push_back({member, member->take()});
  std::vector<Given const*> left;
  for (auto const& member : given) {
    if (member.launches.size() > 0) left.push_back(&member);
  }
  while (!left.empty()) {
    auto const others = std::stable_partition(
        left.begin(), left.end(),
        [first = left.front()](Given const* member) { return first->launches.alike(member->launches); });
    give_alike({left.begin(), others});
    left.erase(left.begin(), others);
  }
}

void Batch::give_alike(std::span<Given const* const> members) {
  if (members.size() == 1) {
    members.front()->member->use();
    members.front()->launches.give(members.front()->member->executor());
    return;
  }
  auto const shared = shared_->executor();
  std::vector<LaunchList const*> lists;
  for (auto const* member : members) {
    lists.push_back(&member->launches);
    if (member->member->take_used()) shared_->mark(member->member->executor())(shared);
  }
  for (std::size_t number = 0; number < lists.front()->size(); ++number) {
    if (lists.front()->is_own(number)) {
      give_own(number, members);
    } else {
      LaunchList::give(shared, number, lists);
    }
  }
  auto const done = shared_->mark(shared);
  for (auto const* member : members) member->member->fall_behind(done);
}

void Batch::give_own(std::size_t number, std::span<Given const* const> members) {
  auto const shared = shared_->executor();
  auto const before = shared_->mark(shared);
  std::vector<std::function<void(Cuda)>> done;
  for (auto const* member : members) {
    auto const own = member->member->executor();
    before(own);
    member->launches.give_own(number);
    done.push_back(shared_->mark(own));
  }
  for (auto const& wait : done) wait(shared);
}

}  // namespace ulpine
