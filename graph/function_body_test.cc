// Tests: function.cc

#include "graph/function_body.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "graph/test_function.h"

namespace tagflow {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

ArgDef Arg(const std::string& name, const std::string& type_attr,
           const std::string& number_attr = "") {
  ArgDef arg;
  arg.name = name;
  arg.type_attr = type_attr;
  arg.number_attr = number_attr;
  return arg;
}
AttrDef Attr(const std::string& name, AttrKind kind) {
  AttrDef attr;
  attr.name = name;
  attr.kind = kind;
  return attr;
}

// y = x + x, of any type.
Function Twice() {
  Function function;
  function.op.name = "twice";
  function.op.inputs = {Arg("x", "T")};
  function.op.outputs = {Arg("y", "T")};
  function.op.attrs = {Attr("T", AttrKind::kType)};
  function.nodes = {{"sum", "AddV2", "", {"x", "x"}, {{"T", AttrPlaceholder{"T"}}}}};
  function.returns = {"sum:z:0"};
  return function;
}

class FunctionBodyTest : public testing::Test {
 protected:
  Result<FunctionBody> Instantiate(Function function, AttrMap attrs) {
    const std::string name = function.op.name;
    graph_.library.Add({name, "", std::make_shared<const Function>(std::move(function))});
    return InstantiateFunction(graph_, {name, std::move(attrs)}, "call");
  }
  std::string Error(Function function, AttrMap attrs = {{"T", AttrValue(DType::kFloat)}}) {
    return Instantiate(std::move(function), std::move(attrs)).status().ToString();
  }
  static std::vector<std::string> Names(const Graph& graph) {
    std::vector<std::string> names;
    for (const NodeId id : graph.NodeIds()) names.push_back(graph.node(id).name);
    return names;
  }

  Graph graph_;
};

TEST_F(FunctionBodyTest, BindsAttrsAndNamesNodesByTheCall) {
  const auto body = Instantiate(Twice(), {{"T", AttrValue(DType::kInt64)}});
  ASSERT_TRUE(body.ok()) << body.status().ToString();
  EXPECT_THAT(Names(body->graph), ElementsAre("call/x", "call/sum"));
  const NodeId sum = body->graph.Find("call/sum");
  EXPECT_EQ(*TypeAttr(body->graph.node(sum), "T"), DType::kInt64);
  EXPECT_EQ(*TypeAttr(body->graph.node(body->args[0]), "dtype"), DType::kInt64);
  EXPECT_THAT(body->returns, ElementsAre(OutputRef{sum, 0}));
  EXPECT_TRUE(body->effects.empty());
}

// Which output is which is not known, but that they are two is.
TEST_F(FunctionBodyTest, OutputsOfAnUnknownOpAreKeptApart) {
  const AttrMap ints = {{"T", AttrValue(DType::kInt64)}};
  graph_.library.Add(
      TestFunction("strange", DType::kInt64, DType::kInt64,
                   {{"strange", "NobodyDefinesThis", "", {"x"}, {}},
                    {"sum", "AddV2", "", {"strange:values:0", "strange:splits:0"}, ints},
                    {"same", "Identity", "", {"strange:values:0"}, ints}},
                   "sum:z:0"));
  const auto body = InstantiateFunction(graph_, {"strange", {}}, "call");
  ASSERT_TRUE(body.ok()) << body.status().ToString();
  const NodeId strange = body->graph.Find("call/strange");
  EXPECT_THAT(body->graph.node(body->graph.Find("call/sum")).inputs,
              ElementsAre(OutputRef{strange, 0}, OutputRef{strange, 1}));
  EXPECT_THAT(body->graph.node(body->graph.Find("call/same")).inputs,
              ElementsAre(OutputRef{strange, 0}));
}

TEST_F(FunctionBodyTest, AnArgumentMayBeSeveralTensors) {
  Function function = Twice();
  function.op.inputs = {Arg("x", "T", "N"), Arg("z", "T")};
  function.op.attrs.push_back(Attr("N", AttrKind::kInt));
  function.nodes[0].inputs = {"x:1", "z"};
  const auto body = Instantiate(function, {{"N", AttrValue(2)}, {"T", AttrValue(DType::kFloat)}});
  ASSERT_TRUE(body.ok()) << body.status().ToString();
  EXPECT_THAT(Names(body->graph), ElementsAre("call/x", "call/x_1", "call/z", "call/sum"));
  const Node& sum = body->graph.node(body->graph.Find("call/sum"));
  EXPECT_THAT(sum.inputs, ElementsAre(OutputRef{body->args[1], 0}, OutputRef{body->args[2], 0}));
}

TEST_F(FunctionBodyTest, NamesInAttrsAreThoseOfTheCall) {
  Function function = Twice();
  AttrList classes;
  classes.strings = {"loc:@sum", "other"};
  function.nodes.push_back({"enter",
                            "Enter",
                            "",
                            {"sum:z"},
                            {{"T", AttrPlaceholder{"T"}},
                             {"_class", AttrValue(classes)},
                             {"frame_name", AttrValue("loop")}}});
  const auto body = Instantiate(function, {{"T", AttrValue(DType::kFloat)}});
  ASSERT_TRUE(body.ok()) << body.status().ToString();
  const Node& enter = body->graph.node(body->graph.Find("call/enter"));
  EXPECT_EQ(*StringAttr(enter, "frame_name"), "call/loop");
  EXPECT_THAT(FindAttr(enter, "_class")->list()->strings, ElementsAre("loc:@call/sum", "other"));
}

TEST_F(FunctionBodyTest, NodesWithStateAndControlResultsAreEffects) {
  Function function = Twice();
  function.nodes.push_back({"wait", "NoOp", "", {"^sum"}, {}});
  function.nodes.push_back(
      {"check", "CheckNumerics", "", {"x"}, {{"T", AttrPlaceholder{"T"}}, {"message", "m"}}});
  function.control_returns = {"wait"};
  const auto body = Instantiate(function, {{"T", AttrValue(DType::kFloat)}});
  ASSERT_TRUE(body.ok()) << body.status().ToString();
  EXPECT_THAT(body->effects,
              ElementsAre(body->graph.Find("call/wait"), body->graph.Find("call/check")));
}

TEST_F(FunctionBodyTest, SaysWhatIsWrongWithABody) {
  Function function = Twice();
  EXPECT_THAT(Error(function, {}), HasSubstr("attr 'T'"));
  function.op.name = "b";
  function.nodes[0].inputs = {"x", "w:z:0"};
  EXPECT_THAT(Error(function), HasSubstr("function 'b', node 'sum': 'w:z:0' is no argument, and no "
                                         "output of a node [node call]"));
  function.op.name = "c";
  function.nodes[0].inputs = {"x", "x:1"};
  EXPECT_THAT(Error(function), HasSubstr("output 1 of 1 is asked for"));
  function.op.name = "d";
  function.nodes[0].inputs = {"^x", "x"};
  EXPECT_THAT(Error(function), HasSubstr("input 'x' comes behind a control input"));
  function.op.name = "e";
  function.nodes[0] = Twice().nodes[0];
  function.returns = {"sum:y:0"};
  EXPECT_THAT(Error(function), HasSubstr("function 'e', result 'y'"));
  EXPECT_THAT(InstantiateFunction(graph_, {"none", {}}, "call").status().ToString(),
              HasSubstr("NOT_FOUND: the graph's library has no function 'none'"));
}

}  // namespace
}  // namespace tagflow
