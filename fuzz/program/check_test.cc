// A failing program for each rule of Check.
// Tests: check.cc, scopes.cc, loops.cc, typing.cc

#include "fuzz/program/check.h"

#include <gtest/gtest.h>

#include "fuzz/program/fault.h"
#include "fuzz/program/test_program.h"
#include "fuzz/program/text.h"
#include "fuzz/program/walk.h"

namespace tagflow::fuzz {
namespace {

// What is wrong with the program, without the place.
std::string ErrorOf(const std::string& text) {
  const Result<Program> program = ParseProgram(text);
  if (program.ok()) return "none";
  const std::string& message = program.status().message();
  const size_t begin = message.rfind("': ");
  if (begin != std::string::npos) return message.substr(begin + 3);
  return message.substr(message.find(": ") + 2);
}

std::string ErrorOf(const Program& program) {
  const Status status = Check(program);
  return status.ok() ? "none" : status.message();
}

// Values to speak of.
const std::string kValues = R"(
  variable v: float[2] = [0, 0]
  input p: bool = true
  input f: float = 1
  input f2: float[2] = [1, 2]
  input f3: float[3] = [1, 2, 3]
  input d: double = 1
  input i: int32 = 3
  input open: float[?] = float[2] [1, 2]
)";
std::string ErrorWith(const std::string& statements) { return ErrorOf(kValues + statements); }

std::string LoopError(const std::string& head, const std::string& type = "int32") {
  return ErrorOf("b: " + type + " = Const 3 n: " + type + " = While(b) " + head +
                 " {test(i0: " + type + "): body(i1: " + type + "):}");
}

TEST(CheckTest, AFaultNamesTheStatementAsTheTextNumbersIt) {
  Program program = ProgramOf("x: float = Const 1 y: float = Neg(x) return y");
  program.body.statements[1].op = Op::kLogicalNot;
  EXPECT_EQ(ErrorOf(program), "'v1: float = LogicalNot(v0)': does not take float");
}

TEST(CheckScopesTest, AValueIsBoundOnceAndHasAType) {
  Program program = ProgramOf("x: float = Const 1 y: float = Const 2");
  program.body.statements[1].outputs = program.body.statements[0].outputs;
  EXPECT_EQ(ErrorOf(program), "'v0: float = Const 2': binds a value a second time");
  program.body.statements[1].outputs = {ValueId{9}};
  EXPECT_EQ(ErrorOf(program), "'v?: ? = Const float 2': binds a value that has no type");
}

TEST(CheckScopesTest, AValueIsUsedAfterItIsBoundAndInItsBlock) {
  Program program = ProgramOf("x: float = Const 1 y: float = Neg(x) return y");
  std::swap(program.body.statements[0], program.body.statements[1]);
  EXPECT_EQ(ErrorOf(program), "'v0: float = Neg(v1)': an operand is not bound before this");
  EXPECT_EQ(ErrorWith("Cond(p) {then: x: float = Const 1 else: } y: float = Neg(x)"),
            "an operand is a value of a block that has ended");
  EXPECT_EQ(ErrorWith("Cond(p) {then: x: float = Const 1 else: y: float = Neg(x)}"),
            "an operand is a value of a block that has ended");
  EXPECT_EQ(ErrorWith("Cond(p) {then: x: float = Const 1 else: } y: float = Const 1 after x"),
            "what it comes after is a value of a block that has ended");
  EXPECT_EQ(ErrorWith("Cond(p) {then: x: float = Const 1 else: } return x"),
            "a result of the program is a value of a block that has ended");
  EXPECT_EQ(ErrorWith("y: float = Cond(p) {then: z: float = Neg(y) return z else: return f}"),
            "an operand is not bound before this");
  EXPECT_EQ(ErrorWith("n: int32 = While(i) from 0 step 1 Less most 5 {"
                      "test(i0: int32): body(i1: int32): x: int32 = Neg(i0)}"),
            "an operand is a value of a block that has ended");
}

TEST(CheckScopesTest, AStatementHasTheFieldsOfItsOperation) {
  EXPECT_EQ(ErrorWith("x: float = Neg"), "takes 1 operand");
  EXPECT_EQ(ErrorWith("x: float = Add(f, f, f)"), "takes 2 operands");
  EXPECT_EQ(ErrorWith("Neg(f)"), "gives 1 value");
  EXPECT_EQ(ErrorWith("x: float[1] = ExpandDims(f)"), "takes 1 number");
  EXPECT_EQ(ErrorWith("x: float = Neg(f) {branch:}"), "has no blocks");
  EXPECT_EQ(ErrorWith("Cond(p) {then:}"), "has two blocks, then and else");
  EXPECT_EQ(ErrorWith("Case(i) {}"), "has at least one branch");
  EXPECT_EQ(ErrorWith("Cond(p) {then: else: return f}"), "each branch must give 0 results, not 1");
  Program program = ProgramOf("x: float = Const 1 y: float = Neg(x)");
  program.body.statements[1].literal = Tensor::Scalar(1.0f);
  EXPECT_EQ(ErrorOf(program),
            "'v1: float = Neg 1(v0)': a Const has a literal, and nothing else has")
      << ToText(program);
  program.body.statements[1].literal = Tensor();
  program.body.statements[1].variable = 0;
  EXPECT_EQ(ErrorOf(program), "'v1: float = Neg(v0) x0': accesses no variable");
  program.body.statements[1].op = Op::kRead;
  program.body.statements[1].operands.clear();
  program.body.statements[1].variable = 3;
  EXPECT_EQ(ErrorOf(program), "'v1: float = Read x3': names a variable that there is not");
  program.body.statements[1].op = static_cast<Op>(200);
  EXPECT_EQ(ErrorOf(program), "'v1: float = ? x3': no such operation");
}

TEST(CheckScopesTest, ALoopGivesWhatItTakes) {
  const auto loop = [](const std::string& operands, const std::string& outputs,
                       const std::string& test, const std::string& body) {
    return ErrorWith(outputs + " = While(" + operands + ") from 0 step 1 Less most 5 {test(" +
                     test + " body(" + body + "}");
  };
  EXPECT_EQ(
      loop("i, f", "n: int32, x: float", "a: int32, b: float):", "c: int32, e: float): return e"),
      "none");
  EXPECT_EQ(loop("i, f", "n: int32", "a: int32, b: float):", "c: int32, e: float): return e"),
            "gives the counter and each variable, 2 values");
  EXPECT_EQ(loop("i, f", "n: int32, x: float", "a: int32):", "c: int32, e: float): return e"),
            "a block of it takes the counter and each variable, 2 parameters");
  EXPECT_EQ(loop("i, f", "n: int32, x: float", "a: int32, b: float): return p, p",
                 "c: int32, e: float): return e"),
            "the test has at most one result");
  EXPECT_EQ(loop("i, f", "n: int32, x: float", "a: int32, b: float):", "c: int32, e: float):"),
            "the body must give each variable's next value, 1 result");
}

TEST(CheckScopesTest, NestsThatAreTooDeepAreRefused) {
  Program program = ProgramOf("c: bool = Const true");
  Statement cond;
  cond.op = Op::kCond;
  cond.operands = {ValueId{0}};
  cond.blocks.resize(2);
  Statement nest = cond;
  for (int i = 0; i < 300; ++i) {
    Statement outer = cond;
    outer.blocks[0].statements.push_back(std::move(nest));
    nest = std::move(outer);
  }
  program.body.statements.push_back(std::move(nest));
  EXPECT_EQ(ErrorOf(program), "'Cond(v0)': the blocks are nested too deeply");
}

TEST(CheckTypesTest, FeedsAndVariablesHaveTheirTypes) {
  EXPECT_EQ(ErrorOf("runs 2 input x: float = 1"), "an input needs one feed per run");
  EXPECT_EQ(ErrorOf("input x: float = float[1] [1]"),
            "a feed is a float[1], but its input is a float");
  EXPECT_EQ(ErrorOf("input x: float[?] = double[1] [1]"),
            "a feed is a double[1], but its input is a float[?]");
  EXPECT_EQ(ErrorOf("variable x: float = int32 1"),
            "variable x0 is a float, but its initial value is a int32");
  EXPECT_EQ(ErrorWith("x: float = Read v"), "what it gives is a float[2], not a float");
  EXPECT_EQ(ErrorWith("Assign(f) v"), "a float cannot go into a variable that is a float[2]");
  EXPECT_EQ(ErrorOf("variable x: bool = true input y: bool = true AssignAdd(y) x"),
            "does not take bool");
}

TEST(CheckTypesTest, BranchesAgree) {
  EXPECT_EQ(ErrorWith("Cond(f) {then: else:}"), "the operand must be a bool, not a float");
  EXPECT_EQ(ErrorWith("Case(p) {branch:}"), "the operand must be a int32, not a bool");
  EXPECT_EQ(ErrorWith("x: float = Cond(p) {then: return f else: return d}"),
            "result 0 of a branch is a double, not a float");
  EXPECT_EQ(ErrorWith("x: float[2] = Cond(p) {then: return f2 else: return open}"),
            "result 0 of a branch is a float[?], not a float[2]");
  EXPECT_EQ(ErrorWith("x: float[?] = Cond(p) {then: return f2 else: return f3}"), "none");
}

TEST(CheckTypesTest, LoopVariablesKeepTheirTypes) {
  const auto loop = [](const std::string& bound, const std::string& initial,
                       const std::string& type, const std::string& body) {
    return ErrorWith("n: int32, x: " + type + " = While(" + bound + ", " + initial +
                     ") from 0 step 1 Less most 5 {test(a: int32, b: " + type +
                     "): body(c: int32, e: " + type + "): " + body + "}");
  };
  EXPECT_EQ(loop("i", "f", "float", "return f"), "none");
  EXPECT_EQ(loop("i", "open", "float[?]", "g: float[?] = Concat(e, f2) [0] return g"), "none");
  EXPECT_EQ(loop("d", "f", "float", "return e"),
            "the bound must be a int32 as the counter, not a double");
  EXPECT_EQ(loop("i", "f2", "float", "return e"),
            "the initial value of variable 0 is a float[2], not a float");
  EXPECT_EQ(loop("i", "f", "float", "return d"),
            "the next value of variable 0 is a double, not a float");
  EXPECT_EQ(loop("i", "f2", "float[2]", "g: float[4] = Concat(e, f2) [0] return g"),
            "the next value of variable 0 is a float[4], not a float[2]");
  EXPECT_EQ(ErrorWith("n: int32, x: float = While(i, f) from 0 step 1 Less most 5 {"
                      "test(a: int32, b: double): body(c: int32, e: float): return e}"),
            "a parameter is a double, but what becomes of it a float");
  EXPECT_EQ(ErrorWith("n: int32 = While(i) from 0 step 1 Less most 5 {"
                      "test(a: int32): return f body(c: int32):}"),
            "the test's result must be a bool, not a float");
}

TEST(CheckLoopsTest, EveryLoopEnds) {
  EXPECT_EQ(LoopError("from 0 step 1 Less most 5"), "none");
  EXPECT_EQ(LoopError("from 0 step 0 Less most 5"), "the step must not be 0");
  EXPECT_EQ(LoopError("from 0 step 1 Less most -5"), "most must be at least 0");
  EXPECT_EQ(LoopError("from 0 step 1 Greater most 5"),
            "a loop with a step above 0 goes on while Less or LessEqual");
  EXPECT_EQ(LoopError("from 0 step -1 Less most 5"),
            "a loop with a step below 0 goes on while Greater or GreaterEqual");
  EXPECT_EQ(LoopError("from 0 step 1 NotEqual most 5"), "none");
  EXPECT_EQ(LoopError("from 0 step -2 NotEqual most 5"), "a NotEqual loop needs a step of 1 or -1");
  EXPECT_EQ(LoopError("from 0 step 1 NotEqual most 5", "float"),
            "a NotEqual loop needs an integer counter");
  EXPECT_EQ(LoopError("from 0 step 1 Add most 5"),
            "a loop goes on while Less, LessEqual, Greater, GreaterEqual or NotEqual");
  EXPECT_EQ(LoopError("from 0.5 step 1 Less most 5"),
            "start, step and most of an integer counter are integers");
  EXPECT_EQ(LoopError("from 0.5 step 0.25 Less most 5.5", "double"), "none");
  EXPECT_EQ(LoopError("from 0 step 1 Less most inf", "double"),
            "start, step and most must be finite");
  EXPECT_EQ(LoopError("from 0 step 1 Less most 5", "int16"),
            "a counter is int32, int64, float or double");
  EXPECT_EQ(LoopError("from 0 step 1 Less most 5 parallel 0"),
            "parallel must be at least 1 and an int32");
  EXPECT_EQ(LoopError("from 0 step 1 Less most 5 maximum -2"),
            "maximum must be at least 0 and an int32; without it there is none");
}

TEST(CheckLoopsTest, ACounterNeitherWrapsNorStandsStill) {
  const std::string lost = "the counter goes so far that a step of it would be lost";
  EXPECT_EQ(LoopError("from 2147483000 step 100 LessEqual most 500"), lost);
  EXPECT_EQ(LoopError("from 2147483000 step 100 LessEqual most 400"), "none");
  EXPECT_EQ(LoopError("from 1e+09 step 1 Less most 5", "float"), lost);
  EXPECT_EQ(LoopError("from 1e+09 step 1 Less most 5", "double"), "none");
  EXPECT_EQ(LoopError("from 1e+17 step 1 Less most 5", "int64"), lost);
}

TEST(CheckLoopsTest, ABoundThatIsMadeInsideIsAConstant) {
  EXPECT_EQ(LoopError("from 0 step 1 Less most 5 bound_inside"), "none");
  EXPECT_EQ(ErrorWith("n: int32 = While(i) from 0 step 1 Less most 5 bound_inside {"
                      "test(a: int32): body(b: int32):}"),
            "a bound that is made inside must be a Const");
}

TEST(CheckTest, ProgramsNeedARunAndNoParameters) {
  Program program = ProgramOf("x: float = Const 1");
  program.runs = 0;
  EXPECT_EQ(ErrorOf(program), "there must be at least one run");
  program.runs = 1;
  program.body.parameters = {program.NewValue({})};
  EXPECT_EQ(ErrorOf(program), "the program's body has no parameters; it has inputs");
}

}  // namespace
}  // namespace tagflow::fuzz
