// Tests: body_calls.cc, loop_homes.cc, loop_listing.cc, loop_liveness.cc, loop_scalars.cc,
// loop_tensors.cc, loop_types.cc, loop_values.cc, scalar_calls.cc

#include "optimized/native/loop_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "optimized/native/loop_liveness.h"
#include "optimized/native/native_types.h"
#include "optimized/straight/code_writer.h"

namespace tagflow::optimized {
namespace {

const SeenTypes kNothingSeen;

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

bool HasAnyBody(const std::string& name) { return !name.ends_with("_refuses"); }

// while slot 1 { slot 2 = call(slot 0, slot 0); … }; where a call has a part it is one of kernels.
class LoopSourceTest : public testing::Test {
 protected:
  LoopSourceTest() {
    writer_.Unless(1, 3).Call(2, {0, 0}).Repeat(0);
    writer_.code.num_slots = 3;
    parts_.resize(writer_.code.instructions.size());
    parts_[1] = &kSquares;
  }
  Result<std::string> Source(const std::vector<Tensor>& slots, bool counts_firings = false) const {
    return LoopSource(slots, {0, 2}, counts_firings);
  }
  Result<std::string> LoopSource(const std::vector<Tensor>& slots, const LoopBounds& bounds,
                                 bool counts_firings = false) const {
    const HasBody has_body = HasAnyBody;
    const LoopToCompile loop = {writer_.code, bounds,       parts_,
                                has_body,     kNothingSeen, counts_firings};
    LoopValues values(loop);
    TAGFLOW_RETURN_IF_ERROR(values.Look(slots));
    return WriteLoop(loop, values, "f");
  }

  static inline const KernelPart kSquares = AdditionPart{DType::kInt32, false};
  CodeWriter writer_;
  std::vector<const KernelPart*> parts_;
};

const Tensor kTrue = Tensor::Scalar(true);
const Tensor kThree = Tensor::Scalar<int32_t>(3);

TEST_F(LoopSourceTest, CallsOfScalarsAreFunctionsOfThem) {
  const auto source = Source({kThree, kTrue, Tensor()});
  ASSERT_TRUE(source.ok());
  EXPECT_THAT(*source, HasSubstr("call i32 @Add_i32(i32 %v"));
  EXPECT_THAT(*source, HasSubstr("declare i32 @Add_i32(i32, i32)"));
  EXPECT_THAT(*source, Not(HasSubstr("call i32 %run")));
}

TEST_F(LoopSourceTest, CallsOfTensorsAreLoops) {
  writer_.Fetch(2);
  const auto source = Source({Tensor::Vector<int32_t>({1, 2}), kTrue, Tensor()});
  ASSERT_TRUE(source.ok());
  EXPECT_THAT(*source, HasSubstr("call void @\"f elements 0\"(ptr %v"));
  EXPECT_THAT(*source, HasSubstr("call i32 @Add_i32(i32 %x"));
  EXPECT_THAT(*source, ContainsRegex("icmp ult i64 %x[0-9]+, 2\n"));
  EXPECT_THAT(*source, Not(HasSubstr("call i32 %run")));
}

TEST_F(LoopSourceTest, OtherCallsAreTheMachines) {
  const auto of_many =
      Source({Tensor::Vector(std::vector<int32_t>(kMostElements + 1)), kTrue, Tensor()});
  ASSERT_TRUE(of_many.ok());
  EXPECT_THAT(*of_many, HasSubstr("call i32 %run(ptr %self, i32 1)"));
  parts_[1] = nullptr;
  const auto of_others = Source({kThree, kTrue, kThree});
  ASSERT_TRUE(of_others.ok());
  EXPECT_THAT(*of_others, HasSubstr("call i32 %run(ptr %self, i32 1)"));
}

// Slot 2 = the call of (slot 0, slot 0); where slot 0 has a handle, an element comes from there.
TEST_F(LoopSourceTest, ElementsOfObjectsAreReadWhereTheyAre) {
  const KernelPart read = ElementPart{
      .kind = CellsKind::kStack, .access = "StackPop", .element = 0, .dtype = DType::kFloat};
  parts_[1] = &read;
  const Tensor handle = *Tensor::Allocate(DType::kResource, {});
  const auto source = Source({handle, kTrue, Tensor()});
  ASSERT_TRUE(source.ok());
  EXPECT_THAT(*source, HasSubstr("@StackPop(ptr %v"));
  EXPECT_THAT(*source, HasSubstr("@open_rarely(ptr %open, ptr %self, i32 0, i32 0, ptr null)"));
  EXPECT_THAT(*source, HasSubstr("@run_rarely(ptr %run, ptr %self, i32 1)"));
  // A slot that has no float may not have one later.
  EXPECT_THAT(*Source({handle, kTrue, kThree}), Not(HasSubstr("StackPop")));
}

// while slot 1 { slot 2 = (slot 0, slot 0); slot 4 = slot 3[slot 2] }
TEST_F(LoopSourceTest, AVectorThatRowsAloneReadIsWrittenWhereTheLoopIsLeft) {
  const KernelPart vector = VectorPart{DType::kInt32}, row = RowPart{.index = 1, .most_items = 2};
  writer_ = CodeWriter();
  writer_.Unless(1, 4).Call(2, {0, 0}).Call(4, {3, 2}).Repeat(0);
  writer_.code.num_slots = 5;
  parts_ = {nullptr, &vector, &row, nullptr};
  const Tensor table = *Tensor::Allocate(DType::kFloat, Dims{2, 2}),
               both = Tensor::Vector<int32_t>({1, 1});
  const std::vector<Tensor> slots = {kThree, kTrue, both, table, Tensor::Scalar(1.0f)};
  const auto is_written_at_once = [&] {
    const std::string source = *LoopSource(slots, {0, 3});
    const size_t written = source.find("ptr @own_rarely(");
    EXPECT_NE(written, std::string::npos);
    return written < source.find("\nleave");
  };
  EXPECT_FALSE(is_written_at_once());
  // It is fetched, too.
  writer_.Fetch(2);
  EXPECT_TRUE(is_written_at_once());
}

TEST_F(LoopSourceTest, APredicateIsAScalar) {
  EXPECT_EQ(Source({kThree, Tensor::Vector<bool>({true}), Tensor()}).status().code(),
            tagflow::Code::kFailedPrecondition);
  EXPECT_EQ(Source({kThree, Tensor(), Tensor()}).status().code(),
            tagflow::Code::kFailedPrecondition);
}

TEST_F(LoopSourceTest, FiringsAreTakenByTheBlock) {
  EXPECT_THAT(*Source({kThree, kTrue, Tensor()}), Not(HasSubstr("fuel_left")));
  // The call and the repeat.
  EXPECT_THAT(*Source({kThree, kTrue, Tensor()}, true),
              testing::ContainsRegex("sub i64 %v[0-9]+, 2"));
}

TEST_F(LoopSourceTest, WhatIsNotReadIsForgotten) {
  EXPECT_THAT(*Source({kThree, kTrue, Tensor()}), HasSubstr("store i32 poison, ptr %s2"));
  // It is fetched behind the loop.
  writer_.Fetch(2);
  EXPECT_THAT(*Source({kThree, kTrue, Tensor()}), Not(HasSubstr("poison")));
}

// Slot 2 is read in the iteration after it was written, slot 3 in its own.
TEST(LoopLivenessTest, LooksRoundTheLoop) {
  const Code code = CodeWriter().Unless(1, 4).Call(3, {2}).Call(2, {3}).Repeat(0).Fetch(1).code;
  const std::vector<const KernelPart*> parts(code.instructions.size());
  const HasBody has_body = HasAnyBody;
  const LoopToCompile loop = {code, {0, 3}, parts, has_body, kNothingSeen, false};
  LoopValues values(loop);
  ASSERT_TRUE(values.Look({kThree, kTrue, kThree, kThree}).ok());
  const LoopLiveness liveness(loop, values);
  for (uint32_t at = 0; at < 6; ++at) {
    EXPECT_TRUE(liveness.IsLive(1, at)) << at;
    EXPECT_EQ(liveness.IsLive(2, at), at != 2 && at < 4) << at;
    EXPECT_EQ(liveness.IsLive(3, at), at == 2) << at;
  }
}

TEST_F(LoopSourceTest, ConstantsAreWritten) {
  writer_.code.constants = {{0, kThree}};
  EXPECT_THAT(*Source({kThree, kTrue, Tensor()}), HasSubstr("@Add_i32(i32 3, i32 3)"));
}

TEST(NativeTypesTest, NumbersAsLlvmWritesThem) {
  EXPECT_EQ(NativeLiteral(Tensor::Scalar<int8_t>(-3)), "-3");
  EXPECT_EQ(NativeLiteral(Tensor::Scalar(false)), "false");
  EXPECT_EQ(NativeLiteral(Tensor::Scalar(1.0f)), "0x3FF0000000000000");
  EXPECT_EQ(NativeLiteral(Tensor::Scalar(-0.0)), "0x8000000000000000");
  EXPECT_EQ(NativeLiteral(DType::kDouble, 1), "0x3FF0000000000000");
  EXPECT_EQ(NativeLiteral(DType::kInt64, 1), "1");
  EXPECT_EQ(NativeTypeOf(DType::kHalf), nullptr);
}

// Machine code takes this layout of a Tensor for granted.
TEST(ScalarLayoutTest, IsThatOfTensors) {
  ASSERT_EQ(sizeof(Tensor), 16u);
  const auto header_of = [](const Tensor& tensor) {
    uint16_t header;
    std::memcpy(&header, reinterpret_cast<const char*>(&tensor) + 8, sizeof header);
    return header;
  };
  for (const DType dtype : {DType::kBool, DType::kInt32, DType::kDouble}) {
    const Tensor scalar = *Tensor::Allocate(dtype, {});
    EXPECT_EQ(scalar.raw_data(), static_cast<const void*>(&scalar));
    EXPECT_EQ(header_of(scalar), static_cast<uint16_t>(dtype));
  }
  const Tensor vector = Tensor::Vector<float>({1, 2});
  EXPECT_EQ(header_of(vector), 256 + static_cast<uint16_t>(DType::kFloat));
  EXPECT_LT(header_of(Tensor()), 256);
}

}  // namespace
}  // namespace tagflow::optimized
