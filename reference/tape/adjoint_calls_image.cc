// Calls of ops on images.

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "reference/kernels/op_runner.h"
#include "reference/tape/adjoint_calls.h"

namespace tagflow::reference {
namespace {

// Versions of batch normalization and of its gradient, of images of two channels.
void AddBatchNorms(Numbers& numbers, AdjointCalls& calls, const std::string& version,
                   const std::string& format, bool is_training) {
  const AttrMap attrs = {{"epsilon", 0.25f}, {"data_format", format}, {"is_training", is_training}};
  Dims dims(format.size(), 2);
  dims[0] = 3;
  const auto images = [&] { return numbers.Floats(dims, -1, 1); };
  const auto vector = [&] { return numbers.Floats({2}, 0.5, 1.5); };
  AttrMap averaging = attrs;
  if (is_training) averaging.emplace_back("exponential_avg_factor", 0.25f);
  calls.push_back(
      {"FusedBatchNorm" + version, {images(), vector(), vector(), vector(), vector()}, averaging});
  std::vector<Tensor> inputs = {images(), images(), vector(), vector(), vector()};
  if (version == "V3") inputs.push_back(Float(0));
  calls.push_back({"FusedBatchNormGrad" + version, inputs, attrs});
}

AttrValue Sizes(std::vector<int64_t> spatial) {
  spatial.insert(spatial.begin(), 1);
  spatial.push_back(1);
  return IntList(std::move(spatial));
}

// The first output of a call, for gradients that take it.
Tensor OutputOf(const AdjointCall& call) {
  OpRunner runner;
  const std::vector<OpRunner::Input> inputs(call.inputs.begin(), call.inputs.end());
  return runner.Run(call.op, inputs, call.attrs)->tensors[0];
}
Dims DimsOf(const Tensor& tensor) { return Dims(tensor.dims().begin(), tensor.dims().end()); }

// Images whose elements are not so near to each other that a step makes another one the maximum.
Tensor Steep(Numbers& numbers, const Dims& dims, bool are_floats) {
  const Tensor order = numbers(dims, 0, 1);
  const auto drawn = order.flat<double>();
  std::vector<double> values;
  for (const double x : drawn) {
    const auto below = std::count_if(drawn.begin(), drawn.end(), [x](double y) { return y < x; });
    values.push_back(static_cast<double>(below) / 8);
  }
  if (!are_floats) return Tensor::Of<double>(dims, values);
  return Tensor::Of<float>(dims, std::vector<float>(values.begin(), values.end()));
}

// MaxPool and its gradients. suffix: "3D", of images of floats
void AddMaxPools(Numbers& numbers, AdjointCalls& calls, const std::string& suffix, const Dims& dims,
                 const AttrMap& attrs) {
  const bool are_floats = suffix == "3D";
  const auto like = [&](const Dims& other) {
    return are_floats ? numbers.Floats(other, -1, 1) : numbers(other, -1, 1);
  };
  const Tensor images = Steep(numbers, dims, are_floats);
  const std::string op = "MaxPool" + suffix;
  calls.push_back({op, {images}, attrs});
  const Tensor maxima = OutputOf(calls.back());
  const std::vector<size_t> fixed = {0, 1};
  calls.push_back({op + "Grad", {images, maxima, like(DimsOf(maxima))}, attrs, fixed});
  const auto is_explicit = [](const auto& attr) { return attr.first == "explicit_paddings"; };
  if (std::any_of(attrs.begin(), attrs.end(), is_explicit)) return;  // MaxPoolGradGrad has no such
  calls.push_back({op + "GradGrad", {images, maxima, like(dims)}, attrs, fixed});
}

// The ops whose sizes are inputs, and those with an argmax.
void AddOtherMaxPools(Numbers& numbers, AdjointCalls& calls) {
  const Dims dims = {2, 3, 4, 2}, pooled = {2, 2, 2, 2};
  const Tensor images = Steep(numbers, dims, false);
  const Tensor size = Ints({1, 2, 3, 1}), strides = Ints({1, 2, 2, 1});
  const AttrMap padding = {{"padding", "SAME"}};
  calls.push_back({"MaxPoolV2", {images, size, strides}, padding});
  const Tensor maxima = OutputOf(calls.back());
  calls.push_back(
      {"MaxPoolGradV2", {images, maxima, numbers(pooled, -1, 1), size, strides}, padding, {0, 1}});
  calls.push_back({"MaxPoolGradGradV2",
                   {images, maxima, numbers(dims, -1, 1), size, strides},
                   padding,
                   {0, 1}});
  for (const bool in_batch : {false, true}) {
    const AttrMap attrs = {{"ksize", Sizes({2, 3})},
                           {"strides", Sizes({2, 2})},
                           {"padding", "SAME"},
                           {"include_batch_in_index", in_batch}};
    calls.push_back({"MaxPoolWithArgmax", {images}, attrs});
    OpRunner runner;
    const Tensor argmax = runner.Run("MaxPoolWithArgmax", {images}, attrs)->tensors[1];
    calls.push_back(
        {"MaxPoolGradWithArgmax", {images, numbers(pooled, -1, 1), argmax}, attrs, {0}});
    calls.push_back(
        {"MaxPoolGradGradWithArgmax", {images, numbers(dims, -1, 1), argmax}, attrs, {0}});
  }
}

void AddAveragePools(Numbers& numbers, AdjointCalls& calls, const AttrMap& attrs,
                     const Dims& dims) {
  const bool are_floats = dims.size() == 5;
  const std::string op = are_floats ? "AvgPool3D" : "AvgPool";
  calls.push_back({op, {are_floats ? numbers.Floats(dims, -1, 1) : numbers(dims, -1, 1)}, attrs});
  const Tensor means = OutputOf(calls.back());
  const Tensor shape = Ints(std::vector<int32_t>(dims.begin(), dims.end()));
  calls.push_back({op + "Grad", {shape, means}, attrs});
}

}  // namespace

AdjointCalls PoolingCalls() {
  Numbers numbers;
  AdjointCalls calls;
  for (const char* padding : {"SAME", "VALID"}) {
    const AttrMap attrs = {
        {"ksize", Sizes({2, 3})}, {"strides", Sizes({1, 2})}, {"padding", padding}};
    AddMaxPools(numbers, calls, "", {2, 3, 4, 2}, attrs);
    AddAveragePools(numbers, calls, attrs, {2, 3, 4, 2});
    const AttrMap attrs_3d = {
        {"ksize", Sizes({2, 1, 2})}, {"strides", Sizes({1, 2, 1})}, {"padding", padding}};
    AddMaxPools(numbers, calls, "3D", {1, 3, 2, 3, 2}, attrs_3d);
    AddAveragePools(numbers, calls, attrs_3d, {1, 3, 2, 3, 2});
  }
  const AttrMap nchw = {{"ksize", IntList({1, 1, 2, 3})},
                        {"strides", IntList({1, 1, 1, 1})},
                        {"padding", "SAME"},
                        {"data_format", "NCHW"}};
  AddMaxPools(numbers, calls, "", {2, 2, 3, 4}, nchw);
  AddAveragePools(numbers, calls, nchw, {2, 2, 3, 4});
  AddMaxPools(numbers, calls, "", {1, 3, 4, 2},
              {{"ksize", Sizes({2, 3})},
               {"strides", Sizes({1, 2})},
               {"padding", "EXPLICIT"},
               {"explicit_paddings", IntList({0, 0, 1, 0, 2, 1, 0, 0})}});
  AddOtherMaxPools(numbers, calls);
  return calls;
}

AdjointCalls NormalizationCalls() {
  Numbers numbers;
  AdjointCalls calls;
  for (const bool is_training : {true, false}) {
    for (const char* version : {"", "V2", "V3"}) {
      AddBatchNorms(numbers, calls, version, "NHWC", is_training);
    }
    AddBatchNorms(numbers, calls, "V2", "NCHW", is_training);
    AddBatchNorms(numbers, calls, "V3", "NCDHW", is_training);
  }
  const Tensor one = numbers.Floats({1}, 0.5, 1.5);
  calls.push_back({"FusedBatchNorm",
                   {numbers.Floats({1, 2, 2, 1}, -1, 1), one, one, Floats({}), Floats({})},
                   {{"epsilon", 0.25f}}});
  for (const int radius : {0, 1, 9}) {
    const AttrMap attrs = {
        {"depth_radius", radius}, {"bias", 1.5f}, {"alpha", 0.5f}, {"beta", 0.75f}};
    const auto images = [&] { return numbers.Floats({1, 2, 1, 4}, -1, 1); };
    calls.push_back({"LRN", {images()}, attrs});
    calls.push_back({"LRNGrad", {images(), images(), images()}, attrs});
  }
  return calls;
}

}  // namespace tagflow::reference
