// Gradients of calls of single ops, against the tape; and that gradient functions that are wrong
// are noticed.
//
// Tests: call_gradients.cc, differentiable_calls.cc

#include "fuzz/gradient/call_gradients.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "fuzz/gradient/differentiable_calls.h"
#include "graph/builder/builder.h"

namespace tagflow::fuzz {
namespace {

// How many of several calls the claim fails for, have derivatives, and have some that are not 0;
// and what is wrong with the first that it fails for.
struct Outcome {
  int failures = 0;
  std::string first;
  int with_derivatives = 0;
  int with_nonzero = 0;
};
Outcome OutcomeOf(int calls, GraphGradientCheck check) {
  Outcome outcome;
  for (int i = 0; i < calls; ++i) {
    GraphGradientCheck::Counts counts;
    check.counts = &counts;
    Choices choices = Choices::FromSeed(static_cast<uint64_t>(i));
    const GraphSample call = DrawDifferentiableCall(choices);
    const std::optional<std::string> problem = CallGradientsEqualTape(call, choices, check);
    outcome.with_derivatives += counts.derivatives > 0 ? 1 : 0;
    outcome.with_nonzero += counts.nonzero > 0 ? 1 : 0;
    if (problem.has_value() && outcome.failures++ == 0) outcome.first = *problem;
  }
  return outcome;
}

TEST(CallGradients, AreTheTapes) {
  const Outcome outcome = OutcomeOf(5000, {});
  EXPECT_EQ(outcome.failures, 0) << outcome.first;
  // The property looks at something.
  EXPECT_GE(outcome.with_derivatives, 700);
  EXPECT_GE(outcome.with_nonzero, outcome.with_derivatives / 2);
}

// The standard gradients, but for one op.
GradientRegistry With(const std::string& op, GradientFunction function) {
  GradientRegistry registry;
  EXPECT_TRUE(registry.Register(op, std::move(function)).ok());
  for (const OpDef* def : OpRegistry::Standard().All()) {
    const GradientFunction* standard = GradientRegistry::Standard().Find(def->name);
    if (standard != nullptr && def->name != op) {
      EXPECT_TRUE(registry.Register(def->name, *standard).ok());
    }
  }
  return registry;
}

TEST(CallGradients, AWrongOneIsNoticed) {
  const GradientRegistry of_sine = With("Sin", [](NodeGradient& node) {
    node.Give(0, Mul(node.scope(), node.grad(0), Sin(node.scope(), node.input(0))));
    return Status();
  });
  const GradientRegistry of_items = With("TensorListStack", nullptr);
  for (const GradientRegistry* registry : {&of_sine, &of_items}) {
    GraphGradientCheck check;
    check.registry = registry;
    // Each of some 300 differentiable ops has its turn as often as another.
    EXPECT_GE(OutcomeOf(10'000, check).failures, 2);
  }
}

}  // namespace
}  // namespace tagflow::fuzz
