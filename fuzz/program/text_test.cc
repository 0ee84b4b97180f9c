// Tests: text.cc, literal_text.cc, lexer.cc, test_program.cc

#include "fuzz/program/text.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "fuzz/program/check.h"
#include "fuzz/program/lexer.h"
#include "fuzz/program/literal_text.h"
#include "fuzz/program/test_program.h"
#include "fuzz/program/walk.h"

namespace tagflow::fuzz {
namespace {

TEST(TextTest, EveryProgramOfTheCorpusComesBackAsItWas) {
  ASSERT_GE(CorpusNames().size(), 10u);
  for (const std::string& name : CorpusNames()) {
    SCOPED_TRACE(name);
    const Program program = ProgramOf(CorpusText(name));
    const std::string text = ToText(program);
    const Program again = ProgramOf(text);
    EXPECT_EQ(ToText(again), text);
    EXPECT_EQ(Size(again), Size(program));
    EXPECT_EQ(again.types, program.types);
    EXPECT_EQ(again.runs, program.runs);
  }
}

TEST(TextTest, IsWrittenOneStatementALineWithBlocksIndented) {
  const Program program = ProgramOf(R"(
    input a: bool=true input x:float[2]=[1,2]  # two on a line
    n: int32=Const 3
    c: float[2]=Cond(a) after n {then: return x else: i:int32,y:float[2]=While(n,x)
      from 0 step 1 Less most 5 parallel 2 bound_inside
      {test(j:int32,z:float[2]): body(k:int32,w:float[2]): s: float[2] = Square(w) return s}
      return y}
    return c)");
  EXPECT_EQ(ToText(program), R"(input v0: bool = true
input v1: float[2] = [1, 2]
v2: int32 = Const 3
v3: float[2] = Cond(v0) after v2 {
then:
  return v1
else:
  v4: int32, v5: float[2] = While(v2, v1) from 0 step 1 Less most 5 parallel 2 bound_inside {
  test(v6: int32, v7: float[2]):
  body(v8: int32, v9: float[2]):
    v10: float[2] = Square(v9)
    return v10
  }
  return v5
}
return v3
)");
}

TEST(TextTest, EveryFieldOfALoopComesBack) {
  const Program program = ProgramOf(R"(
    b: float = Const 2
    i: float = While(b) from 7.25 step -0.1 GreaterEqual most 1e+02 maximum 9 parallel 3
      no_back_prop swap_memory {test(i0: float): body(i1: float):})");
  const Loop loop = ProgramOf(ToText(program)).body.statements[1].loop;
  EXPECT_EQ(loop.counter, DType::kFloat);
  EXPECT_EQ(loop.start, 7.25);
  EXPECT_EQ(loop.step, -0.1);
  EXPECT_EQ(loop.compare, Op::kGreaterEqual);
  EXPECT_EQ(loop.most, 100);
  EXPECT_EQ(loop.maximum_iterations, 9);
  EXPECT_EQ(loop.parallel_iterations, 3);
  EXPECT_FALSE(loop.back_prop);
  EXPECT_TRUE(loop.swap_memory);
  EXPECT_FALSE(loop.bound_inside);
}

TEST(TextTest, AProgramThatIsNoneCanStillBeShown) {
  Program program = ProgramOf("x: float = Const 1 y: float = Neg(x) return y");
  program.body.statements[1].operands = {ValueId{77}};
  program.body.results = {ValueId::kNone};
  EXPECT_EQ(ToText(program), "v0: float = Const 1\nv1: float = Neg(v?)\nreturn v?\n");
}

template <typename T>
void ExpectComesBack(const std::vector<T>& values) {
  const Tensor tensor = Tensor::Vector(values);
  Tensor read = *Tensor::Allocate(tensor.dtype(), tensor.dims());
  std::string text = LiteralText(tensor);
  const std::string elements = text.substr(1, text.size() - 2) + ",";
  size_t begin = 0;
  for (int64_t i = 0; i < tensor.num_elements(); ++i) {
    const size_t end = elements.find(',', begin);
    EXPECT_TRUE(SetElement(read, i, std::string_view(elements).substr(begin, end - begin)))
        << text << " at " << begin;
    begin = end + 2;  // ", "
  }
  EXPECT_TRUE(BitwiseEqual(read, tensor)) << text;
}

TEST(LiteralTextTest, NumbersComeBackBitForBit) {
  const auto doubles = std::vector<double>{
      0.1, -0.0, 1.0 / 3, 5e-324, 1.7976931348623157e308, HUGE_VAL, -HUGE_VAL, std::nan("")};
  ExpectComesBack(doubles);
  ExpectComesBack<float>({0.1f, -0.0f, 1.0f / 3, 1e-45f, 3.4028235e38f, HUGE_VALF, NAN});
  ExpectComesBack<int64_t>({std::numeric_limits<int64_t>::min(), -1, 0, 9007199254740993});
  ExpectComesBack<uint64_t>({std::numeric_limits<uint64_t>::max(), 0});
  ExpectComesBack<int8_t>({-128, 127});
  ExpectComesBack<bool>({true, false});
  std::vector<Half> halves;
  std::vector<BFloat16> bfloats;
  for (uint32_t bits = 0; bits < 0x10000; bits += 7) {
    halves.push_back({static_cast<uint16_t>(bits)});
    bfloats.push_back({static_cast<uint16_t>(bits)});
  }
  ExpectComesBack(halves);
  ExpectComesBack(bfloats);
  std::vector<float> floats;
  for (uint64_t i = 0; i < 5000; ++i) {
    floats.push_back(std::bit_cast<float>(static_cast<uint32_t>(i * 858993459u)));
  }
  ExpectComesBack(floats);
}

TEST(LiteralTextTest, WhatIsNoElementIsRefused) {
  Tensor number = *Tensor::Allocate(DType::kInt8, {});
  EXPECT_FALSE(SetElement(number, 0, "128"));
  EXPECT_FALSE(SetElement(number, 0, "1.5"));
  EXPECT_FALSE(SetElement(number, 0, ""));
  EXPECT_FALSE(SetElement(number, 0, "true"));
  Tensor truth = *Tensor::Allocate(DType::kBool, {});
  EXPECT_FALSE(SetElement(truth, 0, "1"));
  EXPECT_EQ(NumberOfText("1e3"), 1000);
  EXPECT_EQ(NumberOfText("x"), std::nullopt);
  EXPECT_EQ(IntegerOfText("12.0"), std::nullopt);
}

TEST(LexerTest, WordsHaveTheirPlaces) {
  Lexer lexer("ab -1e-5, # all of this\n  v_2?");
  std::string seen;
  for (; lexer.token().kind != Token::Kind::kEnd; lexer.Advance()) {
    seen += std::string(lexer.token().text) + "@" + std::to_string(lexer.token().line) + ":" +
            std::to_string(lexer.token().column) + " ";
  }
  EXPECT_EQ(seen, "ab@1:1 -1e-5@1:4 ,@1:9 v_2@2:3 ?@2:6 ");
}

}  // namespace
}  // namespace tagflow::fuzz
