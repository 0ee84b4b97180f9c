// The gradients of ops in a loop, where the forward values that they ask for are those of the
// iteration, against the tape, which follows loops by itself.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "fuzz/gradient/op_chain.h"

namespace tagflow::fuzz {
namespace {

using reference::AdjointCall;
using reference::AdjointCalls;

void ExpectRight(const AdjointCalls& calls, bool is_known, int orders) {
  for (const AdjointCall& call : calls) {
    OpChain chain(call, {.is_known = is_known, .in_loop = true});
    EXPECT_FALSE(chain.done()) << call.ToString();
    for (int order = 1; order <= std::min(orders, call.orders_max) && !chain.done(); ++order) {
      EXPECT_EQ(chain.StepByTape(), "") << "order " << order << ", of " << call.ToString();
    }
  }
}

TEST(OpGradientsInLoops, WithKnownShapes) { ExpectRight(reference::AllAdjointCalls(), true, 1); }

TEST(OpGradientsInLoops, WithUnknownShapes) { ExpectRight(reference::AllAdjointCalls(), false, 1); }

// One call of each op.
TEST(OpGradientsInLoops, AgainstTheTapeToSecondOrder) {
  AdjointCalls calls;
  for (const AdjointCall& call : reference::AllAdjointCalls()) {
    if (calls.empty() || calls.back().op != call.op) calls.push_back(call);
  }
  ExpectRight(calls, true, 2);
}

TEST(OpGradientsInLoops, AWrongOneIsFound) {
  GradientRegistry registry;
  for (const char* op : {"AddV2", "Mul", "Identity"}) {
    ASSERT_TRUE(registry.Register(op, *GradientRegistry::Standard().Find(op)).ok());
  }
  ASSERT_TRUE(registry.RegisterStop("ZerosLike").ok());
  ASSERT_TRUE(registry
                  .Register("Sin",
                            [](NodeGradient& node) {
                              node.Give(0, node.grad(0));
                              return Status();
                            })
                  .ok());
  OpChain chain({"Sin", {Tensor::Vector<double>({0.5, 0.25})}},
                {.in_loop = true, .registry = &registry});
  const std::string wrong = chain.StepByTape();
  EXPECT_EQ(wrong.substr(0, 10), "by input0[") << wrong;
}

}  // namespace
}  // namespace tagflow::fuzz
