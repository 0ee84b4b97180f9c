// Tests: whole_calls.cc, whole_loops.cc

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "optimized/native/test_program.h"

namespace tagflow::optimized {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

using NativeWholesTest = NativeTest;
using Make = std::function<Output(const Scope&, const Output& x)>;

// y = make(x), for x that is fed and n times for what becomes of it.
Program Loop(DType dtype, const Make& make) {
  return Program([&](const Scope& scope) -> OutputList {
    const Output n = FedInt(scope, "n");
    const Output x = Placeholder(scope.WithOpName("x"), dtype);
    return ForEach(scope, n, {x, make(scope, x)},
                   [&](const Scope& s, const Output&, const std::vector<Output>& v) -> OutputList {
                     const Output next =
                         dtype == DType::kBool
                             ? LogicalNot(s, v[0])
                             : Sub(s, v[0], Div(s, v[0], Cast(s, Const(s, 3), dtype)));
                     return {next, make(s, next)};
                   });
  });
}
NamedTensors FeedsOf(const Tensor& x) { return {{"n", Int(9)}, {"x", x}}; }

// Some numbers of both signs, whose sums depend on the order.
template <typename T>
Tensor Numbers(const Dims& dims) {
  Tensor tensor = *Tensor::Allocate(DTypeOf<T>::value, dims);
  int64_t i = 0;
  for (T& element : tensor.mutable_flat<T>()) {
    ++i;
    element = static_cast<T>(static_cast<double>((i * 37) % 101 - 40) * (i % 5 == 0 ? 1e4 : 0.37));
  }
  return tensor;
}
Tensor Bools(const Dims& dims, int64_t every) {
  Tensor tensor = *Tensor::Allocate(DType::kBool, dims);
  int64_t i = 0;
  for (bool& element : tensor.mutable_flat<bool>()) element = ++i % every != 0;
  return tensor;
}
// The same with `special` as element `at`.
template <typename T>
Tensor With(Tensor tensor, int64_t at, T special) {
  tensor.mutable_flat<T>()[static_cast<size_t>(at)] = special;
  return tensor;
}

Make Reduced(const char* op, const std::vector<int32_t>& axes, bool keep_dims) {
  return [=](const Scope& s, const Output& x) {
    return Op(s.WithOpName("whole"), op, {x, Const(s, Tensor::Vector(axes))},
              {{"keep_dims", keep_dims}})[0];
  };
}
void ExpectNative(const Program& program, const Tensor& x) {
  EXPECT_THAT(ListingOf(program, FeedsOf(x)), ContainsRegex("[0-9]     while/whole:"));
}

struct Shape {
  Dims dims;
  std::vector<int32_t> axes;
};
// Short and long rows, whole tensors, columns in groups of eight and not, dimensions of one
// element.
const Shape kShapes[] = {
    {{5}, {0}},           {{16}, {-1}},     {{77}, {0}},         {{600}, {0}},
    {{3, 40}, {1}},       {{3, 40}, {0}},   {{2, 3, 9}, {1, 2}}, {{2, 3, 9}, {0, 1}},
    {{4, 1, 7}, {0, -1}}, {{1, 19}, {0}},   {{3, 300}, {-1}},    {{40, 3}, {}},
    {{1, 1}, {0, 1}},     {{2, 5}, {1, 0}},
};

TEST_F(NativeWholesTest, ReductionsOfFloats) {
  for (const char* const op : {"Sum", "Mean", "Max", "EuclideanNorm"}) {
    for (const Shape& shape : kShapes) {
      const Program program = Loop(DType::kFloat, Reduced(op, shape.axes, false));
      ExpectSame(program, FeedsOf(Numbers<float>(shape.dims)));
      ExpectNative(program, Numbers<float>(shape.dims));
    }
  }
}

TEST_F(NativeWholesTest, ReductionsOfOtherDTypes) {
  const auto expect = [](const char* op, const Tensor& x, const std::vector<int32_t>& axes) {
    const Program program = Loop(x.dtype(), Reduced(op, axes, true));
    ExpectSame(program, FeedsOf(x));
    ExpectNative(program, x);
  };
  for (const Dims& dims : {Dims{600}, Dims{3, 40}}) {
    for (const char* const op : {"Sum", "Prod", "Mean", "Min", "Max", "EuclideanNorm"}) {
      expect(op, Numbers<double>(dims), {0});
      expect(op, Numbers<int32_t>(dims), {0});
      expect(op, Numbers<int64_t>(dims), {-1});
    }
    for (const char* const op : {"All", "Any"}) {
      expect(op, Bools(dims, 1'000), {-1});
      expect(op, Bools(dims, 7), {-1});
    }
  }
}

TEST_F(NativeWholesTest, SpecialNumbersInReductions) {
  const float specials[] = {std::numeric_limits<float>::quiet_NaN(),
                            std::numeric_limits<float>::infinity(), -0.0f,
                            std::numeric_limits<float>::max()};
  for (const char* const op : {"Sum", "Prod", "Max", "Min"}) {
    const Program of_rows = Loop(DType::kFloat, Reduced(op, {1}, false));
    const Program of_columns = Loop(DType::kFloat, Reduced(op, {0}, false));
    for (const float special : specials) {
      for (const int64_t at : {0, 17, 39}) {
        const Tensor zeros = *Tensor::Allocate(DType::kFloat, Dims{2, 40});
        for (const Tensor& x :
             {With(Numbers<float>({2, 40}), at, special), With(zeros, at, special)}) {
          const std::string expected = OutcomeOf(of_rows, FeedsOf(x), kInterpreted);
          EXPECT_EQ(OutcomeOf(of_rows, FeedsOf(x), {NativeChoice::kAlways}), expected) << op;
          const std::string of_each = OutcomeOf(of_columns, FeedsOf(x), kInterpreted);
          EXPECT_EQ(OutcomeOf(of_columns, FeedsOf(x), {NativeChoice::kAlways}), of_each) << op;
        }
      }
    }
  }
}

TEST_F(NativeWholesTest, ReductionsThatAreForKernels) {
  // Kept dimensions on both sides, too many elements, and dimensions that are not constant.
  const Program middle = Loop(DType::kFloat, Reduced("Sum", {1}, false));
  ExpectSame(middle, FeedsOf(Numbers<float>({2, 3, 4})));
  EXPECT_THAT(ListingOf(middle, FeedsOf(Numbers<float>({2, 3, 4}))),
              ContainsRegex("[*]  while/whole = Sum"));
  EXPECT_THAT(ListingOf(middle, FeedsOf(Numbers<float>({8, 1'000}))),
              Not(ContainsRegex("[0-9]     while/whole:")));
  const Program changing([](const Scope& scope) -> OutputList {
    const Output x = Placeholder(scope.WithOpName("x"), DType::kFloat);
    return ForEach(scope, FedInt(scope, "n"), {x, Const(scope, 0.0f)},
                   [](const Scope& s, const Output& i, const std::vector<Output>& v) -> OutputList {
                     const Output sums = Sum(s, v[0], ExpandDims(s, FloorMod(s, i, 2), 0));
                     return {Mul(s, v[0], Const(s, 1.5f)), Add(s, v[1], Sum(s, sums, 0))};
                   });
  });
  ExpectSame(changing, FeedsOf(Numbers<float>({5, 3})));
}

TEST_F(NativeWholesTest, OtherSums) {
  const Program half = Loop(DType::kFloat, [](const Scope& s, const Output& x) {
    return Op(s.WithOpName("whole"), "L2Loss", {x})[0];
  });
  const Program of_bias = Loop(DType::kFloat, [](const Scope& s, const Output& x) {
    return Op(s.WithOpName("whole"), "BiasAddGrad", {x})[0];
  });
  for (const Dims& dims : {Dims{5, 12}, Dims{2, 3, 7}, Dims{1, 30}}) {
    for (const Program& program : {std::cref(half), std::cref(of_bias)}) {
      ExpectSame(program, FeedsOf(Numbers<float>(dims)));
      ExpectNative(program, Numbers<float>(dims));
    }
  }
}

TEST_F(NativeWholesTest, SmallProducts) {
  for (const bool transpose_x : {false, true}) {
    for (const bool transpose_y : {false, true}) {
      const auto multiply = [=](const Scope& s, const Output& x, const Output& y) {
        return Op(s.WithOpName("whole"), "MatMul", {x, y},
                  {{"transpose_a", transpose_x}, {"transpose_b", transpose_y}})[0];
      };
      const Program squares =
          Loop(DType::kFloat, [&](const Scope& s, const Output& x) { return multiply(s, x, x); });
      ExpectSame(squares, FeedsOf(Numbers<float>({6, 6})));
      ExpectNative(squares, Numbers<float>({6, 6}));
      ExpectSame(squares, FeedsOf(Numbers<float>({7, 7})));  // the library's
      const Program of_two = Loop(DType::kDouble, [&](const Scope& s, const Output& x) {
        const Tensor y = transpose_y ? Numbers<double>({4, 3}) : Numbers<double>({3, 4});
        return multiply(s, x, Const(s, y));
      });
      const Dims dims = transpose_x ? Dims{3, 9} : Dims{9, 3};
      ExpectSame(of_two, FeedsOf(Numbers<double>(dims)));
      ExpectNative(of_two, Numbers<double>(dims));
      // Factors that do not fit.
      ExpectSame(of_two, FeedsOf(Numbers<double>({5, 5})));
    }
  }
}

TEST_F(NativeWholesTest, Joins) {
  for (const int axis : {0, 1, -1}) {
    const Program program = Loop(DType::kFloat, [=](const Scope& s, const Output& x) {
      const Tensor y = axis == 0 ? Numbers<float>({2, 6}) : Numbers<float>({4, 3});
      const OutputList values = {x, Const(s, y), x};
      return Op(s.WithOpName("whole"), "ConcatV2", {values, Const(s, axis)})[0];
    });
    ExpectSame(program, FeedsOf(Numbers<float>({4, 6})));
    ExpectNative(program, Numbers<float>({4, 6}));
    ExpectSame(program, FeedsOf(Numbers<float>({4, 5})));
  }
  const Program of_bools = Loop(DType::kBool, [](const Scope& s, const Output& x) {
    return Op(s.WithOpName("whole"), "Concat", {Const(s, 0), OutputList{x, x}})[0];
  });
  ExpectSame(of_bools, FeedsOf(Bools({13}, 3)));
  ExpectNative(of_bools, Bools({13}, 3));
}

TEST_F(NativeWholesTest, Reshapes) {
  const Program matrix = Loop(DType::kInt32, [](const Scope& s, const Output& x) {
    const Output shape = Const(s, Tensor::Vector<int32_t>({-1, 3}));
    return Op(s.WithOpName("whole"), "Reshape", {x, shape})[0];
  });
  ExpectSame(matrix, FeedsOf(Numbers<int32_t>({12})));
  ExpectNative(matrix, Numbers<int32_t>({12}));
  ExpectSame(matrix, FeedsOf(Numbers<int32_t>({4})));
  const Program expanded = Loop(DType::kInt32, [](const Scope& s, const Output& x) {
    return Op(s.WithOpName("whole"), "ExpandDims", {x, Const(s, 1)})[0];
  });
  ExpectSame(expanded, FeedsOf(Numbers<int32_t>({12})));
  ExpectNative(expanded, Numbers<int32_t>({12}));
  const Program squeezed = Loop(DType::kInt32, [](const Scope& s, const Output& x) {
    return Op(s.WithOpName("whole"), "Squeeze", {x})[0];
  });
  for (const Dims& dims : {Dims{1, 12}, Dims{1, 1}}) {
    ExpectSame(squeezed, FeedsOf(Numbers<int32_t>(dims)));
    ExpectNative(squeezed, Numbers<int32_t>(dims));
  }
}

// x = x / |x| + softmax(x) - sum(x) / 9, in a loop whose limits are asked for, too.
TEST_F(NativeWholesTest, BetweenLoopsOverElements) {
  const Program program = Loop(DType::kFloat, [](const Scope& s, const Output& x) {
    const Output powers = Exp(s, Sub(s, x, Reduced("Max", {1}, true)(s, x)));
    const Output softmax = Div(s, powers, Reduced("Sum", {1}, true)(s, powers));
    const Output norm = Reduced("EuclideanNorm", {0, 1}, false)(s, x);
    return Sub(s, Add(s, Div(s, x, norm), softmax),
               Div(s, Reduced("Sum", {0}, true)(s, x), Const(s, 9.0f)));
  });
  ExpectSame(program, FeedsOf(Numbers<float>({3, 33})));
  ExpectSameLimits(program, {{"n", Int(3)}, {"x", Numbers<float>({3, 33})}}, 60);
  const std::string listing = ListingOf(program, FeedsOf(Numbers<float>({3, 33})));
  EXPECT_THAT(listing, HasSubstr("while/whole:float[3,1] = Max("));
  EXPECT_THAT(listing, Not(ContainsRegex("[0-9]  [*]  ")));
}

}  // namespace
}  // namespace tagflow::optimized
