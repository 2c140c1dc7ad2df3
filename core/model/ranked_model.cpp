// SPDX-License-Identifier: Apache-2.0
#include "core/model/ranked_model.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <utility>

#include "core/exec/device.hpp"
#include "core/field/gather.hpp"
#include "core/field/hash.hpp"
#include "core/model/packet.hpp"
#include "io/error.hpp"

namespace ulpine {
namespace {

using detail::Packet;

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
Packet request_of(int ranks, Request request) {
  Packet packet;
  packet.put(ranks).put(request);
  return packet;
}

/// Passes a request of rank 0 on, along a binomial tree: rank r has it from r with its lowest bit cleared.
void pass_on(Ranks& world, Packet const& request) {
  auto const ranks = Packet(request).take<int>(), rank = world.rank();
  int distance = 1;
  while (rank + distance < ranks && (rank & distance) == 0) distance *= 2;
  // The farthest has the most to pass on.
  while ((distance /= 2) > 0) world.tell(rank + distance, request.bytes());
}

Packet next_request(Ranks& world) {
  Packet request(world.hear(world.rank() & (world.rank() - 1)));
  pass_on(world, request);
  request.take<int>();
  return request;
}

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

/// Does what all ranks of the team do at the same time. Rank 0 throws what went wrong; others return whether
/// they can go on.
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

/// A state that rank 0 has and all read together.
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

/// Names of loops live as long as the program.
char const* lasting(std::string const& name) {
  static std::mutex mutex;
  static std::set<std::string> names;
  std::lock_guard const lock(mutex);
  return names.insert(name).first->c_str();
}

std::string device_of(Ranks const& rank, ModelOptions const& options) {
  auto const ordinal = device_ordinal(options.device);
  if (ordinal >= 0 && rank.rank() >= options.ranks - options.host_ranks) return "cpu";
  auto const gpus = static_cast<int>(devices().size());
  if (ordinal != 0 || gpus == 0) return options.device;
  auto const gpu = rank.rank_on_machine() % gpus;
  return gpu == 0 ? "cuda" : "cuda:" + std::to_string(gpu);
}

/// A rank's part of a model.
struct Part {
  std::shared_ptr<Ranks> team;
  std::unique_ptr<Model> model = {};
  std::unique_ptr<Relay> relay = {};
  std::unique_ptr<io::StateReader> state = {};  ///< while rank 0 reads it

  void make(io::CaseFile const& case_file, ModelOptions options) {
    options.team = team;
    team->set_mixed(device_ordinal(options.device) >= 0 && options.host_ranks > 0);
    options.device = device_of(*team, options);
    model = make_model(case_file, options);
  }
  void observe(StageObserver* target, bool on, bool hashes) {
    relay = on ? std::make_unique<Relay>(*team, target, hashes) : nullptr;
    model->observe(relay.get());
  }
};

/// Does what rank 0 asked of it.
void carry_out(Part& part, Request request, Packet& packet) {
  auto& model = *part.model;
  switch (request) {
    case Request::step:
      model.take_step(packet.take<double>());
      break;
    case Request::read: {
      auto const field = packet.take<std::string>();
      auto const first = packet.take<std::int64_t>(), count = packet.take<std::int64_t>();
      model.read(field, first, count, packet.take<ValueType>(), nullptr);
      break;
    }
    case Request::open_state:
      part.state = model.state();
      break;
    case Request::read_state: {
      auto const array = packet.take<std::size_t>();
      auto const first = packet.take<std::int64_t>(), count = packet.take<std::int64_t>();
      part.state->read(array, first, count, nullptr);
      break;
    }
    case Request::close_state:
      part.state.reset();
      break;
    case Request::restore:
      model.restore(SharedState(*part.team, take_header(packet), nullptr));
      break;
    case Request::perturb: {
      auto const field = packet.take<std::string>();
      Perturbation noise;
      noise.seed = packet.take<std::uint64_t>();
      noise.member = packet.take<std::uint32_t>();
      noise.amplitude = packet.take<double>();
      model.perturb(field, noise);
      break;
    }
    case Request::integrals:
      model.integrals();
      break;
    case Request::hash:
      model.state_hash();
      break;
    case Request::invalid_value:
      model.invalid_value();
      break;
    case Request::memory:
      model.memory_bytes();
      break;
    case Request::observe: {
      auto const on = packet.take<bool>();
      part.observe(nullptr, on, packet.take<bool>());
      break;
    }
    case Request::plant: {
      PlantedFault fault;
      fault.stage = packet.take<std::string>();
      fault.field = packet.take<std::string>();
      fault.element = packet.take<std::int64_t>();
      for (auto depth = packet.take<std::size_t>(); depth > 0; --depth) {
        auto const* const loop = lasting(packet.take<std::string>());
        fault.position.push({loop, packet.take<std::int64_t>()});
      }
      model.plant(fault);
      break;
    }
    case Request::make:
    case Request::drop:
    case Request::command:
    case Request::leave:
      break;
  }
}

struct Team {
  std::recursive_mutex mutex;  ///< of all that is asked of it: others serve one request after the other
  std::shared_ptr<Ranks> world;
  std::uint64_t models = 0;
};
Team& team() {
  static Team instance;
  return instance;
}

/// A model that several ranks compute, as rank 0 has it.
class RankedModel final : public Model {
 public:
  RankedModel(io::CaseFile const& case_file, ModelOptions const& options)
      : world_{team().world}, number_{++team().models}, size_{options.ranks} {
    std::lock_guard const lock(team().mutex);
    auto const origin = case_file.origin();
    auto packet = request_of(size_, Request::make);
    packet.put(number_).put(origin.text).put(origin.name).put(origin.folder);
    packet.put(origin.overrides).put(origin.accepted).put(origin.aside);
    pass_on(*world_, put(packet, options));
    part_.team = world_->first(size_);
    try {
      all_together(*part_.team, [&] { part_.make(case_file, options); });
    } catch (...) {
      drop();
      throw;
    }
  }
  RankedModel(RankedModel const&) = delete;
  RankedModel& operator=(RankedModel const&) = delete;
  ~RankedModel() override {
    std::lock_guard const lock(team().mutex);
    drop();
  }

  std::string core() const override { return part_.model->core(); }
  double time() const override { return part_.model->time(); }
  double time_step() const override { return part_.model->time_step(); }
  std::int64_t step() const override { return part_.model->step(); }
  std::vector<Recurrence> recurrences() const override { return part_.model->recurrences(); }
  std::int64_t cells() const override { return part_.model->cells(); }
  std::vector<io::Coordinate> coordinates() const override { return part_.model->coordinates(); }
  std::vector<io::UnstructuredMesh> meshes() const override { return part_.model->meshes(); }
  std::vector<io::FieldInfo> fields() const override { return part_.model->fields(); }
  std::vector<io::FieldInfo> static_fields() const override { return part_.model->static_fields(); }
  std::vector<std::pair<std::string, std::string>> attributes() const override {
    return part_.model->attributes();
  }
  std::vector<std::string> perturbable() const override { return part_.model->perturbable(); }
  std::vector<StageDescription> stages() const override { return part_.model->stages(); }
  std::vector<StageCost> costs() const override { return part_.model->costs(); }

  std::int64_t memory_bytes() const override {
    std::int64_t bytes = 0;
    ask(Request::memory, {}, [&] { bytes = part_.model->memory_bytes(); });
    return bytes;
  }
  void take_step(double latest) override {
    ask(
        Request::step, [&](Packet& packet) { packet.put(latest); }, [&] { part_.model->take_step(latest); });
  }
  void read(std::string const& field, std::int64_t first, std::int64_t count, ValueType type,
            void* values) const override {
    ask(
        Request::read, [&](Packet& packet) { packet.put(field).put(first).put(count).put(type); },
        [&] { part_.model->read(field, first, count, type, values); });
  }
  std::unique_ptr<io::StateReader> state() const override {
    std::unique_ptr<io::StateReader> inner;
    ask(Request::open_state, {}, [&] { inner = part_.model->state(); });
    return std::make_unique<State>(*this, std::move(inner));
  }
  void restore(io::StateReader const& state) override {
    ask(
        Request::restore, [&](Packet& packet) { put(packet, state.header()); },
        [&] { part_.model->restore(SharedState(*part_.team, state.header(), &state)); });
  }
  void perturb(std::string const& field, Perturbation const& noise) override {
    ask(
        Request::perturb,
        [&](Packet& packet) { packet.put(field).put(noise.seed).put(noise.member).put(noise.amplitude); },
        [&] { part_.model->perturb(field, noise); });
  }
  std::vector<Integral> integrals() const override {
    std::vector<Integral> all;
    ask(Request::integrals, {}, [&] { all = part_.model->integrals(); });
    return all;
  }
  std::uint64_t state_hash() const override {
    std::uint64_t hash = 0;
    ask(Request::hash, {}, [&] { hash = part_.model->state_hash(); });
    return hash;
  }
  std::string invalid_value() const override {
    std::string where;
    ask(Request::invalid_value, {}, [&] { where = part_.model->invalid_value(); });
    return where;
  }
  void observe(StageObserver* observer) override {
    bool const on = observer != nullptr, hashes = on && observer->takes_hashes();
    ask(
        Request::observe, [&](Packet& packet) { packet.put(on).put(hashes); },
        [&] { part_.observe(observer, on, hashes); });
  }
  void plant(PlantedFault const& fault) override {
    ask(
        Request::plant,
        [&](Packet& packet) {
          packet.put(fault.stage).put(fault.field).put(fault.element).put(fault.position.depth());
          for (std::size_t level = 0; level < fault.position.depth(); ++level) {
            packet.put(std::string(fault.position[level].loop)).put(fault.position[level].index);
          }
        },
        [&] { part_.model->plant(fault); });
  }

 private:
  class State final : public io::StateReader {
   public:
    State(RankedModel const& model, std::unique_ptr<io::StateReader> inner)
        : model_{model}, inner_{std::move(inner)} {}
    State(State const&) = delete;
    State& operator=(State const&) = delete;
    ~State() override {
      try {
        model_.ask(Request::close_state, {}, [] {});
      } catch (std::exception const&) {  // the model is broken, as the next call to it tells
      }
    }
    io::StateHeader const& header() const override { return inner_->header(); }
    void read(std::size_t array, std::int64_t first, std::int64_t count, std::byte* values) const override {
      model_.ask(
          Request::read_state, [&](Packet& packet) { packet.put(array).put(first).put(count); },
          [&] { inner_->read(array, first, count, values); });
    }

   private:
    RankedModel const& model_;
    std::unique_ptr<io::StateReader> inner_;
  };

  void ask(Request request, std::function<void(Packet&)> const& arguments,
           std::function<void()> const& body) const {
    std::lock_guard const lock(team().mutex);
    if (broken_) throw EnvironmentError(*broken_);
    auto packet = request_of(size_, request);
    packet.put(number_);
    if (arguments) arguments(packet);
    pass_on(*world_, packet);
    try {
      all_together(*part_.team, body);
    } catch (EnvironmentError const& error) {
      broken_ = error.what();
      throw;
    }
  }
  void drop() noexcept {
    try {
      pass_on(*world_, request_of(size_, Request::drop).put(number_));
    } catch (std::exception const&) {  // who does not hear it is gone
    }
    part_ = {};
  }

  std::shared_ptr<Ranks> world_;
  std::uint64_t number_;
  int size_;
  mutable Part part_;
  mutable std::optional<std::string> broken_;
};

}  // namespace

void set_team(std::shared_ptr<Ranks> world) {
  std::lock_guard const lock(team().mutex);
  team().world = std::move(world);
}

int team_size() {
  std::lock_guard const lock(team().mutex);
  return team().world ? team().world->size() : 1;
}

void serve(Ranks& world, CommandOfRank const& command) {
  std::map<std::uint64_t, Part> parts;
  while (true) {
    auto packet = next_request(world);
    auto const request = packet.take<Request>();
    if (request == Request::leave) return;
    if (request == Request::command) {
      std::vector<std::string> words;
      for (int rank = 1; rank <= world.rank(); ++rank) words = packet.take<std::vector<std::string>>();
      world.tell(0, Packet().put(command(words)).bytes());
      continue;
    }
    auto const number = packet.take<std::uint64_t>();
    if (request == Request::drop) {
      parts.erase(number);
      continue;
    }
    auto& part = parts[number];
    if (request == Request::make) {
      io::CaseFile::Origin origin;
      origin.text = packet.take<std::string>();
      origin.name = packet.take<std::string>();
      origin.folder = packet.take<std::string>();
      origin.overrides = packet.take<std::vector<std::string>>();
      origin.accepted = packet.take<std::vector<std::string>>();
      origin.aside = packet.take<std::vector<std::string>>();
      auto const options = take_options(packet);
      part.team = world.first(options.ranks);
      all_together(*part.team, [&] { part.make(io::CaseFile::from(origin), options); });
    } else if (!all_together(*part.team, [&] { carry_out(part, request, packet); })) {
      // Nothing more of it can be used, and rank 0 knows.
      part.relay.reset();
      part.state.reset();
    }
  }
}

void call_ranks(std::function<std::vector<std::string>(int rank)> const& words_of) {
  std::lock_guard const lock(team().mutex);
  auto packet = request_of(team_size(), Request::command);
  for (int rank = 1; rank < team_size(); ++rank) packet.put(words_of(rank));
  if (team_size() > 1) pass_on(*team().world, packet);
}

int await_ranks() {
  std::lock_guard const lock(team().mutex);
  int largest = 0;
  for (int rank = 1; rank < team_size(); ++rank) {
    largest = std::max(largest, Packet(team().world->hear(rank)).take<int>());
  }
  return largest;
}

void dismiss(Ranks& world) { pass_on(world, request_of(world.size(), Request::leave)); }

std::string own_device(ModelOptions const& options) {
  std::lock_guard const lock(team().mutex);
  return options.ranks > 1 && team().world ? device_of(*team().world, options) : options.device;
}

std::unique_ptr<Model> make_ranked_model(io::CaseFile const& case_file, ModelOptions const& options) {
  if (team_size() < options.ranks) {
    throw EnvironmentError(std::to_string(options.ranks) + " ranks are needed (this program has " +
                           std::to_string(team_size()) + ") start it with mpirun -n " +
                           std::to_string(options.ranks));
  }
  return std::make_unique<RankedModel>(case_file, options);
}

}  // namespace ulpine
