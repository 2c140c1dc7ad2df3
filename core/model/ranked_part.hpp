// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "core/model/model.hpp"
#include "core/model/packet.hpp"
#include "core/ranks/ranks.hpp"

/// What rank 0 and those who serve it (ranked_model.hpp) have in common: requests and their arguments as
/// bytes, what all do at the same time, and a rank's part of a model.
namespace ulpine::detail {

/// The requests of rank 0 to the other ranks.
enum class Request {
  make,
  drop,
  step,
  read,
  open_state,
  read_state,
  close_state,
  restore,
  perturb,
  integrals,
  hash,
  invalid_value,
  memory,
  observe,
  plant,
  command,
  leave
};

/// The head of a request of rank 0 to the first `ranks`, as all of its requests begin.
Packet request_of(int ranks, Request request);
/// Passes a request of rank 0 on, along a binomial tree: rank r has it from r with its lowest bit cleared.
void pass_on(Ranks& world, Packet const& request);

/// Does what all ranks of the team do at the same time. Rank 0 throws what went wrong; others return whether
/// they can go on.
bool all_together(Ranks& team, std::function<void()> const& body);

/// A state that rank 0 has, as `source` (null elsewhere), and all read together.
class SharedState final : public io::StateReader {
 public:
  SharedState(Ranks& team, io::StateHeader header, io::StateReader const* source)
      : team_{team}, header_{std::move(header)}, source_{source} {}
  io::StateHeader const& header() const override { return header_; }
  void read(std::size_t array, std::int64_t first, std::int64_t count, std::byte* values) const override {
    if (source_ != nullptr) source_->read(array, first, count, values);
    auto const bytes = count * bytes_of(header_.arrays.at(array).type);
    team_.broadcast({values, static_cast<std::size_t>(bytes)});
  }

 private:
  Ranks& team_;
  io::StateHeader header_;
  io::StateReader const* source_;
};

/// Arguments of requests: all of a state but its values, and the options of a model but its team.
Packet& put(Packet& packet, io::StateHeader const& header);
io::StateHeader take_header(Packet& packet);
Packet& put(Packet& packet, ModelOptions const& options);
ModelOptions take_options(Packet& packet);

/// own_device() of a rank of the world or the team.
std::string device_of(Ranks const& rank, ModelOptions const& options);

/// A rank's part of a model.
struct Part {
  std::shared_ptr<Ranks> team;
  std::unique_ptr<Model> model = {};
  std::unique_ptr<StageObserver> relay = {};
  std::unique_ptr<io::StateReader> state = {};  ///< while rank 0 reads it

  void make(io::CaseFile const& case_file, ModelOptions options);
  /// `target` is rank 0's; null elsewhere.
  void observe(StageObserver* target, bool on, bool hashes);
};

}  // namespace ulpine::detail
