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

// How many of `count` calls the claim fails for.
int Failures(int count, const GraphGradientCheck& check, std::string* first = nullptr) {
  int failures = 0;
  for (int i = 0; i < count; ++i) {
    Choices choices = Choices::FromSeed(static_cast<uint64_t>(i));
    const GraphSample call = DrawDifferentiableCall(choices);
    const std::optional<std::string> problem = CallGradientsEqualTape(call, choices, check);
    if (!problem.has_value()) continue;
    if (failures++ == 0 && first != nullptr) *first = *problem;
  }
  return failures;
}

TEST(CallGradients, AreTheTapes) {
  GraphGradientCheck::Counts counts;
  GraphGradientCheck check;
  check.counts = &counts;
  std::string first;
  EXPECT_EQ(Failures(5000, check, &first), 0) << first;
  // The property looks at something.
  EXPECT_GE(counts.derivatives, 5000);
  EXPECT_GE(counts.nonzero, counts.derivatives / 3);
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
    EXPECT_GE(Failures(10'000, check), 2);
  }
}

}  // namespace
}  // namespace tagflow::fuzz
