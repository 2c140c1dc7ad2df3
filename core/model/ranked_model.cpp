// SPDX-License-Identifier: Apache-2.0
#include "core/model/ranked_model.hpp"

#include <algorithm>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <utility>

#include "core/model/ranked_part.hpp"
#include "io/error.hpp"

namespace ulpine {
namespace {

using detail::all_together, detail::device_of, detail::Packet, detail::Part, detail::pass_on, detail::Request,
    detail::request_of, detail::SharedState, detail::take_header, detail::take_options;

Packet next_request(Ranks& world) {
  Packet request(world.hear(world.rank() & (world.rank() - 1)));
  pass_on(world, request);
  request.take<int>();
  return request;
}

/// Names of loops live as long as the program.
char const* lasting(std::string const& name) {
  static std::mutex mutex;
  static std::set<std::string> names;
  std::lock_guard const lock(mutex);
  return names.insert(name).first->c_str();
}

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
