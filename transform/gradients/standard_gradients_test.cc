// Which ops have a gradient. What the gradients are is checked against the tape, in the tests of
// fuzz/gradient.
//
// Tests: activation_gradients.cc, choice_gradients.cc, complex_gradients.cc,
//        convolution_gradients.cc, decomposition_gradients.cc, diagonal_gradients.cc,
//        einsum_gradients.cc, fourier_gradients.cc, gradient_function.cc, gradient_ops.cc,
//        image_gradients.cc, linalg_gradients.cc, math_gradients.cc, matrix_gradients.cc,
//        normalization_gradients.cc, pooling_gradients.cc, quantization_gradients.cc,
//        ragged_gradients.cc, random_gradients.cc, recurrence.cc, reduction_gradients.cc,
//        segment_gradients.cc, sequence_gradients.cc, softmax_gradients.cc, sparse_gradients.cc,
//        special_gradients.cc

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "graph/op_def.h"
#include "transform/gradients/gradient_function.h"

namespace tagflow {
namespace {

bool IsContinuous(DType dtype) { return IsFloating(dtype) || IsComplex(dtype); }

bool MayBeContinuous(const OpDef& op, const ArgDef& arg) {
  if (arg.dtype != DType::kInvalid) return IsContinuous(arg.dtype);
  const AttrDef* attr = op.FindAttr(arg.type_attr.empty() ? arg.type_list_attr : arg.type_attr);
  if (attr == nullptr) return true;
  const std::vector<DType>& types = attr->allowed_types;
  return types.empty() || std::any_of(types.begin(), types.end(), IsContinuous);
}

// Ops that a gradient ends at with an error: nothing says which element of their output was which
// of the input. The list only gets shorter.
constexpr std::string_view kWithoutGradient = R"(
  RandomShuffle Unique UniqueV2 UniqueWithCounts UniqueWithCountsV2
)";

// Of which TensorFlow has no gradient either: gradients of second order, but for what is linear in
// images, what is chosen by scores, and images whose colors are changed as a whole.
constexpr std::string_view kWithoutGradientInTensorFlow = R"(
  AdjustContrastv2 AdjustHue AdjustSaturation CombinedNonMaxSuppression CropAndResizeGradBoxes
  Dilation2DBackpropFilter Dilation2DBackpropInput DrawBoundingBoxesV2
  FakeQuantWithMinMaxArgsGradient FakeQuantWithMinMaxVarsGradient
  FakeQuantWithMinMaxVarsPerChannelGradient NonMaxSuppressionV5
)";

// Whose gradients are the structure of the graph, not a function of one node.
constexpr std::string_view kOfControlFlow = R"(
  Enter Exit Merge NextIteration RefEnter RefExit RefMerge RefNextIteration RefSwitch StackPush
  StackPushV2 Switch _SwitchN
)";

bool NamesFunctions(const OpDef& op) {
  return std::any_of(op.attrs.begin(), op.attrs.end(), [](const AttrDef& attr) {
    return attr.kind == AttrKind::kFunction || attr.kind == AttrKind::kListFunction;
  });
}

TEST(StandardGradients, AreThereForEveryOpThatTakesAndGivesNumbersButTheListed) {
  std::istringstream listed{std::string(kWithoutGradient) +
                            std::string(kWithoutGradientInTensorFlow) +
                            std::string(kOfControlFlow)};
  std::set<std::string> without(std::istream_iterator<std::string>(listed), {});
  for (const OpDef* op : OpRegistry::Standard().All()) {
    if (NamesFunctions(*op)) continue;  // it is lowered before
    const auto continuous = [&](const ArgDef& arg) { return MayBeContinuous(*op, arg); };
    const bool needed = std::any_of(op->inputs.begin(), op->inputs.end(), continuous) &&
                        std::any_of(op->outputs.begin(), op->outputs.end(), continuous);
    const bool is_there = GradientRegistry::Standard().Find(op->name) != nullptr;
    const bool is_listed = without.erase(op->name) > 0;
    EXPECT_TRUE(needed || !is_listed) << op->name << " needs none";
    EXPECT_TRUE(!needed || is_there != is_listed) << op->name;
  }
  EXPECT_TRUE(without.empty()) << *without.begin() << " is listed, and no op";
}

TEST(StandardGradients, AreRegisteredOnce) {
  GradientRegistry registry;
  EXPECT_TRUE(RegisterStandardGradients(registry).ok());
  EXPECT_EQ(registry.RegisterStop("Mul").code(), Code::kAlreadyExists);
  EXPECT_EQ(registry.Find("NoSuchOp"), nullptr);
  ASSERT_NE(registry.Find("Floor"), nullptr);
  EXPECT_EQ(*registry.Find("Floor"), nullptr);
}

}  // namespace
}  // namespace tagflow
