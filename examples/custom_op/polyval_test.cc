// Tests: polyval_op.cc, polyval_kernel.cc, polyval_engine_kernel.cc
//
// The op in a graph made in C++, and what is checked before a graph runs. What it computes is held
// by cases/, which any engine can be run on.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "examples/custom_op/polyval_engine_kernel.h"
#include "examples/custom_op/polyval_kernel.h"
#include "examples/custom_op/polyval_op.h"
#include "graph/builder/builder.h"
#include "graph/graph.h"
#include "optimized/session.h"
#include "reference/session.h"

namespace polyval {
namespace {

using tagflow::Const;
using tagflow::Dims;
using tagflow::DType;
using tagflow::Input;
using tagflow::Output;
using tagflow::Result;
using tagflow::Scope;
using tagflow::Status;
using tagflow::Tensor;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class PolyvalTest : public ::testing::Test {
 protected:
  PolyvalTest() {
    EXPECT_TRUE(tagflow::RegisterStandardOps(ops_).ok());
    EXPECT_TRUE(RegisterOps(ops_).ok());
    EXPECT_TRUE(tagflow::reference::RegisterStandardKernels(reference_kernels_).ok());
    EXPECT_TRUE(RegisterReferenceKernels(reference_kernels_).ok());
    EXPECT_TRUE(tagflow::optimized::RegisterStandardKernels(kernels_).ok());
    EXPECT_TRUE(RegisterEngineKernels(kernels_).ok());
  }

  static Output Polyval(const Scope& scope, const Input& coefficients, const Input& x,
                        bool ascending = false) {
    return tagflow::Op(scope, "Examples>Polyval", {coefficients, x}, {{"ascending", ascending}});
  }

  static Output Floats(const Scope& scope, const std::vector<float>& values) {
    return Const(scope, values);
  }

  // The elements of `y`, on both engines, which agree bit for bit.
  Result<std::vector<float>> Run(const Scope& scope, const Output& y) {
    TAGFLOW_ASSIGN_OR_RETURN(tagflow::Graph graph, scope.Finish());
    tagflow::optimized::SessionOptions options;
    options.kernels = &kernels_;
    TAGFLOW_ASSIGN_OR_RETURN(auto engine,
                             tagflow::optimized::Session::Create(graph.Clone(), options));
    tagflow::reference::SessionOptions reference_options;
    reference_options.kernels = &reference_kernels_;
    TAGFLOW_ASSIGN_OR_RETURN(
        auto reference, tagflow::reference::Session::Create(std::move(graph), reference_options));
    TAGFLOW_ASSIGN_OR_RETURN(const auto values, engine->Run({}, {y.name()}));
    TAGFLOW_ASSIGN_OR_RETURN(const auto expected, reference->Run({}, {y.name()}));
    EXPECT_EQ(Elements(values[0]), Elements(expected[0]));
    return Elements(values[0]);
  }

  static std::vector<float> Elements(const Tensor& tensor) {
    const auto elements = tensor.flat<float>();
    return std::vector<float>(elements.begin(), elements.end());
  }

  tagflow::OpRegistry ops_;
  tagflow::reference::KernelRegistry reference_kernels_;
  tagflow::optimized::KernelRegistry kernels_;
};

TEST_F(PolyvalTest, RunsInAGraphMadeInCpp) {
  const Scope scope = Scope::Root(ops_);
  const Output c = Floats(scope, {1.0f, -2.0f, 3.0f});
  const Output x = Floats(scope, {0.0f, 1.0f, 10.0f});
  EXPECT_THAT(*Run(scope, Polyval(scope, c, x)), ElementsAre(3, 2, 83));
  EXPECT_THAT(*Run(scope, Polyval(scope, c, x, /*ascending=*/true)), ElementsAre(1, 2, 281));
}

TEST_F(PolyvalTest, RunsInALoopAsAnyOpDoes) {
  const Scope scope = Scope::Root(ops_);
  const Output c = Floats(scope, {1.0f, 1.0f});
  const tagflow::OutputList last = tagflow::WhileLoop(
      scope, {Const(scope, 0.0f)},
      [](const Scope& test, const tagflow::OutputList& x) {
        return tagflow::Less(test, x[0], 5.0f);
      },
      [&](const Scope& body, const tagflow::OutputList& x) {
        return tagflow::OutputList{Polyval(body, c, x[0])};  // x + 1
      });
  EXPECT_THAT(*Run(scope, last[0]), ElementsAre(5));
}

TEST_F(PolyvalTest, ItsShapeIsThatOfX) {
  const Scope scope = Scope::Root(ops_);
  const Output x = tagflow::Placeholder(scope, DType::kFloat, Dims{2, -1});
  EXPECT_EQ(Polyval(scope, Floats(scope, {1.0f}), x).shape().ToString(), "[2,?]");
}

TEST_F(PolyvalTest, CoefficientsThatAreNoVectorAreRefusedBeforeAnythingRuns) {
  const Scope scope = Scope::Root(ops_);
  Polyval(scope, Const(scope, 1.0f), Const(scope, 2.0f));
  const Status status = scope.Finish().status();
  EXPECT_EQ(status.code(), tagflow::Code::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("coefficients"));
}

TEST_F(PolyvalTest, WhatIsThereAlreadyCannotBeRegisteredAgain) {
  EXPECT_EQ(RegisterOps(ops_).code(), tagflow::Code::kAlreadyExists);
  EXPECT_EQ(RegisterReferenceKernels(reference_kernels_).code(), tagflow::Code::kAlreadyExists);
  EXPECT_EQ(RegisterEngineKernels(kernels_).code(), tagflow::Code::kAlreadyExists);
}

}  // namespace
}  // namespace polyval
