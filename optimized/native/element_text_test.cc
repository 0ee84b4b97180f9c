// Tests: element_program.cc, element_writer.cc

#include "optimized/native/element_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "optimized/native/native_library.h"

namespace tagflow::optimized {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr DType kInt = DType::kInt32;
using Ints = std::vector<int32_t>;

ScalarCall Pair(const std::string& body, DType dtype) {
  return {.shapes = ScalarCall::Shapes::kBroadcast,
          .input = dtype,
          .output = dtype,
          .body = body,
          .computes = dtype,
          .result = dtype};
}
ElementStep Add(int x, int y) { return {.call = Pair("Add_i32", kInt), .inputs = {x, y}}; }
ElementStep Sub(int x, int y) { return {.call = Pair("Sub_i32", kInt), .inputs = {x, y}}; }
ElementStep Split(int x, int64_t axis, int pieces) {
  return {.inputs = {x}, .pieces = pieces, .axis = axis};
}

ElementStep Join(const std::vector<int>& inputs, int64_t axis) {
  return {.inputs = inputs, .joins = true, .axis = axis};
}

// Where the element at a place of `dims` is in a value that broadcasts to that.
size_t PlaceIn(const Dims& value, const Dims& dims, int64_t place) {
  int64_t there = 0, stride = 1;
  for (size_t i = 0; i < dims.size(); ++i) {
    const int64_t size = dims[dims.size() - 1 - i];
    const int64_t own = i < value.size() ? value[value.size() - 1 - i] : 1;
    there += own == 1 ? 0 : place % size * stride;
    stride *= own;
    place /= size;
  }
  return static_cast<size_t>(there);
}

// Parts behind each other along an axis.
Ints Joined(const std::vector<const Ints*>& parts, const Dims& dims, size_t axis) {
  Ints joined;
  int64_t outer = 1;
  for (size_t d = 0; d < axis; ++d) outer *= dims[d];
  for (int64_t row = 0; row < outer; ++row) {
    for (const Ints* const part : parts) {
      const auto size = static_cast<std::ptrdiff_t>(part->size()) / outer;
      joined.insert(joined.end(), part->begin() + row * size, part->begin() + (row + 1) * size);
    }
  }
  return joined;
}

// Adds, Subs, Splits and Concats of ints, one step after the other.
std::vector<Ints> ValuesOf(const ElementProgram& program, const std::vector<TensorType>& types,
                           std::vector<Ints> values) {
  for (const ElementStep& step : program.steps) {
    const TensorType& type = types[values.size()];
    if (step.joins) {
      std::vector<const Ints*> parts;
      for (const int input : step.inputs) parts.push_back(&values[static_cast<size_t>(input)]);
      values.push_back(Joined(parts, type.dims, *AxisOf(type.dims, step.axis)));
      continue;
    }
    const auto x = static_cast<size_t>(step.inputs[0]);
    for (int piece = 0; piece < step.num_outputs(); ++piece) {
      Ints made(static_cast<size_t>(*NumElements(type.dims)));
      for (size_t i = 0; i < made.size(); ++i) {
        const auto place = static_cast<int64_t>(i);
        if (step.pieces > 0) {
          const auto axis = static_cast<size_t>(step.axis);
          int64_t inner = 1;
          for (size_t d = axis + 1; d < type.dims.size(); ++d) inner *= type.dims[d];
          const int64_t size = type.dims[axis] * inner;
          made[i] = values[x][static_cast<size_t>((place / size * step.pieces + piece) * size +
                                                  place % size)];
          continue;
        }
        const auto y = static_cast<size_t>(step.inputs[1]);
        const int32_t a = values[x][PlaceIn(types[x].dims, type.dims, place)];
        const int32_t b = values[y][PlaceIn(types[y].dims, type.dims, place)];
        made[i] = step.call.body == "Add_i32" ? a + b : a - b;
      }
      values.push_back(std::move(made));
    }
  }
  return values;
}

class ElementTextTest : public testing::Test {
 protected:
  void SetUp() override {
    if (NativeLibrary::Get() == nullptr) GTEST_SKIP() << NativeLibrary::WhyNot();
  }

  // The text as the host runs it gives what the steps do one by one; and it is PTX.
  void Check(const ElementProgram& program, const std::vector<int>& outputs) {
    const auto types = TypesOfValues(program);
    ASSERT_TRUE(types.has_value());
    const ElementText text(program, *types, outputs);
    const Result<std::string> ptx = NativeLibrary::Get()->Ptx(text.ForGpu());
    EXPECT_TRUE(ptx.ok()) << ptx.status().ToString() << text.ForGpu();
    const Result<NativeCode> code = NativeLibrary::Get()->Compile(text.ForHost(), kElementKernel);
    ASSERT_TRUE(code.ok()) << code.status().ToString() << text.ForHost();

    std::vector<Ints> inputs;
    for (const ElementInput& input : program.inputs) {
      Ints& made = inputs.emplace_back(static_cast<size_t>(*NumElements(input.type.dims)));
      for (int32_t& element : made) element = static_cast<int32_t>(random_() % 100'000);
    }
    const std::vector<Ints> wanted = ValuesOf(program, *types, inputs);
    std::vector<uint64_t> params;
    for (size_t i = 0; i < inputs.size(); ++i) {
      params.push_back(program.inputs[i].is_given ? static_cast<uint64_t>(inputs[i][0])
                                                  : reinterpret_cast<uint64_t>(inputs[i].data()));
    }
    std::vector<Ints> given(outputs.size());
    for (size_t i = 0; i < outputs.size(); ++i) {
      given[i].resize(wanted[static_cast<size_t>(outputs[i])].size());
      params.push_back(reinterpret_cast<uint64_t>(given[i].data()));
    }
    std::vector<const void*> places;
    for (const uint64_t& param : params) places.push_back(&param);
    reinterpret_cast<ElementFunction>(code->address)(places.data());
    for (size_t i = 0; i < outputs.size(); ++i) {
      EXPECT_EQ(given[i], wanted[static_cast<size_t>(outputs[i])]) << text.ForHost();
    }
  }

  std::mt19937 random_{1};
};

ElementInput InMemory(const Dims& dims) { return {{kInt, dims}, false}; }
const ElementInput kGiven = {{kInt, {}}, true};

TEST_F(ElementTextTest, OneShapeScalarsAndSeveralOutputs) {
  Check({{InMemory({3, 5}), InMemory({3, 5}), kGiven, InMemory({})},
         {Add(0, 1), Sub(4, 2), Add(5, 3), Add(6, 4)}},
        {5, 7});
  // Of several shapes.
  Check({{InMemory({3, 5}), InMemory({5}), InMemory({})}, {Add(0, 1), Add(1, 2), Sub(2, 2)}},
        {3, 4, 5});
}

TEST_F(ElementTextTest, WhatBroadcasts) {
  Check({{InMemory({3, 5}), InMemory({5})}, {Add(0, 1)}}, {2});
  Check({{InMemory({3, 1}), InMemory({5})}, {Add(0, 1)}}, {2});
  Check({{InMemory({2, 3, 4}), InMemory({2, 1, 4})}, {Add(0, 1)}}, {2});
  Check({{InMemory({2, 1, 4, 1}), InMemory({3, 1, 5})}, {Sub(0, 1)}}, {2});
  // What is between them is smaller than what comes out.
  Check({{InMemory({5}), InMemory({5}), InMemory({3, 5})}, {Sub(0, 1), Add(3, 2)}}, {4});
}

TEST_F(ElementTextTest, Pieces) {
  Check({{InMemory({3, 8})}, {Split(0, 1, 4), Sub(1, 4), Add(5, 2)}}, {6, 3});
  Check({{InMemory({6, 2})}, {Split(0, 0, 3), Sub(2, 3)}}, {4});
  // Of what is computed, along a dimension of which it has one element, and of pieces.
  Check({{InMemory({3, 8}), InMemory({8})}, {Add(0, 1), Split(2, 1, 2), Sub(4, 3)}}, {5});
  Check({{InMemory({3, 8}), InMemory({3, 1})}, {Add(0, 1), Split(2, 1, 2), Sub(4, 3)}}, {5});
  Check({{InMemory({2, 3, 8})}, {Split(0, 2, 2), Split(2, 1, 3), Sub(4, 5)}}, {6});
  // A piece that repeats.
  Check({{InMemory({3, 2}), InMemory({3, 5})}, {Split(0, 1, 2), Add(2, 1), Sub(4, 3)}}, {5});
}

TEST_F(ElementTextTest, Concats) {
  Check({{InMemory({3, 2}), InMemory({3, 4})}, {Join({0, 1}, 1)}}, {2});
  Check({{InMemory({3, 2}), InMemory({1, 2})}, {Join({0, 1, 0}, -2)}}, {2});
  Check({{InMemory({2, 3, 4}), InMemory({2, 0, 4})}, {Add(0, 0), Join({2, 1, 0}, 1)}}, {3, 2});
  // Of pieces, beside what they are made of.
  Check({{InMemory({3, 8})}, {Split(0, 1, 4), Add(1, 2), Join({5, 3, 4, 5}, 1), Sub(3, 4)}},
        {6, 5, 7});
}

TEST_F(ElementTextTest, RandomPrograms) {
  const auto any = [&](size_t below) { return static_cast<int>(random_() % below); };
  for (int i = 0; i < 60; ++i) {
    const Dims dims = {1 + any(3), 2 * (1 + any(3)), 1 + any(4)};
    ElementProgram program;
    for (int k = 0; k < 3; ++k) {
      Dims own = dims;
      for (int64_t& dim : own) dim = any(3) == 0 ? 1 : dim;
      own.erase(own.begin(), own.begin() + any(own.size() + 1));
      program.inputs.push_back({{kInt, own}, own.empty() && any(2) == 0});
    }
    size_t values = program.inputs.size();
    for (int k = 0; k < 6; ++k) {
      ElementProgram longer = program;
      const bool splits = any(4) == 0;
      longer.steps.push_back(splits        ? Split(any(values), any(3), 2)
                             : any(2) == 0 ? Add(any(values), any(values))
                                           : Sub(any(values), any(values)));
      const auto types = TypesOfValues(longer);
      if (!types.has_value()) continue;
      program = std::move(longer);
      values = types->size();
    }
    if (program.steps.empty()) continue;
    Check(program, {static_cast<int>(values) - 1});
  }
}

TEST_F(ElementTextTest, ShapesThatDoNotFit) {
  EXPECT_FALSE(TypesOfValues({{InMemory({3}), InMemory({2})}, {Add(0, 1)}}));
  EXPECT_FALSE(TypesOfValues({{InMemory({3})}, {Split(0, 0, 2)}}));
  EXPECT_FALSE(TypesOfValues({{InMemory({3, 2}), InMemory({2, 3})}, {Join({0, 1}, 0)}}));
  EXPECT_FALSE(TypesOfValues({{InMemory({3})}, {Join({0, 0}, 1)}}));
  EXPECT_FALSE(TypesOfValues({{InMemory({})}, {Join({0, 0}, 0)}}));
  EXPECT_FALSE(TypesOfValues({{InMemory({3}), {{DType::kFloat, {3}}, false}}, {Add(0, 1)}}));
}

// Assemblers make one of a plain multiplication and a plain addition.
TEST_F(ElementTextTest, NothingIsContracted) {
  constexpr DType kFloat = DType::kFloat;
  const ElementInput input = {{kFloat, {4}}, false};
  const ElementProgram program = {{input, input, input},
                                  {{.call = Pair("Mul_f32", kFloat), .inputs = {0, 1}},
                                   {.call = Pair("Add_f32", kFloat), .inputs = {3, 2}},
                                   {.call = Pair("Div_f32", kFloat), .inputs = {4, 2}}}};
  const ElementText text(program, *TypesOfValues(program), {5});
  const Result<std::string> ptx = NativeLibrary::Get()->Ptx(text.ForGpu());
  ASSERT_TRUE(ptx.ok()) << ptx.status().ToString();
  EXPECT_THAT(*ptx, HasSubstr("mul.rn.f32"));
  EXPECT_THAT(*ptx, HasSubstr("add.rn.f32"));
  EXPECT_THAT(*ptx, HasSubstr("div.rn.f32"));
  EXPECT_THAT(*ptx, Not(HasSubstr("fma")));
  EXPECT_THAT(*ptx, Not(HasSubstr("ftz")));
}

}  // namespace
}  // namespace tagflow::optimized
