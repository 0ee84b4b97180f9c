// What kernels give has the same bits, on however many threads and however their work is cut.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "optimized/kernels/op_runner.h"

namespace tagflow::optimized {
namespace {

// One thread that plays several: the last part first.
class BackwardCrew : public Crew {
 public:
  explicit BackwardCrew(int size) : size_(size) {}
  int size() const override { return size_; }
  void Share(int64_t count, const std::function<void(int64_t)>& work) override {
    ++shares;
    for (int64_t part = count; part-- > 0;) work(part);
  }
  int shares = 0;

 private:
  const int size_;
};

template <typename T = float>
Tensor Numbers(DimsView dims) {
  Tensor numbers = *Tensor::Allocate(DTypeOf<T>::value, dims);
  uint32_t state = 7;
  for (int64_t i = 0; i < numbers.num_elements(); ++i) {
    state = state * 1664525 + 1013904223;
    numbers.mutable_data<T>()[i] = static_cast<T>(static_cast<float>(state >> 8) / 8388608.0f - 1);
  }
  return numbers;
}

struct LargeCall {
  std::string op;
  std::vector<Tensor> inputs;
  AttrMap attrs = {};
};

std::vector<LargeCall> Products() {
  const Tensor a = Numbers(Dims{301, 517}), b = Numbers(Dims{517, 413});
  const Tensor x = Numbers<double>(Dims{1031, 130}), y = Numbers<double>(Dims{130, 90});
  return {{"MatMul", {a, b}},
          {"MatMul", {Numbers(Dims{517, 301}), b}, {{"transpose_a", true}}},
          {"MatMul", {a, Numbers(Dims{413, 517})}, {{"transpose_b", true}}},
          {"MatMul", {Numbers(Dims{5, 4000}), Numbers(Dims{4000, 700})}},
          {"MatMul", {Numbers(Dims{3000, 700}), Numbers(Dims{700, 19})}},
          {"MatMul", {x, y}},
          {"MatMul", {Numbers(Dims{1, 700}), Numbers(Dims{700, 901})}},
          {"BatchMatMulV2", {Numbers(Dims{9, 1, 70, 80}), Numbers(Dims{13, 80, 60})}},
          {"Einsum", {a, b}, {{"equation", "ij,jk->ki"}}}};
}

std::vector<LargeCall> Convolutions() {
  const AttrMap by_one = {{"padding", "SAME"}, {"strides", IntList({1, 1, 1, 1})}};
  const AttrMap by_two = {{"padding", "VALID"}, {"strides", IntList({1, 2, 2, 1})}};
  const Tensor image = Numbers(Dims{2, 41, 37, 24}), filter = Numbers(Dims{3, 3, 24, 40});
  const Tensor image_size = Ints({2, 41, 37, 24}), filter_size = Ints({3, 3, 24, 40});
  const Tensor depthwise = Numbers(Dims{3, 3, 24, 2});
  return {{"Conv2D", {image, filter}, by_one},
          {"Conv2D", {image, filter}, by_two},
          {"Conv2D", {Numbers(Dims{1, 7, 7, 96}), Numbers(Dims{3, 3, 96, 520})}, by_one},
          {"Conv2D", {Numbers(Dims{1, 13, 13, 32}), Numbers(Dims{3, 3, 32, 520})}, by_one},
          {"Conv2DBackpropInput", {image_size, filter, Numbers(Dims{2, 41, 37, 40})}, by_one},
          {"Conv2DBackpropInput", {image_size, filter, Numbers(Dims{2, 20, 18, 40})}, by_two},
          {"Conv2DBackpropFilter", {image, filter_size, Numbers(Dims{2, 41, 37, 40})}, by_one},
          {"DepthwiseConv2dNative", {image, depthwise}, by_one},
          {"DepthwiseConv2dNativeBackpropInput",
           {image_size, depthwise, Numbers(Dims{2, 41, 37, 48})},
           by_one}};
}

std::vector<LargeCall> Pools() {
  const AttrMap attrs = {
      {"ksize", IntList({1, 3, 3, 1})}, {"padding", "SAME"}, {"strides", IntList({1, 1, 1, 1})}};
  const Tensor image = Numbers(Dims{3, 51, 47, 32});
  return {{"MaxPool", {image}, attrs},
          {"AvgPool", {image}, attrs},
          {"AvgPoolGrad", {Ints({3, 51, 47, 32}), image}, attrs}};
}

std::vector<LargeCall> Images() {
  const Tensor image = Numbers(Dims{3, 41, 37, 24}), size = Ints({57, 90});
  const Tensor grads = Numbers(Dims{3, 57, 90, 24}), vector = Numbers(Dims{24});
  const Tensor variances = Tensor::Vector(std::vector<float>(24, 2));
  const Tensor boxes = Tensor::Of<float>(
      Dims{3, 4}, std::vector<float>{0.1F, 0.2F, 0.7F, 1, 0.8F, 0, 0.3F, 0.5F, -1, 0, 1, 2});
  const Tensor images = Ints({2, 0, 1}), crops = Numbers(Dims{3, 30, 31, 24});
  const AttrMap patches = {{"ksizes", IntList({1, 3, 3, 1})},
                           {"strides", IntList({1, 1, 1, 1})},
                           {"rates", IntList({1, 2, 1, 1})},
                           {"padding", "SAME"}};
  const AttrMap given = {{"is_training", false}};
  return {{"ResizeBilinear", {image, size}},
          {"ResizeBilinearGrad", {grads, image}},
          {"ResizeBicubic", {image, size}},
          {"ResizeNearestNeighbor", {image, size}},
          {"ResizeNearestNeighborGrad", {grads, Ints({41, 37})}},
          {"CropAndResize", {image, boxes, images, Ints({30, 31})}},
          {"CropAndResizeGradBoxes", {crops, image, boxes, images}},
          {"ExtractImagePatches", {image}, patches},
          {"FusedBatchNorm", {image, vector, vector, vector, variances}, given},
          {"FusedBatchNormGrad", {image, image, vector, vector, variances}, given},
          {"FusedBatchNormGrad", {image, image, vector, vector, variances}},
          {"BiasAdd", {image, vector}}};
}

std::vector<LargeCall> Gathers() {
  const Tensor table = Numbers(Dims{50, 3, 7});
  std::vector<int32_t> rows(20'000);
  for (size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<int32_t>(i * 17 % 50);
  const Tensor places = Ints(rows);
  return {{"GatherV2", {table, places, Int(0)}},
          {"GatherV2", {Numbers(Dims{5, 50}), places, Int(1)}},
          {"GatherV2",
           {Numbers(Dims{4, 50, 3}), places.Reshaped(Dims{4, 5000}), Int(1)},
           {{"batch_dims", 1}}}};
}

std::vector<LargeCall> Loops() {
  const Tensor x = Numbers(Dims{700, 301}), y = Numbers(Dims{700, 301});
  const Tensor halves = Numbers<Half>(Dims{700, 301});
  return {{"AddV2", {x, y}},
          {"Mul", {x, Float(3)}},
          {"Sub", {Float(3), x}},
          {"Maximum", {halves, halves}},
          {"Less", {x, y}},
          {"Tanh", {x}},
          {"Exp", {halves}},
          {"Softmax", {x}},
          {"LogSoftmax", {halves}},
          {"Sum", {x, Int(1)}},
          {"Mean", {halves, Int(-1)}, {{"keep_dims", true}}},
          {"Max", {Numbers(Dims{40, 30, 200}), Int(1)}}};
}

void ExpectTheSameBits(const std::vector<LargeCall>& calls) {
  for (const LargeCall& call : calls) {
    const auto alone = OpRunner().Run(call.op, call.inputs, call.attrs);
    ASSERT_TRUE(alone.ok()) << call.op << ": " << alone.status().ToString();
    for (const int size : {2, 3, 16}) {
      BackwardCrew crew(size);
      OpRunner runner;
      runner.set_crew(&crew);
      const auto shared = runner.Run(call.op, call.inputs, call.attrs);
      ASSERT_TRUE(shared.ok()) << call.op << ": " << shared.status().ToString();
      EXPECT_GT(crew.shares, 0) << call.op << " is not large enough for this test";
      for (size_t i = 0; i < alone->size(); ++i) {
        EXPECT_TRUE(BitwiseEqual((*alone)[i], (*shared)[i])) << call.op << " on " << size;
      }
    }
  }
}

TEST(ThreadsTest, Products) { ExpectTheSameBits(Products()); }
TEST(ThreadsTest, Convolutions) { ExpectTheSameBits(Convolutions()); }
TEST(ThreadsTest, Pools) { ExpectTheSameBits(Pools()); }
TEST(ThreadsTest, Images) { ExpectTheSameBits(Images()); }
TEST(ThreadsTest, Gathers) { ExpectTheSameBits(Gathers()); }
TEST(ThreadsTest, Loops) { ExpectTheSameBits(Loops()); }

// What a range refuses is refused.
TEST(ThreadsTest, ErrorsOfARangeAreErrorsOfTheKernel) {
  std::vector<int32_t> ones(200'000, 1), with_zero = ones;
  with_zero[150'000] = 0;
  BackwardCrew crew(4);
  OpRunner runner;
  runner.set_crew(&crew);
  EXPECT_EQ(runner.Run("FloorDiv", {Ints(ones), Ints(with_zero)}).status().code(),
            OpRunner().Run("FloorDiv", {Ints(ones), Ints(with_zero)}).status().code());
  EXPECT_FALSE(runner.Run("FloorDiv", {Ints(ones), Ints(with_zero)}).ok());
  EXPECT_GT(crew.shares, 0);
}

}  // namespace
}  // namespace tagflow::optimized
