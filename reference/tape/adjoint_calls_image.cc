// Calls of ops on images.

#include <string>
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

}  // namespace

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
