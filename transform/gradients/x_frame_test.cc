// What the gradient by a tensor of a loop is: an error outside of the loop, that says what to take
// in its place; a tensor in its body.

#include "transform/gradients/x_frame.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "graph/builder/builder.h"
#include "transform/gradients/gradients.h"

namespace tagflow {
namespace {

class XFrameTest : public testing::Test {
 protected:
  // a = a * c, three times, from x; in the outer loop, which makes two iterations, from outer a.
  void Build(bool nested) {
    const auto inner = [&](const Scope& in, const Output& begin) -> Output {
      return WhileLoop(
          in, {Const(in, 0), begin},
          [](const Scope& s, const OutputList& v) { return Less(s, v[0], 3); },
          [&](const Scope& s, const OutputList& v) -> OutputList {
            variable = v[1];
            product = Mul(s.WithOpName("product"), v[1], c);
            unused = Mul(s.WithOpName("unused"), c, 2.0);
            const Result<OutputList> by = Gradients(s, {product}, {variable});
            EXPECT_TRUE(by.ok() && (*by)[0].valid()) << by.status().ToString();
            return {v[0] + 1, product};
          },
          {.name = "inner"})[1];
    };
    y = nested ? WhileLoop(
                     scope, {Const(scope, 0), x},
                     [](const Scope& s, const OutputList& v) { return Less(s, v[0], 2); },
                     [&](const Scope& s, const OutputList& v) -> OutputList {
                       return {v[0] + 1, inner(s, v[1])};
                     },
                     {.name = "outer"})[1]
               : inner(scope, x);
  }
  std::string Refusal(const Output& by, const GradientOptions& options = {}) {
    const Result<OutputList> gradients = Gradients(scope, {y}, {by}, {}, options);
    EXPECT_EQ(gradients.status().code(), Code::kInvalidArgument);
    return gradients.status().ToString();
  }
  static bool Says(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  }

  Scope scope = Scope::Root();
  Output x = Placeholder(scope.WithOpName("x"), DType::kDouble, PartialShape::Scalar());
  Output c = Placeholder(scope.WithOpName("c"), DType::kDouble, PartialShape::Scalar());
  Output y, variable, product, unused;
};

TEST_F(XFrameTest, AVariableIsNamedByItsInitialValue) {
  Build(false);
  const std::string refusal = Refusal(variable);
  EXPECT_TRUE(Says(refusal, "is in frame 'inner'")) << refusal;
  EXPECT_TRUE(Says(refusal, "by what enters as it, 'x'")) << refusal;
}

TEST_F(XFrameTest, WhatIsComputedIsNamedByWhatItIsComputedFrom) {
  Build(false);
  const std::string refusal = Refusal(product);
  EXPECT_TRUE(Says(refusal, "x 'inner/product' is in frame 'inner'")) << refusal;
  EXPECT_TRUE(Says(refusal, "'x'") && Says(refusal, "'c'")) << refusal;
}

TEST_F(XFrameTest, InLoopsInLoopsTheNamesAreThoseOutside) {
  Build(true);
  EXPECT_TRUE(Says(Refusal(variable), "is in frame 'outer/outer/inner'")) << Refusal(variable);
  EXPECT_TRUE(Says(Refusal(variable), "by what enters as it, 'x'")) << Refusal(variable);
}

TEST_F(XFrameTest, WhatNoYNeedsIsRefusedToo) {
  Build(false);
  EXPECT_TRUE(Says(Refusal(unused), "computed from ('c')")) << Refusal(unused);
  EXPECT_TRUE(Says(Refusal(unused, {.zeros_for_unreached = true}), "is in frame 'inner'"));
}

// A graph that was loaded: its nodes tell their frames by edges alone.
TEST_F(XFrameTest, InALoadedGraphTheFramesAreKnown) {
  Build(false);
  Result<Graph> graph = scope.Finish();
  ASSERT_TRUE(graph.ok());
  const Result<Scope> loaded = Scope::Open(*std::move(graph));
  ASSERT_TRUE(loaded.ok());
  for (const NodeId id : loaded->graph().NodeIds()) {
    const Node& node = loaded->graph().node(id);
    if (node.op != "Enter") continue;
    const Output by = *loaded->Find(node.name);
    if (by.dtype() != DType::kDouble) continue;
    const std::string outside = OutputName(loaded->graph(), node.inputs[0]);
    const Status status = Gradients(*loaded, {*loaded->Find(y.name())}, {by}).status();
    EXPECT_TRUE(Says(status.ToString(), "by what enters as it, '" + outside + "'"))
        << status.ToString();
  }
}

}  // namespace
}  // namespace tagflow
