// Programs on the devices that the placer chose, run by the reference: they give what they give
// whole.

#include <gtest/gtest.h>

#include <set>

#include "fuzz/engines/reference_engine.h"
#include "fuzz/generate/generate.h"
#include "fuzz/placement/question.h"
#include "fuzz/program/text.h"
#include "fuzz/properties/claims.h"

namespace tagflow::fuzz {
namespace {

constexpr uint64_t kPrograms = 25;  // of each profile

// Whether the claim places the program on more devices than one.
bool IsSpread(const Program& program, Choices choices) {
  const Result<Lowered> lowered = Lower(program);
  EXPECT_TRUE(lowered.ok()) << lowered.status().ToString();
  const Result<PlacementReport> report = PlaceSoftly(*lowered, choices);
  EXPECT_TRUE(report.ok()) << report.status().ToString();
  std::set<std::string> used;
  for (const NodeId id : lowered->graph.NodeIds()) {
    used.insert(report->placement.device_of[Index(id)]);
  }
  return used.size() > 1;
}

TEST(PlacedPrograms, GiveWhatTheyGiveWhole) {
  int programs = 0;
  int spread = 0;
  for (const char* name : {"default", "deep", "effects", "arrays"}) {
    const Result<Profile> profile = ProfileOf(name);
    ASSERT_TRUE(profile.ok());
    for (uint64_t seed = 0; seed < kPrograms; ++seed, ++programs) {
      Choices choices = Choices::FromSeed(seed);
      const Program program = GenerateProgram(choices, *profile);
      spread += IsSpread(program, choices) ? 1 : 0;
      const Violation violation = PlacedByCost(program, choices, StandardReference());
      ASSERT_FALSE(violation) << name << " " << seed << ": " << *violation << "\n"
                              << ToText(program);
    }
  }
  EXPECT_EQ(programs, 100);
  EXPECT_GT(spread, 30);
}

}  // namespace
}  // namespace tagflow::fuzz
