#ifndef TAGFLOW_FUZZ_LOWER_TEST_RUN_H_
#define TAGFLOW_FUZZ_LOWER_TEST_RUN_H_

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "fuzz/lower/lower.h"
#include "graph/validate.h"
#include "reference/races.h"
#include "reference/session.h"

namespace tagflow::fuzz {

// One session, all runs; what each fetches. Fails the test for a graph that is invalid, a step that
// fails, and a race.
inline std::vector<std::vector<Tensor>> RunOnce(const Program& program, uint64_t seed) {
  std::vector<std::vector<Tensor>> runs;
  Result<Lowered> lowered = Lower(program);
  EXPECT_TRUE(lowered.ok()) << lowered.status().ToString();
  if (!lowered.ok()) return runs;
  for (const Status& error : ValidateGraph(lowered->graph)) ADD_FAILURE() << error.ToString();
  const auto session = *reference::Session::Create(lowered->graph.Clone());
  if (!lowered->init.empty()) {
    const Status ready = session->Run({}, {}, lowered->init).status();
    EXPECT_TRUE(ready.ok()) << ready.ToString();
  }
  for (int run = 0; run < program.runs; ++run) {
    reference::RunOptions options;
    options.max_firings = 1'000'000;
    options.seed = seed;
    reference::History history;
    options.history = &history;
    const auto values =
        session->Run(FeedsOf(program, *lowered, run), lowered->fetches, {}, options);
    EXPECT_TRUE(values.ok()) << values.status().ToString();
    if (!values.ok()) return runs;
    runs.push_back(*values);
    for (const reference::Race& race : FindRaces(history)) ADD_FAILURE() << race.ToString(history);
  }
  return runs;
}

// As RunOnce, on several orders of ready nodes, which must agree.
inline std::vector<std::vector<Tensor>> RunInAllWays(const Program& program) {
  const std::vector<std::vector<Tensor>> first = RunOnce(program, 0);
  for (uint64_t seed = 1; seed < 6; ++seed) {
    const std::vector<std::vector<Tensor>> again = RunOnce(program, seed);
    EXPECT_EQ(first.size(), again.size());
    for (size_t run = 0; run < first.size() && run < again.size(); ++run) {
      for (size_t i = 0; i < first[run].size(); ++i) {
        EXPECT_TRUE(BitwiseEqual(first[run][i], again[run][i]))
            << "seed " << seed << ", run " << run << ", result " << i << ": "
            << first[run][i].DebugString() << " and " << again[run][i].DebugString();
      }
    }
  }
  return first;
}

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_LOWER_TEST_RUN_H_
