// Calls of ops on images that are resized, cropped, dilated or cut into patches, and on colors.

#include <vector>

#include "reference/kernels/op_runner.h"
#include "reference/tape/adjoint_calls.h"

namespace tagflow::reference {
namespace {

AttrValue Ints4(int64_t rows, int64_t columns) { return IntList({1, rows, columns, 1}); }

void AddResizes(Numbers& numbers, AdjointCalls& calls) {
  const AttrMap centers[] = {{}, {{"align_corners", true}}, {{"half_pixel_centers", true}}};
  for (const char* op : {"ResizeBilinear", "ResizeBicubic", "ResizeNearestNeighbor"}) {
    for (const AttrMap& attrs : centers) {
      for (const Tensor& size : {Ints({5, 3}), Ints({2, 7}), Ints({1, 4})}) {
        calls.push_back({op, {numbers.Floats({2, 3, 4, 2}, -1, 1), size}, attrs});
      }
    }
  }
}

// No element of a crop is so near to one of the image that a step would pass it.
void AddCrops(Numbers& numbers, AdjointCalls& calls) {
  const Tensor boxes = Tensor::Of<float>(
      Dims{3, 4},
      std::vector<float>{0.1F, 0.15F, 0.8F, 0.9F, 0.7F, 0.2F, 0.4F, 0.6F, -0.5F, 0.2F, 0.8F, 1.5F});
  for (const Tensor& size : {Ints({2, 2}), Ints({1, 3})}) {
    const Tensor images = numbers.Floats({2, 3, 4, 2}, -1, 1);
    const std::vector<Tensor> inputs = {images, boxes, Ints({1, 0, 1}), size};
    calls.push_back({"CropAndResize", inputs, {}, {}, 1});
    // By boxes these move in jumps.
    calls.push_back({"CropAndResize", inputs, {{"method", "nearest"}}, {1}});
  }
  const Tensor grads = numbers.Floats({3, 2, 3, 2}, -1, 1);
  const std::vector<Tensor> inputs = {grads, boxes, Ints({1, 0, 1}), Ints({2, 3, 4, 2})};
  calls.push_back({"CropAndResizeGradImage", inputs, {{"T", DType::kDouble}}, {}, 1});
}

}  // namespace

AdjointCalls ImageCalls() {
  Numbers numbers;
  AdjointCalls calls;
  AddResizes(numbers, calls);
  AddCrops(numbers, calls);
  for (const char* padding : {"SAME", "VALID"}) {
    for (const int64_t rate : {1, 2}) {
      calls.push_back({"ExtractImagePatches",
                       {numbers({2, 4, 5, 2}, -1, 1)},
                       {{"ksizes", Ints4(2, 3)},
                        {"strides", Ints4(2, 1)},
                        {"rates", Ints4(1, rate)},
                        {"padding", padding}}});
      calls.push_back({"Dilation2D",
                       {numbers({2, 4, 5, 2}, -1, 1), numbers({2, 3, 2}, -1, 1)},
                       {{"strides", Ints4(2, 1)}, {"rates", Ints4(1, rate)}, {"padding", padding}},
                       {},
                       1});
    }
  }
  calls.push_back({"RGBToHSV", {numbers({2, 3, 3}, 0.2, 1)}});
  return calls;
}

}  // namespace tagflow::reference
