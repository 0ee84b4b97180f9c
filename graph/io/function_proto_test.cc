#include "graph/io/function_proto.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "graph/function_body.h"
#include "graph/io/export.h"
#include "graph/io/import.h"

namespace tagflow {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Result<Graph> Import(const std::string& function) {
  return ImportGraphFromBytes("library { function { " + function + " } }");
}

constexpr char kFunction[] = R"pb(
  signature {
    name: "f"
    is_stateful: true
    input_arg { name: "xs" type_attr: "T" number_attr: "N" }
    input_arg { name: "y" type: DT_INT32 }
    output_arg { name: "z" type_list_attr: "Ts" }
    attr {
      name: "T"
      type: "type"
      default_value { type: DT_FLOAT }
    }
    attr { name: "N" type: "int" has_minimum: true minimum: 2 }
    attr { name: "Ts" type: "list(type)" }
    control_output: "done"
  }
  attr {
    key: "_noinline"
    value { b: true }
  }
  node_def {
    name: "n"
    op: "Neg"
    input: "y"
    device: "/device:CPU:0"
    attr {
      key: "T"
      value { type: DT_INT32 }
    }
  }
  ret { key: "z" value: "n:y" }
  control_ret { key: "done" value: "n" })pb";

Function FunctionOf(const Graph& graph) {
  const FunctionDef* const found = graph.library.Find("f");
  EXPECT_TRUE(found != nullptr && found->function.ok());
  return **found->function;
}

void ExpectWhatItIs(const Function& function) {
  EXPECT_TRUE(function.op.is_stateful);
  EXPECT_EQ(function.op.inputs[0].number_attr, "N");
  EXPECT_EQ(function.op.inputs[1].dtype, DType::kInt32);
  EXPECT_EQ(function.op.outputs[0].type_list_attr, "Ts");
  EXPECT_EQ(*function.op.FindAttr("N")->minimum, 2);
  EXPECT_TRUE(function.op.FindAttr("T")->default_value.has_value());
  EXPECT_FALSE(function.op.FindAttr("Ts")->default_value.has_value());
  EXPECT_EQ(function.attrs[0].first, "_noinline");
  EXPECT_EQ(function.nodes[0].name, "n");
  EXPECT_EQ(function.nodes[0].op, "Neg");
  EXPECT_EQ(function.nodes[0].device, "/device:CPU:0");
  EXPECT_THAT(function.nodes[0].inputs, ElementsAre("y"));
  EXPECT_EQ(function.nodes[0].attrs[0].second, AttrValue(DType::kInt32));
  EXPECT_THAT(function.returns, ElementsAre("n:y"));
  EXPECT_THAT(function.control_returns, ElementsAre("n"));
}

TEST(FunctionProtoTest, ReadsWhatAFunctionIs) {
  const auto graph = Import(kFunction);
  ASSERT_TRUE(graph.ok()) << graph.status().ToString();
  ExpectWhatItIs(FunctionOf(*graph));
  EXPECT_EQ(graph->library.FindOp("f")->name, "f");
}

// As a pass makes it, without the message that it could have come from.
TEST(FunctionProtoTest, WritesWhatWasMade) {
  Graph graph;
  graph.library.Add({"f", "", std::make_shared<const Function>(FunctionOf(*Import(kFunction)))});
  const auto bytes = ExportGraphToBytes(graph);
  ASSERT_TRUE(bytes.ok()) << bytes.status().ToString();
  const auto read = ImportGraphFromBytes(*bytes);
  ASSERT_TRUE(read.ok()) << read.status().ToString();
  ExpectWhatItIs(FunctionOf(*read));
}

TEST(FunctionProtoTest, AFunctionThatCannotBeReadHarmsWhereItIsCalled) {
  const auto why = [](const std::string& function) {
    const auto graph = Import(function);
    EXPECT_TRUE(graph.ok()) << graph.status().ToString();
    EXPECT_EQ(ExportGraph(*graph)->library().function_size(), 1);  // as it came
    return InstantiateFunction(*graph, {"f", {}}, "call").status().ToString();
  };
  EXPECT_THAT(why("signature { name: \"f\" input_arg { name: \"x\" } }"),
              HasSubstr("INVALID_ARGUMENT: function 'f': argument 'x' has no type"));
  EXPECT_THAT(why("signature { name: \"f\" attr { name: \"a\" type: \"number\" } }"),
              HasSubstr("attr 'a' is of kind 'number', which there is not"));
  EXPECT_THAT(why("signature { name: \"f\" output_arg { name: \"x\" type: DT_FLOAT } }"),
              HasSubstr("the body gives no 'x', which is a result"));
}

}  // namespace
}  // namespace tagflow
