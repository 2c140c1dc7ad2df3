// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "cards/made_up_card.hpp"
#include "ensembles/cards/card.hpp"
#include "ensembles/cards/efficiency.hpp"
#include "io/error.hpp"
#include "support/temporary_folder.hpp"

namespace {

using namespace ulpine;
using namespace ulpine::ensembles::cards;
using ulpine::test::made_up_card;
using ulpine::test::with;

/// The one line in which a card of that text is refused.
std::string refusal(std::string const& text) {
  test::TemporaryFolder const folder;
  auto const file = folder.write("card.toml", text);
  auto const message = test::message_of<InputError>([&] { read_card(file); });
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  EXPECT_NE(message.find("card.toml"), std::string::npos) << message;
  return message;
}

void expect_refusal(std::string const& text, std::string const& key, std::string const& why) {
  auto const message = refusal(text);
  EXPECT_NE(message.find(key), std::string::npos) << message;
  EXPECT_NE(message.find(why), std::string::npos) << message;
}

TEST(Card, HasTheFiguresOfItsFileWithTheirSources) {
  test::TemporaryFolder const folder;
  auto const card = read_card(folder.write("made_up.toml", made_up_card));
  EXPECT_EQ(card.id, "made_up");
  EXPECT_EQ(card.name, "Made up");
  EXPECT_TRUE(card.efficiency_like.empty());
  EXPECT_EQ(card.bandwidth(), 1000);
  EXPECT_EQ(card.figures.at("rates.fp32").source, "Nothing (2026) https://example.org/nothing");
  EXPECT_EQ(card.figures.at("rates.fp32").derived, "ten times as much");
  EXPECT_EQ(card.figures.count("memory.l2"), 0u);
}

TEST(Card, CountsAFusedOperationAsOneInstruction) {
  test::TemporaryFolder const folder;
  auto const card = read_card(folder.write("made_up.toml", made_up_card));
  EXPECT_EQ(card.instruction_rate(Pipe::fp64), 10);
  EXPECT_EQ(card.instruction_rate(Pipe::fp32), 100);
  EXPECT_EQ(card.instruction_rate(Pipe::special), 5);
  EXPECT_EQ(card.instruction_rate(Pipe::integer), 50);
  auto const without = read_card(
      folder.write("without.toml", with(made_up_card, "special = { value = 5, source = \"nobody\" }", "")));
  EXPECT_FALSE(without.instruction_rate(Pipe::special));
}

TEST(Card, RefusesKeysThatItDoesNotKnow) {
  expect_refusal(with(made_up_card, "[chip]", "[chip]\ncolour = 3"), "chip.colour", "unknown");
  expect_refusal(with(made_up_card, "value = 5,", "value = 5, unit = \"1/s\","), "rates.special.unit",
                 "unknown");
  expect_refusal(with(made_up_card, "year = 2026", "year = 2026\nmonth = 5"), "sources.nobody.month",
                 "unknown");
}

TEST(Card, RefusesWhatLacksAFigure) {
  expect_refusal(with(made_up_card, "fp64 = { value = 20, source = \"nobody\" }", ""), "rates.fp64",
                 "missing");
  expect_refusal(with(made_up_card, "bandwidth = { value = 1000,", "bandwidth = {"), "memory.bandwidth",
                 "no value");
  expect_refusal(with(made_up_card, "name = \"Made up\"", ""), "name", "missing");
}

TEST(Card, RefusesFiguresThatAreNotAboveZero) {
  expect_refusal(with(made_up_card, "value = 20,", "value = -20,"), "rates.fp64.value", "-20");
  expect_refusal(with(made_up_card, "value = 20,", "value = 0,"), "rates.fp64.value", "0");
  expect_refusal(with(made_up_card, "value = 20,", "value = \"20 TFLOPS\","), "rates.fp64.value",
                 "20 TFLOPS");
}

TEST(Card, RefusesNumbersWithoutASource) {
  expect_refusal(with(made_up_card, "{ value = 20, source = \"nobody\" }", "20"), "rates.fp64", "no source");
  expect_refusal(with(made_up_card, "{ value = 20, source = \"nobody\" }", "{ value = 20 }"), "rates.fp64",
                 "no source");
  expect_refusal(with(made_up_card, "value = 20, source = \"nobody\"", "value = 20, source = \"nobdy\""),
                 "rates.fp64", "did you mean 'nobody'");
  expect_refusal(with(made_up_card, "year = 2026\n", ""), "sources.nobody", "year");
  expect_refusal(made_up_card + "[sources.other]\nyear = 1999\n", "sources.other", "title");
}

TEST(FoundCard, IsOneOfTheFolderOrAFile) {
  test::TemporaryFolder const folder;
  folder.write("one.toml", made_up_card);
  folder.write("two.toml", made_up_card);
  folder.write("operation_costs.toml", "");
  EXPECT_EQ(known_cards(folder.path()), (std::vector<std::string>{"one", "two"}));
  EXPECT_EQ(find_card("two", folder.path()).id, "two");
  EXPECT_EQ(find_card((folder / "one.toml").string(), {}).id, "one");
  auto const message = test::message_of<InputError>([&] { find_card("tow", folder.path()); });
  EXPECT_NE(message.find("unknown card 'tow' (known are one, two)"), std::string::npos) << message;
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
}

TEST(ShippedCards, AllHaveSourcesForEachNumber) {
  auto const known = known_cards();
  EXPECT_GE(known.size(), 15u);
  for (auto const& id : known) {
    SCOPED_TRACE(id);
    auto const card = find_card(id);
    for (auto const& [key, figure] : card.figures) {
      EXPECT_NE(figure.source.find("https://"), std::string::npos) << key;
    }
    for (auto const& like : card.efficiency_like) {
      EXPECT_NE(like, id);
      EXPECT_NO_THROW(find_card(like)) << like;
    }
  }
}

// Vendors state the rate of float as multiprocessors x numbers a clock x 2 x clock: figures from different
// sources that contradict each other would be told by it.
TEST(ShippedCards, HaveRatesThatFollowFromTheirClocks) {
  for (auto const& id : known_cards()) {
    SCOPED_TRACE(id);
    auto const card = find_card(id);
    auto const value = [&](char const* key) { return card.figures.at(key).value; };
    auto const a_clock = value("rates.fp32") / (2 * value("chip.multiprocessors") * value("chip.clock"));
    auto const old = id.starts_with("a100") || id == "v100" || id == "mi250x";
    EXPECT_NEAR(a_clock, old ? 64 : 128, 1.5);
    EXPECT_LE(value("rates.fp64"), value("rates.fp32"));
    EXPECT_GE(value("memory.size"), 1e9);
    EXPECT_GE(value("memory.bandwidth"), 1e11);
  }
}

TEST(Card, BeginsTheInstructionsOfFourWarpsAClockAndMultiprocessor) {
  test::TemporaryFolder const folder;
  auto const text = with(made_up_card, "[chip]\n", "[chip]\nclock = { value = 3, source = \"nobody\" }\n");
  EXPECT_EQ(read_card(folder.write("made_up.toml", text)).issue_rate(), 4 * 32 * 2 * 3);
  EXPECT_EQ(read_card(folder.write("no_clock.toml", made_up_card)).issue_rate(), 100);
  auto const h100 = find_card("h100");
  EXPECT_NEAR(h100.issue_rate() / *h100.instruction_rate(Pipe::fp32), 1, 0.02);
}

TEST(FigureKeys, AreTheRowsOfTheReferencesTable) {
  auto const* const source = std::getenv("ULPINE_SOURCE_DIR");
  if (source == nullptr) GTEST_SKIP() << "ULPINE_SOURCE_DIR names no source";
  auto const page = test::read_file(std::filesystem::path(source) / "docs" / "reference" / "cards.md");
  for (auto const& key : figure_keys()) {
    auto const row = std::string("| `") + key.name + "` | " + key.unit + " | " + key.meaning + " | " +
                     (key.required ? "yes" : "no") + " |\n";
    EXPECT_NE(page.find(row), std::string::npos) << row;
  }
}

TEST(ShippedEfficiencies, AreOfCardsThatThereAre) {
  std::error_code failed;
  for (auto const& entry : std::filesystem::directory_iterator(cards_folder() / "efficiency", failed)) {
    if (entry.path().extension() != ".toml") continue;
    SCOPED_TRACE(entry.path().string());
    auto const measured = read_efficiency(entry.path());
    EXPECT_EQ(measured.judgement.card, entry.path().stem().string());
    EXPECT_NO_THROW(find_card(measured.judgement.card));
    EXPECT_GT(measured.judgement.judged, 0);
    EXPECT_FALSE(measured.judgement.runs.empty());
  }
}

MeasuredEfficiency some_efficiency() {
  MeasuredEfficiency measured;
  measured.efficiency = {0.8, {0.5, {}, {}, 0.25}, 2e-6};
  measured.judgement = {"one", {"case, fp64, cuda"}, 7, 6, 0.05, 0.2, 0.01};
  return measured;
}

TEST(Efficiency, IsReadAsItWasWritten) {
  test::TemporaryFolder const folder;
  auto const before = some_efficiency();
  auto const after = read_efficiency(folder.write("one.toml", to_toml(before)));
  EXPECT_EQ(after.efficiency.memory, 0.8);
  EXPECT_EQ(after.efficiency.of_pipe, before.efficiency.of_pipe);
  EXPECT_EQ(after.efficiency.latency, 2e-6);
  EXPECT_FALSE(after.efficiency.kernel_latency);
  EXPECT_FALSE(after.efficiency.overhead);
  EXPECT_FALSE(after.efficiency.number_latency);
  EXPECT_FALSE(after.efficiency.instruction_latency);
  auto with_all = before;
  with_all.efficiency = {0.8, {}, 2e-6, 7e-6, 1.5, 1e-7, 4e-9};
  auto const all = read_efficiency(folder.write("all.toml", to_toml(with_all))).efficiency;
  EXPECT_EQ(all.kernel_latency, 7e-6);
  EXPECT_EQ(all.overhead, 1.5);
  EXPECT_EQ(all.number_latency, 1e-7);
  EXPECT_EQ(all.instruction_latency, 4e-9);
  EXPECT_EQ(after.judgement.card, "one");
  EXPECT_EQ(after.judgement.runs, before.judgement.runs);
  EXPECT_EQ(after.judgement.fitted, 7);
  EXPECT_EQ(after.judgement.judged, 6);
  EXPECT_EQ(after.judgement.median_error, 0.05);
  EXPECT_EQ(after.judgement.largest_error, 0.2);
  EXPECT_EQ(after.judgement.total_error, 0.01);
  auto const refused = folder.write("bad.toml", "memori = 0.5\n" + to_toml(before));
  EXPECT_NE(test::message_of<InputError>([&] { read_efficiency(refused); }).find("memori"),
            std::string::npos);
  auto const negative = folder.write("negative.toml", with(to_toml(before), "memory = 0.8", "memory = -0.8"));
  EXPECT_NE(test::message_of<InputError>([&] { read_efficiency(negative); }).find("memory"),
            std::string::npos);
}

TEST(Efficiency, IsTheCardsOwnElseAnothersElseAll) {
  test::TemporaryFolder const folder;
  std::filesystem::create_directory(folder / "efficiency");
  Card card{.id = "two", .name = "Two", .efficiency_like = {"none", "one"}, .figures = {}};
  auto const none = efficiency_for(card, folder.path());
  EXPECT_EQ(none.efficiency.memory, 1);
  EXPECT_EQ(none.efficiency.latency, 0);
  EXPECT_NE(none.words.find("no efficiencies are measured"), std::string::npos);
  folder.write("efficiency/one.toml", to_toml(some_efficiency()));
  auto const like = efficiency_for(card, folder.path());
  EXPECT_EQ(like.efficiency.memory, 0.8);
  EXPECT_NE(like.words.find("measured on one, as none are of this card"), std::string::npos) << like.words;
  auto own = some_efficiency();
  own.efficiency.memory = 0.7;
  folder.write("efficiency/two.toml", to_toml(own));
  auto const its = efficiency_for(card, folder.path());
  EXPECT_EQ(its.efficiency.memory, 0.7);
  EXPECT_EQ(its.words, "efficiencies measured on it");
}

}  // namespace
