// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "core/seaice/register.hpp"
#include "seaice/solver_support.hpp"

namespace {

std::atomic<long> allocations{0};

}  // namespace

void* operator new(std::size_t size) {
  ++allocations;
  if (void* const memory = std::malloc(size)) {
    return memory;
  }
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace {

using namespace ulpine;

std::unique_ptr<Model> quick(std::string const& policy, std::string const& extra = "") {
  seaice::register_core();
  auto const case_file =
      io::CaseFile::parse("core = 'seaice'\n[grid]\nnx = 16\n[time]\nsubsteps = 10\n" + extra, "quick.toml");
  return make_model(case_file, {.policy = policy});
}

std::vector<double> read(Model const& model, std::string const& name, std::int64_t size) {
  std::vector<double> values(static_cast<std::size_t>(size));
  model.read(name, values);
  return values;
}

TEST(Step, AllocatesNothing) {
  for (auto const assembly : {Assembly::deterministic, Assembly::atomic}) {
    auto const solver = test::make("mixed", assembly, {rectangle_mesh(16, 16, 512e3, 512e3)});
    solver->advance(1);

    auto const before = allocations.load();
    solver->advance(2);
    solver->advance(3);

    EXPECT_EQ(allocations.load() - before, 0) << name_of(assembly);
  }
}

TEST(Restart, GoesOnBitForBit) {
  for (char const* const policy : {"fp64", "fp32", "mixed", "tf32", "quad"}) {
    auto const straight = quick(policy), first = quick(policy), second = quick(policy);
    straight->advance(6);
    first->advance(2);

    second->restore(*first->state());
    second->advance(4);

    EXPECT_EQ(second->state_hash(), straight->state_hash()) << policy;
    EXPECT_EQ(second->step(), 6);
    EXPECT_EQ(read(*second, "shear", 256), read(*straight, "shear", 256)) << policy;
  }
}

TEST(Restart, OfAnotherPolicyCaseOrShapeIsRefused) {
  auto const model = quick("fp64");
  EXPECT_THROW(model->restore(*quick("fp32")->state()), InputError);
  EXPECT_THROW(model->restore(*quick("fp64", "[seaice]\nalpha = 1000\n")->state()), InputError);
  io::StoredState state{*model->state()};
  state.header().arrays.pop_back();
  EXPECT_THROW(model->restore(state), InputError);
}

TEST(Perturbation, IsUniformOfItsAmplitudeAndTheSameForEveryPolicy) {
  auto const plain = quick("fp64"), noisy = quick("fp64"), mixed = quick("mixed");
  Perturbation const noise{.seed = 7, .member = 3, .amplitude = 0x1p-7};
  for (auto* const model : {noisy.get(), mixed.get()}) {
    model->perturb("sivol", noise);
    model->perturb("siconc", noise);
  }

  auto const before = read(*plain, "sivol", 256), after = read(*noisy, "sivol", 256);
  double least = 1, most = -1;
  for (std::size_t k = 0; k < before.size(); ++k) {
    least = std::min(least, after[k] - before[k]);
    most = std::max(most, after[k] - before[k]);
  }
  EXPECT_GE(least, -0x1p-7);
  EXPECT_LT(most, 0x1p-7);
  EXPECT_LT(least, -0.8 * 0x1p-7);  // 256 draws reach within a fifth of the ends but for a chance of 1e-11
  EXPECT_GT(most, 0.8 * 0x1p-7);
  for (double const a : read(*noisy, "siconc", 256)) {
    EXPECT_LE(a, 1);
  }
  EXPECT_EQ(read(*mixed, "sivol", 256), after);
  EXPECT_THROW(noisy->perturb("siu", noise), InputError);
}

TEST(Case, BadKeysAreRefusedByName) {
  auto const refused = [](std::string const& text, std::string const& word) {
    try {
      quick("fp64", text);
    } catch (InputError const& error) {
      return std::string(error.what()).find(word) != std::string::npos &&
             std::string(error.what()).find('\n') == std::string::npos;
    }
    return false;
  };
  EXPECT_TRUE(refused("[seaice]\nlimitter = 'exact'\n", "limiter"));
  EXPECT_TRUE(refused("[seaice]\nlimiter = 'exakt'\n", "exact"));
  EXPECT_TRUE(refused("[discretisation]\ndg = 4\n", "use 1, 3 or 6"));
  EXPECT_TRUE(refused("[discretisation]\ncg = 3\n", "use 1 or 2"));
  EXPECT_TRUE(refused("[initial]\nsource = 'file'\nfile = 'nowhere.nc'\n", "nowhere.nc"));
  EXPECT_TRUE(refused("[seaice]\nalpha = -1\n", "alpha"));
}

}  // namespace
