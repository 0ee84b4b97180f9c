#include "fuzz/lower/to_case.h"

#include <gtest/gtest.h>

#include "fuzz/lower/program_maker.h"
#include "graph/io/import.h"
#include "graph/io/tensor_proto.h"
#include "reference/session.h"

namespace tagflow::fuzz {
namespace {

Tensor Int(int32_t value) { return Tensor::Scalar(value); }

// Two runs; a variable; an integer and a double that is rounded.
Program Sample() {
  ProgramMaker m;
  const ValueId x = m.Input({Tensor::Scalar(1.5), Tensor::Scalar(-2.25)});
  const int v = m.Variable(Int(3));
  m.Assign(v, m.Int(4), Op::kAssignAdd);
  return m.Finish({m.Read(v), m.Like(Op::kExp, {x})});
}

TEST(ToCaseTest, TheCaseHoldsOnTheReference) {
  const Result<conformance::Case> made = ToCase(Sample(), "sample", "A sample.");
  ASSERT_TRUE(made.ok()) << made.status().ToString();
  EXPECT_EQ(made->name(), "sample");
  EXPECT_EQ(made->about(), "A sample.");
  ASSERT_EQ(made->steps_size(), 3);
  EXPECT_EQ(made->steps(0).targets_size(), 1);
  const auto session = *reference::Session::Create(*ImportGraph(made->graph()));
  for (const conformance::Step& step : made->steps()) {
    reference::NamedTensors feeds;
    for (const auto& feed : step.feeds()) {
      feeds.emplace_back(feed.name(), *TensorFromProto(feed.value()));
    }
    const auto values = session->Run(feeds, {step.fetches().begin(), step.fetches().end()},
                                     {step.targets().begin(), step.targets().end()});
    ASSERT_TRUE(values.ok()) << values.status().ToString();
    ASSERT_EQ(step.expect_size(), step.fetches_size());
    for (int i = 0; i < step.expect_size(); ++i) {
      const Tensor expected = *TensorFromProto(step.expect(i).any_of(0));
      const Tensor& actual = (*values)[static_cast<size_t>(i)];
      if (step.expect(i).absolute() == 0) {
        EXPECT_TRUE(BitwiseEqual(expected, actual));
      } else {
        EXPECT_NEAR(expected.scalar<double>(), actual.scalar<double>(), step.expect(i).absolute());
      }
    }
  }
}

TEST(ToCaseTest, OnlyWhatRoundsHasATolerance) {
  const Result<conformance::Case> made = ToCase(Sample(), "sample", "A sample.");
  ASSERT_TRUE(made.ok()) << made.status().ToString();
  const conformance::Step& run = made->steps(1);
  ASSERT_EQ(run.expect_size(), 3);
  EXPECT_EQ(run.expect(0).absolute(), 0);
  EXPECT_GT(run.expect(1).absolute(), 0);
  EXPECT_LT(run.expect(1).absolute(), 1e-12);
  EXPECT_EQ(run.expect(2).absolute(), 0);
}

TEST(ToCaseTest, AProgramThatFailsHasNoCase) {
  ProgramMaker m;
  const ValueId zero = m.Int(0);
  const Result<conformance::Case> made =
      ToCase(m.Finish({m.Like(Op::kFloorDiv, {m.Int(1), zero})}), "sample", "A sample.");
  EXPECT_EQ(made.status().code(), Code::kFailedPrecondition);
}

}  // namespace
}  // namespace tagflow::fuzz
