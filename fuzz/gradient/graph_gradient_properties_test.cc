// Gradients of random programs' graphs, against the tape and nested duals; and that gradient
// functions that are wrong are noticed.
//
// Tests: graph_gradients.cc, real_values.cc, whole_numbers.cc

#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <string>

#include "fuzz/direct/direct.h"
#include "fuzz/generate/choices.h"
#include "fuzz/generate/generate.h"
#include "fuzz/generate/profile.h"
#include "fuzz/gradient/graph_gradients.h"
#include "fuzz/gradient/whole_numbers.h"
#include "graph/builder/builder.h"

namespace tagflow::fuzz {
namespace {

using Claim = std::optional<std::string> (*)(const Program&, Choices&, const GraphGradientCheck&);

// How many of `count` programs the claim fails for.
int Failures(Claim claim, int count, const GraphGradientCheck& check,
             std::string* first = nullptr) {
  const Profile profile = *ProfileOf("smooth");
  int failures = 0;
  for (int i = 0; i < count; ++i) {
    Choices choices = Choices::FromSeed(static_cast<uint64_t>(1000 + i));
    const Program program = GenerateProgram(choices, profile);
    const auto problem = claim(program, choices, check);
    if (!problem.has_value()) continue;
    if (failures++ == 0 && first != nullptr) *first = *problem;
  }
  return failures;
}

TEST(GraphGradientProperties, GradientsAreTheTapes) {
  GraphGradientCheck::Counts counts;
  GraphGradientCheck check;
  check.counts = &counts;
  std::string first;
  EXPECT_EQ(Failures(GraphGradientsEqualTape, 600, check, &first), 0) << first;
  // The property looks at something.
  EXPECT_GE(counts.derivatives, 600);
  EXPECT_GE(counts.nonzero, counts.derivatives / 3);
  EXPECT_LE(counts.none, counts.gradients / 2);
  EXPECT_LE(counts.undecided, 6);
  EXPECT_GE(counts.again, 60);
  EXPECT_GE(counts.few, 20);
  EXPECT_GE(counts.exact, 60);
}

TEST(GraphGradientProperties, GradientsOfGradientsAreTheDuals) {
  GraphGradientCheck::Counts counts;
  GraphGradientCheck check;
  check.counts = &counts;
  std::string first;
  EXPECT_EQ(Failures(SecondOrder, 200, check, &first), 0) << first;
  EXPECT_EQ(Failures(ThirdOrder, 60, check, &first), 0) << first;
  EXPECT_GE(counts.nonzero, counts.derivatives / 10);
  EXPECT_LE(counts.undecided, 4);
}

TEST(GraphGradientProperties, WholeNumbersStayWhole) {
  const Profile profile = *ProfileOf("smooth");
  int evaluated = 0;
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    Choices choices = Choices::FromSeed(seed);
    const Program program = WholeNumbers(GenerateProgram(choices, profile));
    const Result<std::vector<RunResult>> runs = Evaluate(program);
    if (!runs.ok()) continue;
    ++evaluated;
    for (const Tensor& value : (*runs)[0].values) {
      if (value.dtype() != DType::kDouble) continue;
      for (int64_t i = 0; i < value.num_elements(); ++i) {
        const double x = value.data<double>()[i];
        EXPECT_TRUE(x == std::round(x) || !std::isfinite(x)) << "seed " << seed << ": " << x;
      }
    }
  }
  EXPECT_GE(evaluated, 50);
}

// The standard gradients, but for `op`, which has `function`.
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

TEST(GraphGradientProperties, AWrongGradientIsNoticed) {
  const GradientRegistry wrong_sign = With("Sub", [](NodeGradient& node) {
    node.GiveReduced(0, node.grad(0));
    node.GiveReduced(1, node.grad(0));
    return Status();
  });
  const GradientRegistry one_sided = With("Mul", [](NodeGradient& node) {
    if (node.wants(0)) node.GiveReduced(0, Mul(node.scope(), node.grad(0), node.input(1)));
    return Status();
  });
  const GradientRegistry stopped = With("TensorArrayReadV3", nullptr);
  for (const GradientRegistry* registry : {&wrong_sign, &one_sided, &stopped}) {
    GraphGradientCheck check;
    check.registry = registry;
    EXPECT_GE(Failures(GraphGradientsEqualTape, 300, check), 3);
  }
}

}  // namespace
}  // namespace tagflow::fuzz
