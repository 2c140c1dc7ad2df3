// SPDX-License-Identifier: Apache-2.0
// A stranger's program with a model of its own, heat on a ring of cells, and with every command of Ulpine.
#include <cmath>
#include <numbers>

#include <ulpine/cli/command.hpp>
#include <ulpine/core/exec/host.hpp>
#include <ulpine/core/model/core.hpp>
#include <ulpine/io/error.hpp>

namespace {

using namespace ulpine;

/// dT/dt = kappa d2T/dx2 on a periodic line, forward in time, in double.
class Ring final : public Core {
 public:
  Ring(io::CaseFile const& case_file, Host host)
      : host_{host},
        cells_{case_file.integer("grid.nx", 64, 3, 1 << 20)},
        step_s_{case_file.duration("time.step", "60 s", 1)} {
    auto const spacing = case_file.number("grid.spacing", 1000, 1);
    number_ = case_file.number("ring.diffusivity", 1000, 0) * step_s_ / (spacing * spacing);
    io::Coordinate x{"x", "projection_x_coordinate", "x", "m", "X", {}};
    for (std::int64_t i = 0; i < cells_; ++i) {
      x.values.push_back(spacing * static_cast<double>(i));
      temperature_.view()[i] =
          280 + 10 * std::sin(2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(cells_));
    }
    fields_.add_coordinate(x);
  }

  std::string name() const override { return "ring"; }
  FieldTable& fields() override { return fields_; }
  StageRunner& stages() override { return stages_; }
  std::int64_t cells() const override { return cells_; }
  double fixed_step() const override { return step_s_; }
  double take_step(std::int64_t step, double /*time*/, double /*latest*/) override {
    stages_.begin_step(host_, step);
    before_.copy_from(temperature_);
    auto const diffuse = [old = before_.view(), now = temperature_.view(), number = number_](std::int64_t i) {
      auto const last = old.size() - 1;
      now[i] = old[i] + number * (old[i == last ? 0 : i + 1] - 2 * old[i] + old[i == 0 ? last : i - 1]);
    };
    stages_.run(diffusion_, host_, cells_, diffuse, {&temperature_});
    return static_cast<double>(step) * step_s_;
  }

 private:
  Host host_;
  std::int64_t cells_;
  double step_s_, number_ = 0;
  FieldTable fields_;
  FieldOf<double, Host>& temperature_ = fields_.add<double>(host_,
                                                            {.name = "temperature",
                                                             .units = "K",
                                                             .standard_name = "air_temperature",
                                                             .role = FieldRole::prognostic,
                                                             .dimensions = {"x"},
                                                             .output = true,
                                                             .perturbable = Perturbable{}},
                                                            Layout::entities(cells_));
  FieldOf<double, Host>& before_ =
      fields_.add<double>(host_, {.name = "before", .units = "K"}, Layout::entities(cells_));
  StageRunner stages_;
  Stage diffusion_ = stages_.add({"ring.diffusion", "one step of the heat equation", 16.0 * double(cells_)});
};

std::unique_ptr<Model> make_ring(io::CaseFile const& case_file, ModelOptions const& options) {
  if (options.policy != "fp64" || options.device != "cpu") {
    throw InputError(
        "core 'ring' runs in fp64 on cpu only (it is written so) leave --policy and --device out");
  }
  return model_of(std::make_unique<Ring>(case_file, Host{options.threads}), case_file, options.policy);
}

}  // namespace

int main(int argc, char** argv) {
  return command_main(argc, argv, [] { register_model("ring", "heat on a ring of cells", make_ring); });
}
