// Every benchmark program computes what it should: at full size on the engine, against the values
// that TensorFlow, JAX and plain C++ agree on; at a small size on both engines, against each other.

#include "bench/programs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "bench/cpp_programs.h"
#include "bench/engines.h"

namespace tagflow::bench {
namespace {

Program Made(const ProgramSpec& spec, int64_t size) {
  Result<Program> program = spec.make(size);
  EXPECT_TRUE(program.ok()) << program.status().ToString();
  return program.ok() ? *std::move(program) : Program();
}

std::vector<double> ValuesOf(const Program& program, const EngineChoice& engine) {
  const Result<Step> step =
      Prepare({program.graph.Clone(), program.feeds, program.fetches}, engine);
  EXPECT_TRUE(step.ok()) << step.status().ToString();
  if (!step.ok()) return {};
  const Result<std::vector<Tensor>> outputs = (*step)();
  EXPECT_TRUE(outputs.ok()) << outputs.status().ToString();
  return outputs.ok() ? CheckValues(*outputs) : std::vector<double>();
}

class EveryProgram : public testing::TestWithParam<ProgramSpec> {};

TEST_P(EveryProgram, GivesItsCheckValueOnTheEngine) {
  const ProgramSpec& spec = GetParam();
  const Program program = Made(spec, spec.size);
  for (const int threads : {1, 2}) {
    const std::vector<double> values = ValuesOf(program, {"engine", threads});
    EXPECT_TRUE(ChecksAgree(values, spec.check, spec.tolerance))
        << threads << " threads: " << testing::PrintToString(values) << ", expected "
        << testing::PrintToString(spec.check);
  }
}

TEST_P(EveryProgram, IsTheSameOnTheReference) {
  const ProgramSpec& spec = GetParam();
  const Program program = Made(spec, spec.small_size);
  const std::vector<double> engine = ValuesOf(program, {"engine", 1});
  const std::vector<double> reference = ValuesOf(program, {"reference", 1});
  EXPECT_TRUE(ChecksAgree(engine, reference, std::max(spec.tolerance, 1e-6)))
      << testing::PrintToString(engine) << ", reference " << testing::PrintToString(reference);
}

TEST_P(EveryProgram, IsTheSameInCpp) {
  const ProgramSpec& spec = GetParam();
  const Result<Step> step = PrepareCpp(spec.name);
  if (!step.ok()) GTEST_SKIP() << step.status().ToString();
  const Result<std::vector<Tensor>> outputs = (*step)();
  ASSERT_TRUE(outputs.ok());
  const std::vector<double> values = CheckValues(*outputs);
  EXPECT_TRUE(ChecksAgree(values, spec.check, std::max(spec.tolerance, 1e-6)))
      << testing::PrintToString(values);
}

INSTANTIATE_TEST_SUITE_P(Programs, EveryProgram, testing::ValuesIn(Programs()),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(ProgramsTest, NamesAreDistinctAndFound) {
  std::set<std::string_view> names;
  for (const ProgramSpec& spec : Programs()) {
    EXPECT_TRUE(names.insert(spec.name).second) << spec.name;
    EXPECT_EQ(FindProgram(spec.name), &spec);
  }
  EXPECT_EQ(FindProgram("scalars"), nullptr);
}

TEST(ProgramsTest, CheckValues) {
  EXPECT_EQ(CheckValue(Tensor::Scalar(-3.0f)), -3);
  EXPECT_EQ(CheckValue(Tensor::Vector<int32_t>({-1, 2, -6})), 3);
  EXPECT_TRUE(std::isnan(CheckValue(Tensor::Scalar(true))));
  EXPECT_TRUE(ChecksAgree({100.5, 2}, {100, 2}, 0.01));
  EXPECT_FALSE(ChecksAgree({100.5, 2}, {100, 2}, 0.001));
  EXPECT_FALSE(ChecksAgree({1}, {1, 1}, 0.1));
  EXPECT_FALSE(ChecksAgree({std::nan("")}, {1}, 0.1));
}

TEST(CppProgramsTest, WhatIsAboutGraphsIsNotThere) {
  EXPECT_EQ(PrepareCpp("setup100k").status().code(), Code::kNotFound);
  EXPECT_TRUE(PrepareCpp("lstm_b1_fwd").ok());
}

TEST(EnginesTest, AnEngineOfAnotherName) {
  Result<Program> program = FindProgram("run0")->make(1);
  EXPECT_EQ(Prepare(*std::move(program), {"jax", 1}).status().code(), Code::kInvalidArgument);
}

}  // namespace
}  // namespace tagflow::bench
