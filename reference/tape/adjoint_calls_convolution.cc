// Calls of convolutions, and of their gradients.

#include <utility>

#include "reference/kernels/op_runner.h"
#include "reference/tape/adjoint_calls.h"

namespace tagflow::reference {
namespace {

// The shapes of an image, of filters, and of what they make.
struct Shapes {
  Dims image, filter, output;
};

Tensor Sizes(const Dims& dims) { return Ints(std::vector<int32_t>(dims.begin(), dims.end())); }

// A convolution and both of its gradients.
void AddTrio(Numbers& numbers, AdjointCalls& calls, const std::vector<std::string>& ops,
             const Shapes& shapes, const AttrMap& attrs) {
  const Tensor image = numbers(shapes.image, -1, 1), filter = numbers(shapes.filter, -1, 1);
  const Tensor output = numbers(shapes.output, -1, 1);
  calls.push_back({ops[0], {image, filter}, attrs});
  calls.push_back({ops[1], {Sizes(shapes.image), filter, output}, attrs});
  calls.push_back({ops[2], {image, Sizes(shapes.filter), output}, attrs});
}

// What an activation gets is on one side of its corners: of 0 for a bias of that sign.
void AddFused(Numbers& numbers, AdjointCalls& calls, const std::vector<std::string>& ops,
              double bias, const char* format) {
  const bool normalizes = ops[0] == "FusedBatchNorm";
  AttrList names, types;
  names.strings = ops;
  types.types.assign(normalizes ? 4 : 1, {DType::kDouble, false});
  std::vector<Tensor> inputs = {numbers({1, 2, 2, 2}, -0.5, 0.5), numbers({2, 1, 2, 2}, -0.5, 0.5)};
  if (normalizes) inputs.push_back(numbers({2}, 0.5, 1));
  inputs.push_back(numbers({2}, bias - 0.1, bias + 0.1));
  if (normalizes) inputs.insert(inputs.end(), {numbers({2}, -0.5, 0.5), numbers({2}, 1, 2)});
  calls.push_back({"_FusedConv2D",
                   inputs,
                   {{"TArgs", types},
                    {"data_format", format},
                    {"epsilon", 0.5F},
                    {"fused_ops", names},
                    {"leakyrelu_alpha", 0.3F},
                    {"num_args", normalizes ? 4 : 1},
                    {"num_host_args", 0},
                    {"padding", "SAME"},
                    {"strides", IntList({1, 1, 1, 1})}}});
}

void AddAllFused(Numbers& numbers, AdjointCalls& calls) {
  for (const char* first : {"BiasAdd", "FusedBatchNorm"}) {
    AddFused(numbers, calls, {first}, 0, "NCHW");
    for (const char* activation : {"Relu", "Relu6", "Elu", "LeakyRelu"}) {
      AddFused(numbers, calls, {first, activation}, 3, "NHWC");
      AddFused(numbers, calls, {first, activation}, -3, "NCHW");
    }
  }
  // This call has no images, and its variances are negative, so that their roots are NaN.
  AddFused(numbers, calls, {"FusedBatchNorm"}, 0, "NHWC");
  calls.back().inputs[0] = numbers({0, 2, 2, 2}, -1, 1);
  calls.back().inputs[5] = numbers({2}, -3, -2);
  calls.back().orders_max = 1;  // the second is of a sum that is multiplied by NaN
}

}  // namespace

AdjointCalls ConvolutionCalls() {
  Numbers numbers;
  AdjointCalls calls;
  const std::vector<std::string> plain = {"Conv2D", "Conv2DBackpropInput", "Conv2DBackpropFilter"};
  const std::vector<std::string> depthwise = {"DepthwiseConv2dNative",
                                              "DepthwiseConv2dNativeBackpropInput",
                                              "DepthwiseConv2dNativeBackpropFilter"};
  const std::vector<std::string> solid = {"Conv3D", "Conv3DBackpropInputV2",
                                          "Conv3DBackpropFilterV2"};
  const AttrValue step = IntList({1, 1, 1, 1});
  AddTrio(numbers, calls, plain, {{2, 3, 4, 2}, {2, 3, 2, 3}, {2, 2, 2, 3}},
          {{"padding", "VALID"}, {"strides", step}});
  AddTrio(numbers, calls, plain, {{1, 4, 5, 1}, {3, 2, 1, 2}, {1, 2, 2, 2}},
          {{"padding", "SAME"}, {"strides", IntList({1, 2, 3, 1})}});
  // In groups, channels second.
  AddTrio(numbers, calls, plain, {{1, 4, 2, 3}, {2, 2, 2, 2}, {1, 2, 1, 2}},
          {{"data_format", "NCHW"}, {"padding", "VALID"}, {"strides", step}});
  AddTrio(numbers, calls, plain, {{1, 4, 3, 1}, {2, 2, 1, 1}, {1, 3, 4, 1}},
          {{"dilations", IntList({1, 2, 1, 1})},
           {"explicit_paddings", IntList({0, 0, 1, 0, 0, 2, 0, 0})},
           {"padding", "EXPLICIT"},
           {"strides", step}});
  AddTrio(numbers, calls, depthwise, {{1, 3, 4, 2}, {2, 2, 2, 3}, {1, 2, 3, 6}},
          {{"padding", "VALID"}, {"strides", step}});
  AddTrio(numbers, calls, depthwise, {{2, 2, 3, 3}, {2, 2, 2, 1}, {2, 2, 2, 2}},
          {{"data_format", "NCHW"}, {"padding", "SAME"}, {"strides", IntList({1, 1, 2, 2})}});
  AddTrio(numbers, calls, solid, {{1, 2, 3, 2, 2}, {2, 2, 1, 2, 2}, {1, 1, 2, 2, 2}},
          {{"padding", "VALID"}, {"strides", IntList({1, 1, 1, 1, 1})}});
  AddTrio(numbers, calls, solid, {{1, 1, 3, 2, 3}, {2, 1, 2, 1, 2}, {1, 2, 2, 1, 2}},
          {{"data_format", "NCDHW"}, {"padding", "SAME"}, {"strides", IntList({1, 1, 2, 2, 2})}});
  AddAllFused(numbers, calls);
  return calls;
}

}  // namespace tagflow::reference
