// Weights in files. Those of attrs: conformance/ops/random.ops.

#include "reference/kernels/unigram_weights.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "reference/kernels/op_runner.h"

namespace tagflow::reference {
namespace {

std::string FileOf(const std::string& text) {
  const std::string path = std::string(std::getenv("TEST_TMPDIR")) + "/weights.csv";
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

// What is expected of each class among one candidate, by weights in such a file; or the error.
std::string Expected(const std::string& text, const std::vector<int64_t>& classes, int64_t range,
                     int64_t num_shards = 1) {
  const AttrMap attrs = {{"num_true", static_cast<int64_t>(classes.size())},
                         {"num_sampled", int64_t{1}},
                         {"unique", false},
                         {"range_max", range},
                         {"vocab_file", FileOf(text)},
                         {"num_shards", num_shards}};
  OpRunner runner;
  const Tensor truth = Tensor::Of<int64_t>(Dims{1, static_cast<int64_t>(classes.size())}, classes);
  const auto outputs = runner.Run("FixedUnigramCandidateSampler", {truth}, attrs);
  return outputs.ok() ? outputs->tensors[1].DebugString() : outputs.status().ToString();
}

TEST(UnigramWeights, WeightsAreTheLastColumnOfAFile) {
  EXPECT_EQ(Expected("a,1\n\nb,x, 2 \r\n5", {0, 1, 2}, 3), "float[1,3] [[0.125, 0.25, 0.625]]");
  EXPECT_EQ(Expected("a,1\nb,2\nc,3\n", {0, 1}, 2, 2), "float[1,2] [[0.25, 0.75]]");
}

TEST(UnigramWeights, WhatIsWrongWithAFileIsSaid) {
  for (const char* text : {"a,1\nb,z\n", "a,1\nb,\n", "a,1\nb,2 3\n", "a,1\nb\n"}) {
    EXPECT_NE(Expected(text, {0}, 2).find("Wrong vocabulary format at line: b"), std::string::npos);
  }
  EXPECT_NE(Expected("a,nan\n", {0}, 1).find("finite and not negative"), std::string::npos);
  EXPECT_NE(Expected("", {0}, 1).find("range_max is 1"), std::string::npos);
}

}  // namespace
}  // namespace tagflow::reference
