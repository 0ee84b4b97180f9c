// Tests: op_script.cc, script_text.cc. The engine here knows no op: it gives back what it gets.

#include "conformance/ops/op_script.h"

#include <gtest/gtest.h>

#include <utility>

#include "conformance/ops/script_text.h"

namespace tagflow::conformance {
namespace {

class Echo : public OpRunner {
 public:
  Result<std::vector<Value>> Run(const std::string& op, std::vector<Value> inputs,
                                 AttrMap attrs) override {
    if (op == "Abort") return InvalidArgument("it is " + node_).WithNode(node_);
    if (op == "DeepCopy" && !inputs[0].tensor.unique()) return Internal("somebody else holds it");
    for (auto& [name, value] : attrs) inputs.push_back({Tensor::Scalar(value.ToString()), nullptr});
    return inputs;
  }
  std::string Text(const Value& value) const override { return value.tensor.DebugString(); }
  void SetNode(const std::string& name) override { node_ = name; }
  void EndStep() override { node_ = "over"; }

 private:
  std::string node_ = "node";
};

// What is wrong with the lines, as "line: message", one a line.
std::string Failures(const std::string& lines, bool is_reference = true) {
  const OpEngine echo{"echo", is_reference, {}, [] { return std::make_unique<Echo>(); }};
  const Result<std::vector<OpScript>> scripts = ReadOpScripts("test T\n" + lines);
  if (!scripts.ok()) return scripts.status().message();
  std::string text;
  for (const OpScriptFailure& failure : RunOpScript(scripts->front(), echo)) {
    text += std::to_string(failure.line) + ": " + failure.message + "\n";
  }
  return text;
}

TEST(OpScript, IsReadByTests) {
  const auto scripts = ReadOpScripts("# Why\n\ntest One\nNoOp()\n    -> nothing\ntest Two\n");
  ASSERT_TRUE(scripts.ok());
  ASSERT_EQ(scripts->size(), 2u);
  EXPECT_EQ((*scripts)[0].name, "One");
  ASSERT_EQ((*scripts)[0].lines.size(), 1u);
  EXPECT_EQ((*scripts)[0].lines[0].number, 4);
  EXPECT_EQ((*scripts)[0].lines[0].text, "NoOp() -> nothing");
  EXPECT_EQ(CalledOps((*scripts)[0]), std::set<std::string>{"NoOp"});
  EXPECT_FALSE(ReadOpScripts("NoOp()\n").ok());
  EXPECT_FALSE(ReadOpScripts("test One\n    -> nothing\n").ok());
}

TEST(OpScript, ARightLineHolds) {
  EXPECT_EQ(Failures("Identity([1, 2]) -> int32[2] [1, 2]\n"
                     "IdentityN(1, \"a; -> b\") -> int32[] 1; string[] \"a; -> b\"\n"
                     "Identity(nan) -> float[] nan\n"
                     "Identity(variant[2]) -> variant[2] [<empty>, <empty>]\n"
                     "Identity([1, 2, 3]) -> int32[3] [1...3]\n"
                     "NoOp() -> nothing\n"
                     "x = [1, 2]\n"
                     "pair = IdentityN(x, 3)\n"
                     "Identity(pair:1) -> int32[] 3\n"
                     "T in half complexes: Identity(T:[1, 2]) -> T[2] [1, 2]\n"),
            "");
}

TEST(OpScript, LiteralsAreNobodyElsesAndOutputsAreShared) {
  EXPECT_EQ(Failures("DeepCopy([1, 2]) -> int32[2] [1, 2]\n"
                     "x = [1, 2]\n"
                     "DeepCopy(x) -> int32[2] [1, 2]\n"
                     "y = Identity(x)\n"
                     "DeepCopy(y) -> INTERNAL\n"),
            "");
}

TEST(OpScript, AWrongLineIsToldByItsNumber) {
  EXPECT_EQ(Failures("Identity(1) -> int32[] 1\nIdentity(1) -> int32[] 2\n"),
            "3: Identity(1) -> int32[] 2 gives int32[] 1, not int32[] 2\n");
  EXPECT_NE(Failures("Identity(1) -> int64[] 1\n"), "");
  EXPECT_NE(Failures("Identity(1) -> int32[] 1; int32[] 1\n"), "");
  EXPECT_NE(Failures("Identity(float:0) -> float[] -0\n"), "");
  EXPECT_NE(Failures("Identity(1) -> nothing\n"), "");
  EXPECT_NE(Failures("Identity(1) -> INVALID_ARGUMENT\n"), "");
  EXPECT_NE(Failures("Abort() -> nothing\n"), "");
  EXPECT_NE(Failures("T in half float: Identity(T:1) -> half[] 1\n"), "");
}

TEST(OpScript, AnErrorIsItsCodeAndItsWords) {
  EXPECT_EQ(Failures("Abort() -> INVALID_ARGUMENT\n"), "");
  EXPECT_EQ(Failures("Abort() -> INVALID_ARGUMENT: it is node [node node]\n"), "");
  EXPECT_EQ(Failures("Abort() -> INVALID_ARGUMENT: ...is node...\n"), "");
  EXPECT_NE(Failures("Abort() -> INVALID_ARGUMENT: it is\n"), "");
  EXPECT_NE(Failures("Abort() -> INTERNAL\n"), "");
  EXPECT_EQ(Failures("Abort() -> INVALID_ARGUMENT (it is node)\n"), "");
  EXPECT_NE(Failures("Abort() -> INVALID_ARGUMENT (it is)\n"), "");
  EXPECT_EQ(Failures("Abort() -> INVALID_ARGUMENT (it is)\n", false), "");
  EXPECT_NE(Failures("Abort() -> INTERNAL (it is node)\n", false), "");
  EXPECT_EQ(Failures("node n\nAbort() -> INVALID_ARGUMENT (it is n)\nend step\n"
                     "Abort() -> INVALID_ARGUMENT (it is over)\n"),
            "");
  EXPECT_NE(Failures("Abort()\n"), "");
}

TEST(OpScript, ALineThatSaysNothingIsWrong) {
  EXPECT_NE(Failures("Identity(1\n"), "");
  EXPECT_NE(Failures("Identity(y)\n"), "");
  EXPECT_NE(Failures("x = IdentityN(1)\nIdentity(x:1)\n"), "");
  EXPECT_NE(Failures("Identical(1)\n"), "");
  EXPECT_NE(Failures("hello\n"), "");
  EXPECT_NE(Failures("x = what\n"), "");
  EXPECT_NE(Failures("T in shorts: Identity(T:1)\n"), "");
}

TEST(OpScript, AttrsAreOfTheKindThatTheOpDeclares) {
  EXPECT_EQ(Failures("Pack() axis=-1 -> string[] \"-1\"\n"
                     "Placeholder() dtype=half -> string[] \"half\"\n"
                     "Placeholder() shape=[2,?] -> string[] \"[2,?]\"\n"
                     "Placeholder() shape=? -> string[] \"<unknown>\"\n"
                     "LeakyRelu() alpha=0.5 -> string[] \"0.5\"\n"
                     "MatMul() transpose_a=true -> string[] \"true\"\n"
                     "Einsum() equation=\"i -> i\" -> string[] \"\\\"i -> i\\\"\"\n"
                     "Const() value=half:[1,2] -> ...half[2] [1, 2]...\n"
                     "Squeeze() squeeze_dims=[1,2] -> ...1, 2...\n"
                     "OptionalGetValue() output_types=[float,half] -> ...float, half...\n"
                     "OptionalGetValue() output_shapes=[[?],?] -> ...[?]...\n"),
            "");
  EXPECT_NE(Failures("Pack() axes=1\n"), "");
  EXPECT_NE(Failures("Pack() axis=a\n"), "");
  EXPECT_NE(Failures("Pack() axis=[1]\n"), "");
  EXPECT_NE(Failures("Placeholder() shape=2\n"), "");
  EXPECT_NE(Failures("Placeholder() dtype=what\n"), "");
}

}  // namespace
}  // namespace tagflow::conformance
