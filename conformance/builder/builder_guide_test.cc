// The examples of docs/builder.md, compiled and run. Text between "[name]" and "[/name]" is in the
// guide word for word; GuideIsUpToDate checks that.

#include <cmath>
#include <fstream>
#include <sstream>

#include "conformance/builder/builder_run.h"

namespace tagflow {
namespace {

TEST(BuilderGuideTest, First) {
  // [first]
  Scope scope = Scope::Root();
  Output x = Placeholder(scope.WithOpName("x"), DType::kFloat, Dims{});
  Output y = Tanh(scope.WithOpName("y"), x * 2 + 1);
  Result<Graph> graph = scope.Finish();  // the one place to check for errors
  // [/first]
  ASSERT_TRUE(graph.ok()) << graph.status().ToString();
  EXPECT_EQ(y.name(), "y");
  EXPECT_NEAR(Value<float>(scope, y, {{x, Tensor::Scalar(1.0f)}}), std::tanh(3.0f), 1e-6);
}

TEST(BuilderGuideTest, AnyOp) {
  Scope scope = Scope::Root();
  Output x = Const(scope, 1.6f);
  Output y = Const(scope, 2.0f);
  // [any_op]
  Output sum = Op(scope, "AddN", {x, y, 3});
  Output whole = Op(scope, "Cast", {sum}, {{"DstT", DType::kInt32}});
  Operation both = Op(scope, "IdentityN", {{sum, whole}});  // both[0] and both[1]
  // [/any_op]
  EXPECT_EQ(Value<int32_t>(scope, both[1]), 6);
}

TEST(BuilderGuideTest, Cond) {
  Scope scope = Scope::Root();
  Output x = Placeholder(scope, DType::kFloat, Dims{});
  // [cond]
  Output y = Cond(
      scope, Greater(scope, x, 0), [&](const Scope& then) { return Log(then, x); },
      [&](const Scope&) { return x * 0; });
  // [/cond]
  EXPECT_EQ(Value<float>(scope, y, {{x, Tensor::Scalar(-1.0f)}}), 0.0f);
  EXPECT_EQ(Value<float>(scope, y, {{x, Tensor::Scalar(1.0f)}}), 0.0f);
  EXPECT_NEAR(Value<float>(scope, y, {{x, Tensor::Scalar(2.0f)}}), std::log(2.0f), 1e-6);
}

TEST(BuilderGuideTest, Effects) {
  Scope scope = Scope::Root();
  Output x = Placeholder(scope, DType::kInt32, Dims{});
  // [effects]
  Variable seen(scope, DType::kInt32, PartialShape::Scalar(), {.name = "seen"});
  Operation init = seen.Assign(scope, 0);
  CondResult counted = Cond(
      scope, Greater(scope, x, 0),
      [&](const Scope& then) {
        seen.AssignAdd(then, 1);
        return OutputList();
      },
      [](const Scope&) { return OutputList(); });
  Output total = seen.Read(scope.WithControlDependencies({counted.done()}));
  // [/effects]
  EXPECT_EQ(Only<int32_t>(Fetch(scope, {total}, {{x, Tensor::Scalar(5)}}, {}, {init})[0]), 1);
  EXPECT_EQ(Only<int32_t>(Fetch(scope, {total}, {{x, Tensor::Scalar(-5)}}, {}, {init})[0]), 0);
}

TEST(BuilderGuideTest, Loop) {
  Scope scope = Scope::Root();
  Output a = Placeholder(scope, DType::kDouble, Dims{});
  // [loop]
  // The square root of a by Newton's method; a is captured.
  OutputList newton = WhileLoop(
      scope, {Const(scope, 0), Const(scope, 1.0)},
      [](const Scope& s, const OutputList& v) { return Less(s, v[0], 20); },
      [&](const Scope&, const OutputList& v) -> OutputList {
        return {v[0] + 1, (v[1] + a / v[1]) / 2};
      },
      {.name = "newton", .parallel_iterations = 4});
  Output root = newton[1];
  // [/loop]
  EXPECT_NEAR(Value<double>(scope, root, {{a, Tensor::Scalar(2.0)}}), std::sqrt(2.0), 1e-12);
}

TEST(BuilderGuideTest, Growing) {
  Scope scope = Scope::Root();
  // [growing]
  OutputList list = WhileLoop(
      scope, {Const(scope, 0), Const(scope, std::vector<int32_t>{})},
      [](const Scope& s, const OutputList& v) { return Less(s, v[0], 4); },
      [](const Scope& s, const OutputList& v) -> OutputList {
        return {v[0] + 1, Concat(s, {v[1], ExpandDims(s, v[0] * v[0], 0)}, 0)};
      },
      {.shape_invariants = {PartialShape::Scalar(), PartialShape::UnknownOfRank(1)}});
  // [/growing]
  EXPECT_EQ(Values<int32_t>(scope, list[1]), (std::vector<int32_t>{0, 1, 4, 9}));
}

TEST(BuilderGuideTest, Rows) {
  Scope scope = Scope::Root();
  Output rows = Const(scope, Dims{3, 2}, std::vector<float>{1, 2, 3, 4, 5, 6});
  // [rows]
  Output sums = Map(
      scope, [](const Scope& s, const OutputList& row) -> OutputList { return Sum(s, row[0], 0); },
      rows)[0];
  Output running = Scan(
      scope,
      [](const Scope&, const OutputList& sum, const OutputList& row) -> OutputList {
        return sum[0] + row[0];
      },
      sums)[0];
  // [/rows]
  EXPECT_EQ(Values<float>(scope, sums), (std::vector<float>{3, 7, 11}));
  EXPECT_EQ(Values<float>(scope, running), (std::vector<float>{3, 10, 21}));
}

TEST(BuilderGuideTest, Array) {
  Scope scope = Scope::Root();
  // [array]
  TensorArray squares(scope, 5, DType::kInt32);
  OutputList filled = WhileLoop(
      scope, {Const(scope, 0), squares.flow()},
      [](const Scope& s, const OutputList& v) { return Less(s, v[0], 5); },
      [&](const Scope& s, const OutputList& v) -> OutputList {
        return {v[0] + 1, squares.WithFlow(v[1]).Write(s, v[0], v[0] * v[0]).flow()};
      });
  Output all = squares.WithFlow(filled[1]).Gather(scope);
  // [/array]
  EXPECT_EQ(Values<int32_t>(scope, all), (std::vector<int32_t>{0, 1, 4, 9, 16}));
}

TEST(BuilderGuideTest, HandMade) {
  Scope scope = Scope::Root();
  // [hand_made]
  auto enter = [&](const Output& value, bool is_constant) -> Output {
    return Op(scope, "Enter", {value}, {{"frame_name", "f"}, {"is_constant", is_constant}});
  };
  Output limit = enter(Const(scope, 9), true);
  Output start = enter(Const(scope, 0), false);
  Operation i = Op(scope, "Merge", {start, start});
  Output again = Op(scope, "LoopCond", {Less(scope, i[0], limit)});
  Operation port = Op(scope, "Switch", {i[0], again});
  Output two = Const(scope.WithControlDependencies({Identity(scope, port[1])}), 2);
  scope.ReplaceInput(i, 1, Op(scope, "NextIteration", {port[1] + two}));
  Output last = Op(scope, "Exit", {port[0]});
  // [/hand_made]
  EXPECT_EQ(Value<int32_t>(scope, last), 10);
}

TEST(BuilderGuideTest, Errors) {
  // [errors]
  Scope scope = Scope::Root();
  Output n = Const(scope.WithOpName("n"), 1);
  Output x = Const(scope.WithOpName("x"), 1.5f);
  Output y = Neg(scope, n * x);  // harmless: what is made from an error does nothing
  Status status = scope.Finish().status();
  // [/errors]
  EXPECT_FALSE(y.valid());
  EXPECT_NE(status.message().find("'y' must be int32"), std::string::npos) << status.ToString();
}

std::string FileText(const std::string& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file.good()) << path;
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// The lines of `code` between its markers, without the indentation of a test.
std::string Example(const std::string& code, const std::string& name) {
  const std::string open = "// [" + name + "]\n", close = "  // [/" + name + "]";
  const size_t from = code.find(open), to = code.find(close);
  if (from == std::string::npos || to == std::string::npos) return "";
  std::istringstream lines(code.substr(from + open.size(), to - from - open.size()));
  std::string text;
  for (std::string line; std::getline(lines, line);) {
    text += line.substr(std::min<size_t>(2, line.size())) + "\n";
  }
  return text;
}

TEST(BuilderGuideTest, GuideIsUpToDate) {
  const std::string guide = FileText("docs/builder.md");
  const std::string code = FileText("conformance/builder/builder_guide_test.cc");
  for (const char* name : {"first", "any_op", "cond", "effects", "loop", "growing", "rows", "array",
                           "hand_made", "errors"}) {
    const std::string example = Example(code, name);
    EXPECT_NE(example, "");
    EXPECT_NE(guide.find("```cpp\n" + example + "```"), std::string::npos)
        << "docs/builder.md should have\n"
        << example;
  }
}

}  // namespace
}  // namespace tagflow
