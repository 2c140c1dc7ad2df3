// SPDX-License-Identifier: Apache-2.0
#include "core/model/ranked_part.hpp"

#include <array>
#include <exception>
#include <span>
#include <vector>

#include "core/exec/device.hpp"
#include "core/field/gather.hpp"
#include "core/field/hash.hpp"
#include "io/error.hpp"

namespace ulpine::detail {
namespace {

/// How an error of one rank is one of all.
enum class ErrorKind { none, input, environment, other, of_another_rank };

struct RankError {
  ErrorKind kind = ErrorKind::none;
  std::string text;
  friend bool operator==(RankError const&, RankError const&) = default;
};

RankError current_error() {
  try {
    throw;
  } catch (RankFailed const& error) {
    return {ErrorKind::of_another_rank, error.what()};
  } catch (InputError const& error) {
    return {ErrorKind::input, error.what()};
  } catch (EnvironmentError const& error) {
    return {ErrorKind::environment, error.what()};
  } catch (std::exception const& error) {
    return {ErrorKind::other, error.what()};
  }
}

RankError take_error(Packet packet) {
  auto const kind = packet.take<ErrorKind>();
  return {kind, packet.take<std::string>()};
}

/// Whether a model can go on after its ranks failed.
enum class Verdict { alike, broken };

/// Rank 0 compares the errors of all ranks, tells them whether a model can go on, and returns it.
Verdict judge(Ranks& team, RankError const& own, std::string& why) {
  bool alike = own.kind != ErrorKind::of_another_rank;
  if (own.kind != ErrorKind::none && alike) why = "rank 0: " + own.text;
  for (int rank = 1; rank < team.size(); ++rank) {
    auto const error = take_error(Packet(team.hear(rank)));
    alike = alike && error == own;
    if (error.kind == ErrorKind::of_another_rank || error.kind == ErrorKind::none) continue;
    if (why.empty()) why = "rank " + std::to_string(rank) + ": " + error.text;
  }
  auto const verdict = alike ? Verdict::alike : Verdict::broken;
  if (alike) team.recover();
  for (int rank = 1; rank < team.size(); ++rank) team.tell(rank, Packet().put(verdict).bytes());
  return verdict;
}

/// Tells rank 0's observer of what all ranks wrote.
class Relay final : public StageObserver {
 public:
  /// `target` is rank 0's; null elsewhere.
  Relay(Ranks& team, StageObserver* target, bool hashes) : team_{team}, target_{target}, hashes_{hashes} {}

  void stage_done(StagePosition const& position, char const* stage, char const* field,
                  RawField const& values) override {
    auto const count = values.layout.global_count();
    if (hashes_) {
      std::array<std::uint64_t, 256> words{};
      auto const blocks = std::span(words).first(static_cast<std::size_t>(hash_blocks(count)));
      if (counts(&team_, values.layout)) field_hash(values, blocks);
      team_.add(blocks);
      if (target_ != nullptr) target_->stage_hashed(position, stage, field, count, blocks);
      return;
    }
    auto const bytes = target_ == nullptr ? 0 : count * bytes_of(values.type);
    std::vector<std::byte> all(static_cast<std::size_t>(bytes));
    gather_values(&team_, values, 0, count, values.type, all.data());
    if (target_ == nullptr) return;
    std::vector<LayoutAxis> axes;
    std::int64_t stride = count;
    for (int a = 0; a < values.layout.rank(); ++a) {
      auto const extent = values.layout.axis(a).global_extent;
      stride /= extent;
      axes.push_back({extent, stride, extent});
    }
    target_->stage_done(position, stage, field, {all.data(), Layout(axes, 0, count), values.type});
  }

 private:
  Ranks& team_;
  StageObserver* target_;
  bool hashes_;
};

}  // namespace

Packet request_of(int ranks, Request request) {
  Packet packet;
  packet.put(ranks).put(request);
  return packet;
}

void pass_on(Ranks& world, Packet const& request) {
  auto const ranks = Packet(request).take<int>(), rank = world.rank();
  int distance = 1;
  while (rank + distance < ranks && (rank & distance) == 0) distance *= 2;
  // The farthest has the most to pass on.
  while ((distance /= 2) > 0) world.tell(rank + distance, request.bytes());
}

bool all_together(Ranks& team, std::function<void()> const& body) {
  RankError own;
  std::exception_ptr thrown;
  try {
    body();
    std::int64_t done = 0;
    team.largest({&done, 1});
    return true;
  } catch (RankFailed const& failed) {
    own = current_error();
    thrown = std::current_exception();
    team.fail(failed.what());
  } catch (...) {
    own = current_error();
    thrown = std::current_exception();
    team.fail("rank " + std::to_string(team.rank()) + ": " + own.text);
  }
  if (team.rank() != 0) {
    team.tell(0, Packet().put(own.kind).put(own.text).bytes());
    auto const alike = Packet(team.hear(0)).take<Verdict>() == Verdict::alike;
    if (alike) team.recover();
    return alike;
  }
  std::string why;
  if (judge(team, own, why) == Verdict::alike) std::rethrow_exception(thrown);
  throw EnvironmentError("a rank failed (" + (why.empty() ? own.text : why) +
                         ") mend that and go on from the last restart file");
}

Packet& put(Packet& packet, io::StateHeader const& header) {
  packet.put(header.core).put(header.policy).put(header.case_hash).put(header.step).put(header.time);
  packet.put(header.arrays.size());
  for (auto const& array : header.arrays) {
    packet.put(array.name).put(array.type).put(array.shape.size());
    for (auto const extent : array.shape) packet.put(extent);
  }
  return packet;
}

io::StateHeader take_header(Packet& packet) {
  io::StateHeader header;
  header.core = packet.take<std::string>();
  header.policy = packet.take<std::string>();
  header.case_hash = packet.take<std::uint64_t>();
  header.step = packet.take<std::int64_t>();
  header.time = packet.take<double>();
  header.arrays.resize(packet.take<std::size_t>());
  for (auto& array : header.arrays) {
    array.name = packet.take<std::string>();
    array.type = packet.take<ValueType>();
    array.shape.resize(packet.take<std::size_t>());
    for (auto& extent : array.shape) extent = packet.take<std::int64_t>();
  }
  return header;
}

Packet& put(Packet& packet, ModelOptions const& options) {
  packet.put(options.policy).put(options.assembly).put(options.device);
  packet.put(options.threads).put(options.block).put(options.sharers);
  packet.put(options.ranks).put(options.host_ranks);
  packet.put(options.stages.size());
  for (auto const& [stage, policy] : options.stages) packet.put(stage).put(policy);
  return packet;
}

ModelOptions take_options(Packet& packet) {
  ModelOptions options;
  options.policy = packet.take<std::string>();
  options.assembly = packet.take<Assembly>();
  options.device = packet.take<std::string>();
  options.threads = packet.take<int>();
  options.block = packet.take<int>();
  options.sharers = packet.take<int>();
  options.ranks = packet.take<int>();
  options.host_ranks = packet.take<int>();
  options.stages.resize(packet.take<std::size_t>());
  for (auto& [stage, policy] : options.stages) {
    stage = packet.take<std::string>();
    policy = packet.take<std::string>();
  }
  return options;
}

std::string device_of(Ranks const& rank, ModelOptions const& options) {
  auto const ordinal = device_ordinal(options.device);
  if (ordinal >= 0 && rank.rank() >= options.ranks - options.host_ranks) return "cpu";
  auto const gpus = static_cast<int>(devices().size());
  if (ordinal != 0 || gpus == 0) return options.device;
  auto const gpu = rank.rank_on_machine() % gpus;
  return gpu == 0 ? "cuda" : "cuda:" + std::to_string(gpu);
}

void Part::make(io::CaseFile const& case_file, ModelOptions options) {
  options.team = team;
  team->set_mixed(device_ordinal(options.device) >= 0 && options.host_ranks > 0);
  options.device = device_of(*team, options);
  model = make_model(case_file, options);
}

void Part::observe(StageObserver* target, bool on, bool hashes) {
  relay = on ? std::make_unique<Relay>(*team, target, hashes) : nullptr;
  model->observe(relay.get());
}

}  // namespace ulpine::detail
