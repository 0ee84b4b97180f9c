// What a context is given for a tensor of another one.

#include "graph/builder/build_state.h"
#include "graph/builder/builder_test_util.h"

namespace tagflow::internal {
namespace {

class CaptureTest : public testing::Test {
 protected:
  CaptureTest() {
    const size_t loop = state_.AddLoopFrame({.name = "w",
                                             .frame_name = "w",
                                             .controls = {},
                                             .device = {},
                                             .enters = {},
                                             .control_enters = {},
                                             .constant_enters = {}});
    body_ = state_.AddContext({.kind = ContextKind::kLoopBody, .frame = loop, .effects = {}});
    state_.mutable_context(body_).pivot = Make("pivot", "NoOp", ContextId::kRoot);
    const size_t cond = state_.AddCondFrame({.name = "c",
                                             .parent = body_,
                                             .pred = {Make("p", "Const", body_), 0},
                                             .controls = {},
                                             .device = {},
                                             .switches = {}});
    branch_ = state_.AddContext({.kind = ContextKind::kBranch,
                                 .parent = body_,
                                 .frame = cond,
                                 .branch = true,
                                 .effects = {}});
    x_ = {Make("x", "Const", ContextId::kRoot), 0};
  }

  NodeId Make(const std::string& name, const std::string& op, ContextId context) {
    NodeSpec spec;
    spec.name = name;
    spec.op = op;
    spec.context = context;
    if (op == "Const") {
      spec.attrs = {{"dtype", DType::kBool}, {"value", Tensor::Scalar(true)}};
    }
    const Result<NodeId> node = state_.AddNode(std::move(spec));
    EXPECT_TRUE(node.ok()) << node.status().ToString();
    return node.ok() ? *node : NodeId::kNone;
  }

  BuildState state_{OpRegistry::Standard()};
  ContextId body_ = ContextId::kRoot;
  ContextId branch_ = ContextId::kRoot;
  OutputRef x_;
};

TEST_F(CaptureTest, ATensorOfTheContextIsItself) {
  EXPECT_EQ(*state_.Capture(x_, ContextId::kRoot, "user"), x_);
}

TEST_F(CaptureTest, EveryBoundaryIsPassedOnce) {
  const OutputRef inner = *state_.Capture(x_, branch_, "user");
  EXPECT_EQ(Line(state_.graph(), "w/x/Enter"), "Enter(x)");
  EXPECT_EQ(Line(state_.graph(), "c/x/Switch"), "Switch(w/x/Enter, p)");
  EXPECT_EQ(state_.Name(inner), "c/x/Switch:1");
  EXPECT_EQ(*state_.Capture(x_, branch_, "another"), inner);
  EXPECT_EQ(state_.Name(*state_.Capture(x_, body_, "third")), "w/x/Enter");
}

TEST_F(CaptureTest, AControlInputEntersALoopByAToken) {
  const NodeId inner = *state_.CaptureControl(x_.node, branch_, "user");
  EXPECT_EQ(state_.graph().node(inner).name, "w/x/control/Enter");
  EXPECT_EQ(Line(state_.graph(), "w/x/control/Enter"), "Enter(w/x/token)");
  EXPECT_EQ(Line(state_.graph(), "w/x/token"), "Const(^x)");
  EXPECT_EQ(*state_.CaptureControl(x_.node, body_, "another"), inner);
}

TEST_F(CaptureTest, OutOfItsContextATensorIsAnError) {
  const OutputRef made{Make("made", "Const", branch_), 0};
  const Status error = state_.Capture(made, body_, "user").status();
  EXPECT_EQ(error.code(), Code::kInvalidArgument);
  EXPECT_THAT(error.message(), testing::HasSubstr("'made' belongs to the true branch of cond 'c'"));
  EXPECT_FALSE(state_.CaptureControl(made.node, ContextId::kRoot, "user").ok());
}

TEST_F(CaptureTest, CapturedConstantsKeepTheirValue) {
  const Tensor* value = state_.ConstantValue(*state_.Capture(x_, branch_, "user"));
  ASSERT_NE(value, nullptr);
  EXPECT_TRUE(value->scalar<bool>());
}

}  // namespace
}  // namespace tagflow::internal
