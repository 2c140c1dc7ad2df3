// SPDX-License-Identifier: Apache-2.0
#include "ensembles/reproducibility/conformance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <tuple>

#include "core/exec/memory.hpp"
#include "core/exec/random.hpp"
#include "core/field/field.hpp"
#include "core/field/hash.hpp"
#include "core/field/operations.hpp"
#include "core/stage/trace.hpp"
#include "ensembles/runs/interrupt.hpp"
#include "ensembles/runs/run.hpp"
#include "ensembles/runs/stops.hpp"
#include "ensembles/study/configuration.hpp"
#include "io/error.hpp"
#include "io/multiples.hpp"
#include "io/netcdf.hpp"
#include "io/restart.hpp"
#include "precision/double_float.hpp"
#include "precision/format_name.hpp"
#include "precision/policy.hpp"

namespace ulpine::ensembles {
namespace {

namespace fs = std::filesystem;

/// Hash of one field after a stage, with the stage's place in the run.
struct WatchedOutput {
  StagePosition position;
  std::string stage, field;
  std::uint64_t hash = 0;
  std::int64_t count = 0;

  bool same_place(WatchedOutput const& other) const {
    return position == other.position && stage == other.stage && field == other.field && count == other.count;
  }
  std::string text() const { return fmt::format("{}, stage {}, field {}", position.text(), stage, field); }
};

/// Finds the first value that is not finite.
class FiniteObserver : public StageObserver {
 public:
  void stage_done(StagePosition const& position, char const* stage, char const* field,
                  RawField const& values) override {
    if (!found_.empty() || values.type == ValueType::uint8) return;
    if (auto const at = first_invalid(values)) {
      found_ =
          fmt::format("{}, stage {}, field {}, element {}", position.text(), stage, field, at->dense_index);
    }
  }
  std::string const& found() const { return found_; }

 private:
  std::string found_;
};

/// Finds the first field that a stage changed without saying so. What hashes fields beside the steps (a trace
/// of recorded work) would read it while it is written.
class WritesObserver : public StageObserver {
 public:
  void stage_done(StagePosition const&, char const*, char const*, RawField const&) override {}
  void stage_wrote(StagePosition const& position, char const* stage,
                   std::span<Field const* const> writes) override {
    // Between steps a core may have made its fields anew.
    if (position.step() != step_) hashes_.clear();
    step_ = position.step();
    for (auto const* field : writes) hashes_.erase(field);
    for (auto const& [field, hash] : hashes_) {
      if (found_.empty() && field_hash(field->raw()) != hash) {
        found_ = fmt::format("{} has been changed at {}, stage {}, which does not say that it writes it",
                             field->name(), position.text(), stage);
      }
    }
    for (auto const* field : writes) hashes_[field] = field_hash(field->raw());
  }
  void before_writes(std::span<Field const* const> writes) override {
    for (auto const* field : writes) hashes_.erase(field);
  }
  std::string const& found() const { return found_; }

 private:
  std::map<Field const*, std::uint64_t> hashes_;  ///< hashes of the fields that stages of this step wrote
  std::int64_t step_ = 0;
  std::string found_;
};

class Suite {
 public:
  explicit Suite(ConformanceRequest const& request) : request_{request} {}

  std::vector<ConformanceCheck> run() {
    check("fields", [&] { return fields(); });
    check("stages", [&] { return stages(); });
    check("configurations", [&] { return configurations(); });
    check("repetition", [&] { return repetition(); });
    check("unwatched", [&] { return unwatched(); });
    check("restart", [&] { return restart(); });
    check("perturbation", [&] { return perturbation(); });
    check("planted ulp", [&] { return planted_ulp(); });
    check("not finite", [&] { return not_finite(); });
    check("allocation", [&] { return allocation(); });
    check("output", [&] { return output(); });
    check("times", [&] { return times(); });
    return std::move(checks_);
  }

 private:
  template <class Find>
  void check(char const* name, Find const& find) {
    stop_where(request_.cancel);
    unjudged_.clear();
    auto broken = find();
    if (!unjudged_.empty()) broken.clear();
    checks_.push_back({name, std::move(broken), unjudged_});
    if (request_.progress) request_.progress(name);
  }

  std::unique_ptr<Model> make(std::size_t configuration = 0) const {
    auto const case_file = request_.source.load();
    return make_model(case_file, request_.configurations[configuration]);
  }
  std::string place(std::size_t configuration) const {
    auto const& options = request_.configurations[configuration];
    return device_text(configuration_of(options));
  }
  /// Whether another run of the same place, or of another, must give the reference's state.
  bool all_stages(Guarantee least) const {
    auto const model = make();
    return std::ranges::all_of(model->stages(),
                               [&](StageDescription const& stage) { return stage.guarantee <= least; });
  }

  std::vector<WatchedOutput> watched(Model& model, std::int64_t steps) const {
    std::vector<StageRecord> records;
    auto const recorder = make_trace_recorder(records);
    model.observe(recorder.get());
    model.advance(steps);
    recorder->flush();
    model.observe(nullptr);
    std::vector<WatchedOutput> outputs;
    for (auto& [position, stage, field, record] : records) {
      outputs.push_back({position, std::move(stage), std::move(field), record.hash, record.count});
    }
    return outputs;
  }

  static std::vector<double> values_of(Model const& model, io::FieldInfo const& info) {
    std::vector<double> values(static_cast<std::size_t>(info.size()));
    model.read(info.name, values);
    return values;
  }

  /// `broken`, which says that values are not finite; it is not judged where they are in fp64.
  std::string not_finite_here(std::string const& broken) {
    auto options = request_.configurations.front();
    if (!parse_format(options.policy)) return broken;
    auto const narrow = options.policy;
    options.policy = Fp64::name;
    options.stages.clear();
    auto const model = make_model(request_.source.load(), options);
    for (std::int64_t step = 0; step < request_.steps && model->invalid_value().empty(); ++step)
      model->advance(1);
    if (model->invalid_value().empty()) {
      unjudged_ = fmt::format("{}; in fp64 it is finite, so {} is too narrow for this case", broken, narrow);
    }
    return broken;
  }
  /// The unit roundoff of a field's values, twice as much where rounding is not to nearest.
  double roundoff_of(io::FieldInfo const& info) const {
    if (auto const format = parse_format(request_.configurations.front().policy)) {
      return std::ldexp(1.0, 1 - format->format.precision);
    }
    return info.type == ValueType::float32        ? 0x1p-24
           : info.type == ValueType::float32_pair ? static_cast<double>(DoubleFloat::roundoff)
                                                  : 0x1p-53;
  }

  // ---- the checks: empty where it holds ----

  std::string fields() {
    auto const model = make();
    model->advance(1);
    std::set<std::string> names;
    auto const all = [&] {
      auto list = model->fields();
      auto const fixed = model->static_fields();
      list.insert(list.end(), fixed.begin(), fixed.end());
      return list;
    }();
    if (model->fields().empty()) return "there is no field to write";
    for (auto const& info : all) {
      if (!names.insert(info.name).second) return info.name + " is there twice";
      if (info.units.empty()) return info.name + " has no units (1 where it has no dimension)";
      if (info.long_name.empty() && info.standard_name.empty()) return info.name + " is not described";
      if (info.dimensions.size() != info.shape.size()) return info.name + " lacks names of dimensions";
      auto const whole = values_of(*model, info);
      std::vector<double> pieces(whole.size(), std::numeric_limits<double>::quiet_NaN());
      auto const size = static_cast<std::int64_t>(whole.size());
      auto const step = std::max<std::int64_t>(1, size / 3 + 1);
      for (std::int64_t first = 0; first < size; first += step) {
        model->read(info.name, first, std::min(step, size - first), ValueType::float64,
                    pieces.data() + first);
      }
      if (std::memcmp(whole.data(), pieces.data(), whole.size() * sizeof(double)) != 0) {
        return info.name + " reads otherwise in pieces than as a whole";
      }
      if (auto const bad = std::ranges::find_if_not(whole, [](double x) { return std::isfinite(x); });
          bad != whole.end()) {
        return not_finite_here(fmt::format("{} is not finite after a step", info.name));
      }
    }
    for (auto const& coordinate : model->coordinates()) {
      for (auto const& info : all) {
        for (std::size_t d = 0; d < info.dimensions.size(); ++d) {
          if (info.dimensions[d] == coordinate.name &&
              info.shape[d] != static_cast<std::int64_t>(coordinate.values.size())) {
            return fmt::format("coordinate {} has {} values, {} has {} points along it", coordinate.name,
                               coordinate.values.size(), info.name, info.shape[d]);
          }
        }
      }
    }
    return {};
  }

  std::string stages() const {
    auto const model = make();
    auto const outputs = watched(*model, 2);
    std::set<std::string> described, reported;
    for (auto const& stage : model->stages()) {
      if (stage.doc.empty()) return stage.name + " is not described";
      if (!described.insert(stage.name).second) return stage.name + " is there twice";
    }
    for (auto const& output : outputs) {
      if (!described.contains(output.stage)) return output.stage + " reports but is not listed";
      reported.insert(output.stage);
    }
    if (reported.empty()) return "no stage says what it writes";
    std::set<std::tuple<std::string, std::string, std::string>> places;
    for (auto const& output : outputs) {
      if (!places.emplace(output.position.text(), output.stage, output.field).second) {
        return "two outputs have one place: " + output.text();
      }
    }
    for (auto const& cost : model->costs()) {
      if (!reported.contains(cost.name)) continue;
      if (cost.launches == 0) return cost.name + " is not counted";
      if (!(cost.bytes > 0)) return cost.name + " counts no bytes";
    }
    return undeclared_writes();
  }

  std::string undeclared_writes() const {
    auto const model = make();
    WritesObserver observer;
    model->observe(&observer);
    model->advance(3);  // cores that leap begin otherwise
    model->observe(nullptr);
    return observer.found();
  }

  /// The first stage whose bits differ although its inputs agreed and its guarantee holds there.
  std::string compare(std::vector<WatchedOutput> const& reference, std::vector<WatchedOutput> const& outputs,
                      Guarantee needed, std::string const& where) const {
    std::map<std::string, Guarantee> guarantees;
    for (auto const& stage : make()->stages()) guarantees[stage.name] = stage.guarantee;
    if (reference.size() != outputs.size()) return where + " reports other stages";
    for (std::size_t i = 0; i < reference.size(); ++i) {
      if (!reference[i].same_place(outputs[i])) return where + " reports other stages";
      if (reference[i].hash == outputs[i].hash) continue;
      // Later stages have other input, and may differ.
      if (guarantees.at(reference[i].stage) > needed) return {};
      return fmt::format("{} has other bits at {}, whose guarantee is {}", where, reference[i].text(),
                         name_of(guarantees.at(reference[i].stage)));
    }
    return {};
  }

  std::string configurations() {
    for (std::size_t i = 0; i < request_.configurations.size(); ++i) {
      auto const model = make(i);
      auto outputs = watched(*model, request_.steps);
      if (i == 0) {
        reference_ = std::move(outputs);
      } else if (auto const broken = compare(reference_, outputs, Guarantee::bitwise, place(i));
                 !broken.empty()) {
        return broken;
      }
    }
    return {};
  }

  std::string repetition() const {
    for (std::size_t i = 0; i < request_.configurations.size(); ++i) {
      auto const first = watched(*make(i), request_.steps);
      for (int again = 1; again < request_.repetitions; ++again) {
        auto const broken =
            compare(first, watched(*make(i), request_.steps), Guarantee::run_to_run, place(i) + " repeated");
        if (!broken.empty()) return broken;
      }
    }
    return {};
  }

  std::string unwatched() const {
    if (!all_stages(Guarantee::bitwise)) return {};
    auto const first = make();
    watched(*first, request_.steps);
    for (std::size_t i = 0; i < request_.configurations.size(); ++i) {
      auto const model = make(i);
      model->advance(request_.steps);
      if (model->state_hash() != first->state_hash()) return place(i) + " ends otherwise when not watched";
    }
    return {};
  }

  std::string restart() const {
    if (!all_stages(Guarantee::run_to_run)) return {};
    auto const whole = make();
    fs::create_directories(request_.folder);
    auto const file = request_.folder / "restart.nc";
    std::vector<io::StoredState> states;
    for (std::int64_t step = 0; step < request_.steps; ++step) {
      states.emplace_back(*whole->state());
      whole->advance(1);
    }
    for (auto const& state : states) {
      auto const& header = state.header();
      for (auto const through_file : {false, true}) {
        auto const rest = make();
        rest->advance(2);  // so that nothing is right by chance
        if (through_file) {
          io::write_restart(file, state, io::build_provenance());
          rest->restore(io::RestartFile(file));
        } else {
          rest->restore(state);
        }
        auto const where = fmt::format("from step {}{}", header.step, through_file ? " through a file" : "");
        if (rest->step() != header.step || rest->time() != header.time) return "another time " + where;
        rest->advance(request_.steps - header.step);
        if (rest->state_hash() != whole->state_hash()) return "other bits " + where;
        for (auto const& info : whole->fields()) {
          auto const a = values_of(*whole, info), b = values_of(*rest, info);
          if (std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) != 0) {
            return fmt::format("{} has other values {}", info.name, where);
          }
        }
      }
    }
    return {};
  }

  /// 2^-9, or more where values of the field are rounded to less than 32 times as fine.
  Perturbation noise_for(std::string const& name) const {
    Perturbation noise{20, 3, 0x1p-9};
    auto const model = make();
    for (auto const& info : model->fields()) {
      if (info.name != name) continue;
      for (auto const value : values_of(*model, info)) {
        if (!std::isfinite(value) || value == missing_value) continue;
        noise.amplitude = std::max(noise.amplitude, 32 * roundoff_of(info) * std::abs(value));
      }
    }
    return noise;
  }

  std::string perturbation() const {
    for (auto const& name : make()->perturbable()) {
      auto const noise = noise_for(name);
      for (std::size_t i = 0; i < request_.configurations.size(); ++i) {
        auto const model = make(i), plain = make(i);
        model->perturb(name, noise);
        auto changed = false;
        for (auto const& info : model->fields()) {
          auto const after = values_of(*model, info), before = values_of(*plain, info);
          if (info.name != name) continue;
          for (std::size_t k = 0; k < after.size(); ++k) {
            if (after[k] == before[k]) continue;  // outside the domain, or at a bound
            changed = true;
            auto const wanted = noise.amplitude * uniform_symmetric(noise.seed, noise.member, name_key(name),
                                                                    static_cast<std::int64_t>(k));
            // Two roundings, to float at least, or to a bound of the field.
            auto const tolerance =
                4 * std::max(0x1p-24, roundoff_of(info)) * (std::abs(before[k]) + noise.amplitude);
            if (std::abs(after[k] - before[k] - wanted) > tolerance &&
                std::abs(after[k] - before[k]) >= std::abs(wanted)) {
              return fmt::format("{} on {}: the noise of point {} is {}, not {}", name, place(i), k,
                                 after[k] - before[k], wanted);
            }
          }
        }
        if (!changed) return name + " is not among the outputs, or noise does not change it";
      }
    }
    return {};
  }

  std::string planted_ulp() const {
    if (!all_stages(Guarantee::run_to_run)) return {};
    auto const last = std::min<std::int64_t>(2, request_.steps);
    auto const plain = watched(*make(), last);
    // One place for each stage and field: the last, which loops have to lead to.
    std::map<std::pair<std::string, std::string>, std::size_t> places;
    for (std::size_t i = 0; i < plain.size(); ++i) places[{plain[i].stage, plain[i].field}] = i;
    for (auto const& [names, number] : places) {
      stop_where(request_.cancel);
      auto const& place = plain[number];
      auto const model = make();
      model->plant({names.first, names.second, place.position, place.count / 2});
      std::vector<WatchedOutput> outputs;
      try {
        outputs = watched(*model, last);
      } catch (InputError const&) {
        continue;  // the value there is not finite by design, or a mask
      }
      auto const differs = std::ranges::mismatch(plain, outputs,
                                                 [](WatchedOutput const& a, WatchedOutput const& b) {
                                                   return a.same_place(b) && a.hash == b.hash;
                                                 })
                               .in1 -
                           plain.begin();
      if (differs != static_cast<std::ptrdiff_t>(number)) {
        return fmt::format("a fault planted at {} is seen {}", place.text(),
                           differs == static_cast<std::ptrdiff_t>(plain.size())
                               ? "nowhere"
                               : "at " + plain[static_cast<std::size_t>(differs)].text());
      }
    }
    return {};
  }

  std::string not_finite() const {
    auto const plain = make();
    if (auto const found = plain->invalid_value(); !found.empty()) return "the start is invalid: " + found;
    auto stays = false;
    for (std::size_t number = 0; number < plain->state()->header().arrays.size(); ++number) {
      io::StoredState state(*plain->state());
      auto const& array = state.header().arrays[number];
      auto const width = static_cast<std::size_t>(bytes_of(array.type));
      auto const bytes = state.bytes(number);
      // All bits of the exponent and of the fraction: a NaN in every format.
      std::memset(bytes.data() + bytes.size() / width / 2 * width, 0xff, width);
      auto const model = make();
      model->restore(state);
      auto const found = model->invalid_value();
      if (!found.starts_with(array.name + " ")) {
        return fmt::format("a NaN in {} is told as '{}'", array.name, found);
      }
      FiniteObserver observer;
      model->observe(&observer);
      model->advance(1);
      model->observe(nullptr);
      // A field that a step computes anew forgets it.
      stays = stays || (!observer.found().empty() && !model->invalid_value().empty());
    }
    if (!stays) return "a NaN vanishes in a step, in whatever field it was";
    return {};
  }

  std::string allocation() const {
    for (std::size_t i = 0; i < request_.configurations.size(); ++i) {
      auto const model = make(i);
      model->advance(1);
      auto const before = allocations();
      model->advance(2);
      if (auto const made = allocations() - before; made != 0) {
        return fmt::format("{} allocates {} arrays in two steps", place(i), made);
      }
    }
    return {};
  }

  std::string output() {
    auto const model = make();
    RunRequest request;
    request.source = request_.source;
    request.options = request_.configurations.front();
    request.folder = request_.folder / "run";
    // A step that is cut to end on time need not have the bits of the same step in full.
    auto const whole = make();
    whole->advance(request_.steps);
    auto const end = whole->time();
    request.until = end;
    auto const interval =
        time_of_steps(output_interval(request_.source.load()), model->time_step(), "output.interval");
    Stops const stops(*model, interval, end);
    while (model->time() + model->time_step() / 2 < end) model->take_step(stops.next(model->time()));
    RunRecord record;
    try {
      record = ensembles::run(request);
    } catch (RunFailed const& failed) {
      std::string const what = failed.what();
      auto const broken = "a run fails: " + what.substr(0, what.rfind(" see "));  // a file not kept
      return what.find("state is invalid") == std::string::npos ? broken : not_finite_here(broken);
    }
    if (all_stages(Guarantee::run_to_run) && record.hash != io::hex(model->state_hash())) {
      return "a run ends in another state than the model";
    }
    io::InputFile const file(request.folder / "output.nc");
    for (auto const& info : model->fields()) {
      if (!file.has(info.name)) return info.name + " is missing in the output";
      auto const written = file.read(info.name);
      if (written.info.shape != info.shape) return info.name + " has another shape in the output";
      if (!all_stages(Guarantee::run_to_run)) continue;
      auto const own = values_of(*model, info);
      for (std::size_t k = 0; k < own.size(); ++k) {
        auto const same =
            std::isnan(written.values[k]) ? own[k] == missing_value : written.values[k] == own[k];
        if (!same) {
          return fmt::format("value {} of {} is {} in the output, {} in the model", k, info.name,
                             written.values[k], own[k]);
        }
      }
    }
    return {};
  }

  std::string times() const {
    auto const model = make();
    model->advance(1);
    auto const step = model->time();
    if (!(step > 0)) return "a step takes no time";
    if (model->time_step() > 0 && step != model->time_step()) return "the first step has another length";
    auto const end = model->time_step() > 0 ? io::Multiples(step).at(3) : 2.5 * step;
    model->advance_to(end);
    if (model->time() != end) return fmt::format("asked for {} s it stops at {} s", end, model->time());
    return {};
  }

  ConformanceRequest const& request_;
  std::vector<WatchedOutput> reference_;
  std::vector<ConformanceCheck> checks_;
  std::string unjudged_;  ///< why the check under way cannot be judged
};

}  // namespace

std::vector<ConformanceCheck> check_conformance(ConformanceRequest const& request) {
  if (request.configurations.empty()) {
    throw InputError("no configuration is given (one at least is needed) write e.g. cpu:1,cpu:2");
  }
  return Suite(request).run();
}

std::string table(std::vector<ConformanceCheck> const& checks) {
  std::string text;
  for (auto const& check : checks) {
    text += fmt::format("{:<16} {}\n", check.name,
                        !check.broken.empty()     ? "BROKEN: " + check.broken
                        : !check.unjudged.empty() ? "not judged: " + check.unjudged
                                                  : "holds");
  }
  return text;
}

}  // namespace ulpine::ensembles
