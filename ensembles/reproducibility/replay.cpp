// SPDX-License-Identifier: Apache-2.0
#include "ensembles/reproducibility/replay.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <vector>

#include "core/stage/trace.hpp"
#include "ensembles/reproducibility/checkpoints.hpp"
#include "ensembles/runs/files.hpp"
#include "ensembles/runs/interrupt.hpp"
#include "ensembles/runs/run.hpp"
#include "ensembles/runs/stops.hpp"
#include "ensembles/study/configuration.hpp"
#include "io/error.hpp"
#include "io/own_files.hpp"
#include "io/restart.hpp"
#include "io/trace_file.hpp"

namespace ulpine::ensembles {
namespace {

namespace fs = std::filesystem;

/// Copies the field of report number `wanted`, counted from 0.
class ReportCapture : public StageObserver {
 public:
  explicit ReportCapture(std::int64_t wanted) : wanted_{wanted} {}

  void stage_done(StagePosition const& position, char const* stage, char const* field,
                  RawField const& values) override {
    if (reports_++ == wanted_) {
      capture_ = std::make_unique<FieldCapture>(position, stage, field);
      capture_->stage_done(position, stage, field, values);
      name_ = field;
    }
  }
  std::int64_t reports() const { return reports_; }
  FieldCapture const* capture() const { return capture_.get(); }
  std::string const& name() const { return name_; }

 private:
  std::int64_t wanted_, reports_ = 0;
  std::unique_ptr<FieldCapture> capture_;
  std::string name_;
};

/// The seconds of an attribute; `otherwise` where it is empty.
double seconds_of(std::string const& text, double otherwise) {
  double value = otherwise;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

class Repeater {
 public:
  explicit Repeater(ReplayRequest const& request)
      : request_{request}, log_{io::read_hash_log(checkpoint_log(request.run))} {
    if (request.step <= log_.first || !log_.has(request.step)) {
      throw InputError(fmt::format("{}: has no step {} (its log has steps {} to {}) name one of those",
                                   request.run.string(), request.step, log_.first + 1, log_.last()));
    }
    require_no_results_but(request.output, "run.json");
    if (fs::exists(request.output / "run.json") || fs::exists(checkpoint_folder(request.output))) {
      throw InputError(
          request.output.string() +
          ": is the folder of a run (the trace of one step would pass for the run's) name another "
          "folder with -o");
    }
    auto const overwrite = io::overwrite_if(request.overwrite);
    if (request.record) {
      io::require_replaceable(request.output / "field.nc", io::signatures::restart, overwrite);
    } else {
      io::require_replaceable(request.output / "trace.bin", io::signatures::trace, overwrite);
    }
  }

  Replay run() {
    Replay result;
    auto const case_file = CaseSource{checkpoint_folder(request_.run) / "case.toml"}.load();
    auto const options = model_options(parse_configuration(log_.attribute("configuration")));
    auto const model = make_model(case_file, options);
    if (io::hex(case_file.hash()) != log_.attribute("case_hash")) {
      throw InputError(
          case_file.path().string() +
          ": is not the case of the run (it, or a file that it names, was changed) repeat the run");
    }
    restore(*model);
    result.from = model->step();
    if (request_.fault) model->plant(*request_.fault);
    while (model->step() + 1 < request_.step) take_step(*model, result.from);
    require_state(*model, "before");
    make_folder(request_.output);
    result.count =
        request_.record ? write_field(*model, case_file.hash()) : write_trace(*model, case_file, options);
    return result;
  }

 private:
  void restore(Model& model) {
    auto last = std::int64_t{-1};
    for (auto const step : checkpoint_steps(request_.run)) {
      if (step < request_.step && log_.has(step) && (!request_.from || step == *request_.from)) last = step;
    }
    if (request_.from && last < 0) {
      throw InputError(
          fmt::format("{}: has no checkpoint of step {} before step {} (others are kept) name one of those",
                      checkpoint_folder(request_.run).string(), *request_.from, request_.step));
    }
    if (last < 0) {
      throw InputError(fmt::format("{}: has no checkpoint before step {} (they were removed) repeat the run",
                                   checkpoint_folder(request_.run).string(), request_.step));
    }
    auto const path = checkpoint_file(request_.run, last);
    try {
      model.restore(io::RestartFile{path});
    } catch (InputError const& problem) {
      auto const message = std::string(problem.what());
      throw InputError(message.starts_with(path.string()) ? message : path.string() + ": " + message);
    }
    if (model.step() != last || model.state_hash() != log_.at(last)) {
      throw InputError(
          path.string() +
          ": is not the state that the log tells (of another run, or the model does not restore it exactly) "
          "`conformance` checks restarts; repeat the run");
    }
  }

  void take_step(Model& model, std::int64_t from) {
    stop_where(request_.cancel);
    constexpr auto never = std::numeric_limits<double>::infinity();
    Stops const stops(model, seconds_of(log_.attribute("interval_s"), 0),
                      seconds_of(log_.attribute("until_s"), never));
    model.take_step(stops.next(model.time()));
    if (request_.progress) request_.progress(model.step() - from, request_.step - from);
  }

  void require_state(Model const& model, char const* when) {
    if (model.state_hash() == log_.at(model.step())) return;
    throw RunFailed(
        fmt::format("{}: the state {} step {} is not the run's when repeated (another program or machine, "
                    "atomic assembly, or a restart that is not exact) repeat it with the run's own program",
                    request_.run.string(), when, request_.step));
  }

  /// The step in question, which ends in the run's state. `flush` has the observer hear what it still waits
  /// for.
  void take_heard_step(
      Model& model, StageObserver& observer, std::function<void()> const& flush = [] {}) {
    model.observe(&observer);
    take_step(model, model.step());
    flush();
    model.observe(nullptr);
    require_state(model, "after");
  }

  std::int64_t write_trace(Model& model, io::CaseFile const& case_file, ModelOptions const& options) {
    std::vector<StageRecord> records;
    auto const recorder = make_trace_recorder(records);
    take_heard_step(model, *recorder, [&] { recorder->flush(); });
    io::BegunFile file(request_.output / "trace.bin");
    io::TraceWriter trace(file.begun(), provenance_of(options, io::hex(case_file.hash())),
                          case_file.resolved());
    for (auto const& record : records) trace.append(record.stage, record.field, record.record);
    trace.close();
    file.place();
    return static_cast<std::int64_t>(records.size());
  }

  std::int64_t write_field(Model& model, std::uint64_t case_hash) {
    ReportCapture report(*request_.record);
    take_heard_step(model, report);
    auto const* const field = report.capture();
    if (field == nullptr) {
      throw InputError(fmt::format("step {} has no record {} (it has {}) name one from 0 on", request_.step,
                                   *request_.record, report.reports()));
    }
    auto const count = static_cast<std::int64_t>(field->bytes().size()) / bytes_of(field->type());
    io::StoredState state(io::StateHeader{
        model.core(), "", case_hash, model.step(), model.time(), {{report.name(), field->type(), {count}}}});
    std::memcpy(state.bytes(0).data(), field->bytes().data(), field->bytes().size());
    io::write_restart(request_.output / "field.nc", state, io::build_provenance());
    return report.reports();
  }

  ReplayRequest const& request_;
  io::HashLog log_;
};

}  // namespace

Replay replay(ReplayRequest const& request) { return Repeater(request).run(); }

}  // namespace ulpine::ensembles
