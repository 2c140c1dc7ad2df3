// SPDX-License-Identifier: Apache-2.0
// Which evaluations and figures a case has, what their keys refuse, and evaluators of one's own.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "io/error.hpp"
#include "verification/evaluated_fields.hpp"
#include "verification/evaluators/evaluation.hpp"
#include "verification/evaluators/kinds.hpp"

namespace ulpine::verification {
namespace {

using evaluated_fields::refusal, evaluated_fields::six_cells, evaluated_fields::Study;

TEST(Evaluations, OfTheCaseAlterThoseOfTheCore) {
  std::string const declared =
      "[evaluate.top]\nkind = \"extremum\"\nfield = \"h\"\n[evaluate.lkf]\nkind = \"lkf\"\nfield = "
      "\"shear\"\n"
      "parameters = \"rgps\"\n";
  auto const read = [&](std::string const& text) {
    return read_evaluations(io::CaseFile::parse("core = \"toy\"\n" + text, "case.toml"), declared);
  };
  auto const parameter = [](Evaluation const& evaluation, std::string const& key) {
    auto const& list = evaluation.info.parameters;
    auto const found = std::ranges::find(list, key, [](auto const& entry) { return entry.first; });
    return found == list.end() ? std::string("none") : std::get<std::string>(found->second);
  };
  auto const plain = read("");
  ASSERT_EQ(plain.size(), 2u);
  EXPECT_EQ(plain[0].info.name, "top");
  EXPECT_EQ(parameter(plain[0], "which"), "maximum");
  EXPECT_EQ(parameter(plain[1], "parameters"), "rgps");
  EXPECT_FALSE(plain[0].of_case);

  auto const altered = read(
      "[evaluate.top]\nwhich = \"minimum\"\n[evaluate.more]\nkind = \"mean\"\nfield = \"u\"\n[lkf]\n"
      "parameters = \"dog15\"\n");
  ASSERT_EQ(altered.size(), 3u);
  EXPECT_EQ(parameter(altered[0], "which"), "minimum");
  EXPECT_EQ(altered[0].info.fields, (std::vector<std::string>{"h"}));
  EXPECT_EQ(parameter(altered[1], "parameters"), "dog15") << "by the table of the kind";
  EXPECT_EQ(altered[2].info.name, "more");

  EXPECT_EQ(read("[evaluate.top]\nuse = false\n").size(), 1u);
  auto const own = read("[evaluate.lkf]\nparameters = \"eps_default\"\n[lkf]\nparameters = \"dog15\"\n");
  EXPECT_EQ(parameter(own[1], "parameters"), "eps_default") << "its own table goes before that of the kind";
}

TEST(Evaluations, RefuseWhatTheyDoNotKnow) {
  EXPECT_NE(refusal("[evaluate.a]\nkind = \"meen\"\nfield = \"h\"\n")
                .find("case.toml:3: evaluate.a.kind: unknown kind of evaluation 'meen'"),
            std::string::npos);
  EXPECT_NE(refusal("[evaluate.a]\nkind = \"meen\"\nfield = \"h\"\n").find("did you mean 'mean'"),
            std::string::npos);
  EXPECT_NE(refusal("[evaluate.a]\nkind = \"mean\"\nfield = \"h\"\nflor = 1\n")
                .find("case.toml:5: evaluate.a.flor: unknown key"),
            std::string::npos);
  EXPECT_NE(refusal("[evaluate.a]\nkind = \"mean\"\n").find("evaluate.a.field: is missing"),
            std::string::npos);
  EXPECT_NE(refusal("[evaluate.a]\nfield = \"h\"\n").find("evaluate.a.kind: is missing"), std::string::npos);
  EXPECT_NE(refusal("[evaluate.a]\nkind = \"mean\"\nfield = \"h\"\ntransform = \"log10\"\n")
                .find("evaluate.a.floor: is missing"),
            std::string::npos);
  EXPECT_NE(
      refusal("[evaluate.a]\nkind = \"quantile\"\nfield = \"h\"\nprobability = 1.5\n").find("out of range"),
      std::string::npos);
  EXPECT_NE(
      refusal("[evaluate.a]\nkind = \"power\"\nfield = \"h\"\nexponent = 1.5\n").find("no whole number"),
      std::string::npos);
  EXPECT_NE(refusal("[evaluate.metrics]\nkind = \"mean\"\nfield = \"h\"\n").find("choose another"),
            std::string::npos);
  EXPECT_NE(refusal("evaluate.a = 3\n").find("is no table"), std::string::npos);
  EXPECT_NE(refusal("", "[evaluate.a]\nkind = \"meen\"\nfield = \"h\"\n").find("core toy:2:"),
            std::string::npos);
  EXPECT_EQ(refusal("[evaluate.a]\nkind = \"mean\"\nfield = \"h\"\n"), "");
}

TEST(Evaluations, RefuseFieldsThatDoNotSuit) {
  Study study = six_cells();
  auto const problem = [&](std::string const& keys) {
    try {
      study.evaluation(keys);
      return std::string();
    } catch (InputError const& error) {
      return std::string(error.what());
    }
  };
  EXPECT_NE(problem("kind = \"mean\"\nfield = \"hh\"").find("unknown field 'hh'"), std::string::npos);
  EXPECT_NE(problem("kind = \"profile\"\nfield = \"h\"\naxis = \"z\"").find("no dimension 'z'"),
            std::string::npos);
  EXPECT_NE(problem("kind = \"lkf\"\nfield = \"h\"").find("is in 'm'"), std::string::npos);
  study.layout.grids["h"].weights.clear();
  EXPECT_NE(problem("kind = \"integral\"\nfield = \"h\"").find("needs areas or volumes"), std::string::npos);
  // What a core declares is left out with a word.
  auto const file = io::CaseFile::parse("core = \"toy\"\n", "case.toml");
  std::vector<std::string> notes;
  EXPECT_TRUE(
      fit(read_evaluations(file, "[evaluate.a]\nkind = \"mean\"\nfield = \"hh\"\n"), study.layout, notes)
          .empty());
  EXPECT_EQ(notes, (std::vector<std::string>{"evaluation a left out: the output has no field hh"}));
}

/// What a user's own program may add.
class Ones final : public Evaluator {
 public:
  explicit Ones(EvaluationKeys const& keys) : field_{keys.required_text("field")} {}
  std::vector<std::string> fields() const override { return {field_}; }
  std::vector<StatisticDescription> describe_statistics(FrameLayout const&) const override {
    return {{"number", "values that are one", "1", 1}};
  }
  std::vector<double> statistics(Frame const& frame, FrameLayout const&) const override {
    return {static_cast<double>(std::ranges::count(frame.at(field_), 1.0))};
  }

 private:
  std::string field_;
};

TEST(Evaluators, OfOnesOwnCanBeRegistered) {
  register_evaluator({"ones", "counts", [](EvaluationKeys const& keys) -> std::unique_ptr<Evaluator> {
                        return std::make_unique<Ones>(keys);
                      }});
  auto const study = six_cells();
  auto const found = study.evaluation("kind = \"ones\"\nfield = \"h\"");
  EXPECT_EQ(found.statistics.at(0).name, "e_number");
  EXPECT_EQ(found.evaluation.evaluator->statistics(study.frame, study.layout).at(0), 1);
}

TEST(Figures, AreOneSubjectEach) {
  auto const read = [](std::string const& text) {
    return read_figures(io::CaseFile::parse("core = \"toy\"\n" + text, "case.toml"),
                        "[figure.map]\nkind = \"map\"\nfield = \"h\"\nscale = \"log\"\n");
  };
  auto const figures = read("[figure.w]\nkind = \"section\"\nfield = \"w\"\naxis = \"y\"\nindex = 3\n");
  ASSERT_EQ(figures.size(), 2u);
  EXPECT_EQ(figures[0].subject, "h");
  EXPECT_EQ(figures[0].scale, "log");
  EXPECT_EQ(figures[1].axis, "y");
  EXPECT_EQ(figures[1].index, 3);
  EXPECT_TRUE(read("[figure.map]\nuse = false\n").empty());
  for (auto const* bad :
       {"[figure.w]\nkind = \"mop\"\nfield = \"h\"\n", "[figure.w]\nkind = \"map\"\n",
        "[figure.w]\nfield = \"h\"\n", "[figure.w]\nkind = \"map\"\nfield = \"h\"\ncurve = \"c\"\n",
        "[figure.w]\nkind = \"map\"\nfield = \"h\"\nlavel = 2\n"}) {
    EXPECT_THROW(read(bad), InputError) << bad;
  }
}

TEST(Evaluations, AreCalledAsAsked) {
  auto const study = six_cells();
  auto const called = study.evaluation("kind = \"mean\"\nfield = \"h\"\nlong_name = \"mean depth\"");
  EXPECT_EQ(called.statistics.at(0).long_name, "mean depth");
  EXPECT_EQ(study.evaluation("kind = \"mean\"\nfield = \"h\"").statistics.at(0).long_name, "mean of h");
  auto const profile =
      study.evaluation("kind = \"profile\"\nfield = \"h\"\naxis = \"y\"\nlong_name = \"depth by row\"");
  EXPECT_EQ(profile.curves.at(0).long_name, "depth by row");
  for (auto const& [key, value] : called.evaluation.info.parameters) EXPECT_NE(key, "long_name");
}

TEST(Units, AreRaisedFactorByFactor) {
  EXPECT_EQ(raised("m", 2), "m2");
  EXPECT_EQ(raised("s-1", 3), "s-3");
  EXPECT_EQ(raised("kg m-3", 2), "kg2 m-6");
  EXPECT_EQ(raised("m2 s-2", 1), "m2 s-2");
  EXPECT_EQ(raised("1", 4), "1");
  for (auto const* const other : {"m/s", "m^2", "degrees_north", "10 m", "m s**-1", "m s-"}) {
    EXPECT_EQ(raised(other, 2), std::string("(").append(other).append(")2"));
  }
}

}  // namespace
}  // namespace ulpine::verification
