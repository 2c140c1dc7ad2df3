// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "core/exec/pace.hpp"
#include "core/field/gather.hpp"
#include "core/model/case_keys.hpp"
#include "core/model/core.hpp"
#include "core/model/short_steps.hpp"
#include "core/ranks/sums.hpp"
#include "io/error.hpp"
#include "io/multiples.hpp"
#include "io/slabs.hpp"

namespace ulpine {
namespace {

class CoreModel final : public Model {
 public:
  CoreModel(std::unique_ptr<Core> core, std::uint64_t case_hash, std::string policy,
            std::optional<Stream> stream)
      : stream_{std::move(stream)},
        core_{std::move(core)},
        case_hash_{case_hash},
        policy_{std::move(policy)},
        cells_{sum_over_ranks(core_->cells())} {
    if (stream_) pace_.emplace(stream_->executor(), steps_ahead);
    if (auto const fixed = core_->fixed_step(); fixed > 0) ends_.emplace(fixed);
  }

  std::string core() const override { return core_->name(); }
  double time() const override { return ends_ ? ends_->at(step_) : time_; }
  double time_step() const override { return core_->fixed_step(); }
  std::int64_t step() const override { return step_; }
  std::vector<Recurrence> recurrences() const override { return core_->recurrences(); }
  std::int64_t cells() const override { return cells_; }
  std::int64_t memory_bytes() const override {
    return sum_over_ranks(table().memory_bytes() + core_->other_bytes());
  }

  void take_step(double latest) override {
    settle();
    auto const before = time();
    time_ = core_->take_step(step_ + 1, before, latest);
    ++step_;
    stepped_ = true;
    if (pace_) pace_->mark();
    if (core_->fixed_step() == 0) short_steps_.look_at(table(), step_, before, time_, latest);
  }

  std::vector<io::Coordinate> coordinates() const override { return table().coordinates(); }
  std::vector<io::UnstructuredMesh> meshes() const override { return table().meshes(); }
  std::vector<io::FieldInfo> fields() const override { return table().outputs(); }
  std::vector<io::FieldInfo> static_fields() const override { return table().static_outputs(); }
  std::vector<std::pair<std::string, std::string>> attributes() const override { return core_->attributes(); }
  void read(std::string const& field, std::int64_t first, std::int64_t count, ValueType type,
            void* values) const override {
    table().read(field, first, count, type, values);
  }

  std::unique_ptr<io::StateReader> state() const override {
    settle();  // a restart does not know of the noise
    io::StateHeader header{core(), policy_, case_hash_, step_, time(), {}};
    for (auto const* field : table().state()) header.arrays.push_back(describe(*field));
    return std::make_unique<State>(std::move(header), table().state(), table().ranks());
  }

  void restore(io::StateReader const& state) override {
    auto const& header = state.header();
    auto const refuse = [](std::string const& why) {
      throw InputError("this restart is not for this run (" + why +
                       ") use the restart of the same case and policy");
    };
    if (header.core != core()) refuse("it is of core " + header.core);
    if (header.policy != policy_) refuse("it is of policy " + header.policy + ", the run of " + policy_);
    if (header.case_hash != case_hash_) refuse("its case differs");
    std::vector<std::size_t> places;
    for (auto const* field : table().state()) {
      auto const found = std::ranges::find(header.arrays, describe(*field));
      if (found == header.arrays.end()) refuse("array " + field->name() + " is missing or of another shape");
      places.push_back(static_cast<std::size_t>(found - header.arrays.begin()));
    }
    std::vector<std::byte> piece;
    for (std::size_t number = 0; number < places.size(); ++number) {
      auto const& field = *table().state()[number];
      auto const width = bytes_of(field.type());
      auto const most = io::slab_bytes / width, all = field.layout().global_count();
      for (std::int64_t first = 0; first < all; first += most) {
        auto const count = std::min(most, all - first);
        piece.resize(static_cast<std::size_t>(count * width));
        state.read(places[number], first, count, piece.data());
        scatter_values(field.raw(), first, count, field.type(), piece.data());
      }
    }
    step_ = header.step;
    time_ = header.time;
    short_steps_ = {};
    perturbed_.clear();
    core_->state_replaced();
  }

  std::vector<std::string> perturbable() const override { return table().perturbable(); }
  void perturb(std::string const& field, Perturbation const& noise) override {
    table().perturb(field, {noise.seed, noise.member, 0, noise.amplitude});
    core_->state_replaced();
    perturbed_.push_back(field);
  }

  std::vector<Integral> integrals() const override {
    std::vector<Integral> result;
    for (auto const& [name, units, field, weights] : core_->integrals()) {
      auto const& values = table().at(field);
      values.update();
      auto const& domain = values.domain();
      ExactSum sum;
      if (counts(table().ranks(), values.layout())) {
        sum = weighted_sum(values.raw(), values.broadcast(table().at(weights)), domain ? &*domain : nullptr);
      }
      if (several(table().ranks())) add_over_ranks(*table().ranks(), sum);
      result.push_back({name, units, sum.to_double()});
    }
    return result;
  }

  std::uint64_t state_hash() const override { return table().state_hash(); }
  std::string invalid_value() const override {
    // Constant fields need not be looked at again.
    if (auto const constant = stepped_ ? std::string() : table().invalid_value(FieldRole::constant);
        !constant.empty()) {
      return constant;
    }
    return table().invalid_value();
  }

  void observe(StageObserver* observer) override { core_->stages().observe(observer); }
  void plant(PlantedFault const& fault) override { core_->stages().plant(fault); }
  std::vector<StageDescription> stages() const override { return core_->stages().stages(); }
  std::vector<StageCost> costs() const override {
    std::vector<StageCost> result;
    for (auto const& stage : core_->stages().times()) {
      auto const mean = stage.timed > 0 ? stage.seconds / static_cast<double>(stage.timed) : 0;
      result.push_back(
          {stage.name, stage.launches, stage.timed, mean * static_cast<double>(stage.launches), stage.bytes});
    }
    return result;
  }

 private:
  FieldTable& table() const { return core_->fields(); }
  std::int64_t sum_over_ranks(std::int64_t number) const {
    auto word = static_cast<std::uint64_t>(number);
    if (several(table().ranks())) table().ranks()->add({&word, 1});
    return static_cast<std::int64_t>(word);
  }
  void settle() const {
    if (!perturbed_.empty()) core_->state_perturbed(std::exchange(perturbed_, {}));
  }

  static io::StateArray describe(Field const& field) { return {field.name(), field.type(), field.shape()}; }

  /// The fields as they are when they are read.
  class State final : public io::StateReader {
   public:
    State(io::StateHeader header, std::vector<Field const*> fields, Ranks* ranks)
        : header_{std::move(header)}, fields_{std::move(fields)}, ranks_{ranks} {}
    io::StateHeader const& header() const override { return header_; }
    void read(std::size_t array, std::int64_t first, std::int64_t count, std::byte* values) const override {
      auto const& field = *fields_.at(array);
      gather_values(ranks_, field.raw(), first, count, field.type(), values);
    }

   private:
    io::StateHeader header_;
    std::vector<Field const*> fields_;
    Ranks* ranks_;
  };

  /// Steps that the host may be ahead of a GPU: enough that it does not run dry, and few launches.
  static constexpr int steps_ahead = 4;

  std::optional<Stream> stream_;  ///< outlives the core, which runs on it
  std::optional<Pace> pace_;
  std::unique_ptr<Core> core_;
  std::uint64_t case_hash_;
  std::string policy_;
  std::int64_t cells_;
  mutable std::vector<std::string> perturbed_;  ///< since the last step
  std::int64_t step_ = 0;
  std::optional<io::Multiples> ends_;  ///< of steps of one length
  double time_ = 0;                    ///< of steps that vary
  ShortSteps short_steps_;
  bool stepped_ = false;
};

}  // namespace

std::unique_ptr<Model> model_of(std::unique_ptr<Core> core, io::CaseFile const& case_file, std::string policy,
                                std::optional<Stream> stream) {
  auto owned = std::move(core);  // goes before its stream where this throws
  reject_unknown_keys(case_file);
  return std::make_unique<CoreModel>(std::move(owned), case_file.hash(), std::move(policy),
                                     std::move(stream));
}

}  // namespace ulpine
