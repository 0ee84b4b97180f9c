#include "graph/io/import.h"

#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "graph/io/parse.h"

namespace tagflow {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

Graph MustImport(const std::string& text) {
  Result<Graph> graph = ImportGraphFromBytes(text);
  EXPECT_TRUE(graph.ok()) << graph.status().ToString();
  return graph.ok() ? *std::move(graph) : Graph();
}

Status ErrorOf(const std::string& text, const ImportOptions& options = {}) {
  Result<Graph> graph = ImportGraphFromBytes(text, options);
  EXPECT_FALSE(graph.ok()) << text;
  return graph.status();
}

TEST(Import, KeepsNodesInputsDevicesAndAttrs) {
  const Graph graph = MustImport(R"(
    node { name: "sum" op: "AddV2" input: "x" input: "s:1" input: "^c" device: "/device:CPU:1"
           attr { key: "T" value { type: DT_FLOAT } }
           attr { key: "_class" value { list { s: "loc:@x" } } } }
    node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }
    node { name: "s" op: "Switch" input: "x" input: "x" }
    node { name: "c" op: "NoOp" })");
  ASSERT_EQ(graph.num_nodes(), 4u);
  const Node& sum = graph.node(graph.Find("sum"));
  EXPECT_EQ(sum.op, "AddV2");
  EXPECT_EQ(sum.device, "/device:CPU:1");
  ASSERT_EQ(sum.inputs.size(), 2u);
  EXPECT_EQ(sum.inputs[0], (OutputRef{graph.Find("x"), 0}));
  EXPECT_EQ(sum.inputs[1], (OutputRef{graph.Find("s"), 1}));
  ASSERT_EQ(sum.control_inputs.size(), 1u);
  EXPECT_EQ(sum.control_inputs[0], graph.Find("c"));
  ASSERT_EQ(sum.attrs.size(), 2u);
  EXPECT_EQ(sum.attrs[0].first, "T");
  EXPECT_EQ(*sum.attrs[0].second.Get<ArgType>(), (ArgType{DType::kFloat, false}));
  EXPECT_EQ(sum.attrs[1].second.list()->strings[0], "loc:@x");
}

TEST(Import, AcceptsCycles) {
  const Graph graph = MustImport(R"(
    node { name: "m" op: "Merge" input: "e" input: "n" }
    node { name: "e" op: "Enter" }
    node { name: "n" op: "NextIteration" input: "m" })");
  EXPECT_EQ(graph.node(graph.Find("m")).inputs[1].node, graph.Find("n"));
}

TEST(Import, AnOpNobodyDefinedLoads) {
  const Graph graph = MustImport(R"(
    node { name: "x" op: "OpOfTheFuture" attr { key: "a" value { i: 3 } } })");
  const Node& node = graph.node(graph.Find("x"));
  EXPECT_EQ(node.def, nullptr);
  EXPECT_EQ(*node.attrs[0].second.Get<int64_t>(), 3);
}

TEST(Import, TypesWeLackAreKeptAsBytes) {
  const Graph graph = MustImport(R"(
    node { name: "x" op: "OpOfTheFuture"
           attr { key: "a" value { type: DT_FLOAT8_E5M2 } }
           attr { key: "b" value { tensor { dtype: DT_QINT8 tensor_shape {} } } }
           attr { key: "c" value { list { type: [DT_FLOAT, DT_INT4] } } } })");
  for (const auto& [name, value] : graph.node(graph.Find("x")).attrs) {
    EXPECT_NE(value.Get<OpaqueAttr>(), nullptr) << name;
  }
}

TEST(Import, ReferenceTypesAreTypes) {
  const Graph graph = MustImport(R"(
    node { name: "x" op: "F" attr { key: "T" value { type: DT_INT32_REF } } })");
  EXPECT_EQ(*graph.node(graph.Find("x")).attrs[0].second.Get<ArgType>(),
            (ArgType{DType::kInt32, true}));
}

TEST(Import, ADanglingInputNamesNodeAndInput) {
  const Status status = ErrorOf(R"(node { name: "y" op: "Neg" input: "nowhere:2" })");
  EXPECT_EQ(status.code(), Code::kInvalidArgument);
  EXPECT_EQ(status.node(), "y");
  EXPECT_THAT(status.message(), AllOf(HasSubstr("'y'"), HasSubstr("'nowhere:2'")));
}

TEST(Import, BadInputNamesAreErrors) {
  for (const char* input : {"", "^", ":1", "x:", "x:-1", "x:one", "x:99999999999", "^x:0"}) {
    const Status status = ErrorOf("node { name: 'x' op: 'F' } node { name: 'y' op: 'Neg' input: '" +
                                  std::string(input) + "' }");
    EXPECT_EQ(status.code(), Code::kInvalidArgument) << input;
    EXPECT_EQ(status.node(), "y") << input;
  }
}

TEST(Import, DataInputsComeBeforeControlInputs) {
  const Status status = ErrorOf(R"(
    node { name: "x" op: "F" } node { name: "y" op: "Neg" input: "^x" input: "x" })");
  EXPECT_EQ(status.code(), Code::kInvalidArgument);
  EXPECT_THAT(status.message(), AllOf(HasSubstr("'y'"), HasSubstr("before control inputs")));
}

TEST(Import, NamesMustBeNamesAndDiffer) {
  const Status twice = ErrorOf("node { name: 'x' op: 'F' } node { name: 'x' op: 'G' }");
  EXPECT_EQ(twice.code(), Code::kInvalidArgument);
  EXPECT_EQ(twice.node(), "x");
  EXPECT_EQ(ErrorOf("node { op: 'F' }").code(), Code::kInvalidArgument);
  EXPECT_EQ(ErrorOf("node { name: 'a b' op: 'F' }").code(), Code::kInvalidArgument);
  EXPECT_THAT(ErrorOf("node { name: 'a' }").message(), HasSubstr("'a' has no op"));
}

TEST(Import, VersionsAreKeptAndChecked) {
  const Graph graph =
      MustImport("versions { producer: 9999 min_consumer: 12 bad_consumers: [3, 4] }");
  EXPECT_EQ(graph.versions.producer, 9999);
  EXPECT_EQ(graph.versions.min_consumer, 12);
  EXPECT_EQ(graph.versions.bad_consumers, (std::vector<int32_t>{3, 4}));

  const std::string ours = std::to_string(kGraphDefVersion);
  const std::string later = std::to_string(kGraphDefVersion + 1);
  MustImport("versions { min_consumer: " + ours + " }");
  EXPECT_EQ(ErrorOf("versions { min_consumer: " + later + " }").code(), Code::kInvalidArgument);
  EXPECT_EQ(ErrorOf("versions { bad_consumers: " + ours + " }").code(), Code::kInvalidArgument);
  EXPECT_EQ(ErrorOf("versions { producer: -1 }").code(), Code::kInvalidArgument);
}

TEST(Import, ABadTensorNamesNodeAndAttr) {
  const Status huge = ErrorOf(R"(
    node { name: "big" op: "Const" attr { key: "value" value {
      tensor { dtype: DT_FLOAT tensor_shape { dim { size: 1000000000000 } } float_val: 1 } } } })");
  EXPECT_EQ(huge.code(), Code::kResourceExhausted);
  EXPECT_EQ(huge.node(), "big");
  EXPECT_THAT(huge.message(), AllOf(HasSubstr("'big'"), HasSubstr("attr 'value'")));

  EXPECT_EQ(ErrorOf(R"(node { name: "p" op: "Placeholder" attr { key: "shape" value {
                       shape { dim { size: -5 } } } } })")
                .node(),
            "p");
}

TEST(Import, ManyTensorsShareOneBudget) {
  std::string text;
  for (char name : {'a', 'b', 'c'}) {
    text += std::string("node { name: '") + name + R"(' op: "Const" attr { key: "value" value {
      tensor { dtype: DT_FLOAT tensor_shape { dim { size: 1000 } } float_val: 1 } } } })";
  }
  MustImport(text);
  ImportOptions options;
  options.tensor_bytes_max = 10'000;
  EXPECT_EQ(ErrorOf(text, options).node(), "c");
}

TEST(Import, FunctionsAreKeptAsTheyCame) {
  const Graph graph = MustImport(R"(
    library { function { signature { name: "f" } ret { key: "r" value: "x:0" } }
              gradient { function_name: "f" gradient_func: "g" } })");
  ASSERT_EQ(graph.library.all().size(), 1u);
  EXPECT_EQ(graph.library.all()[0].name, "f");
  FunctionDefProto function;
  ASSERT_TRUE(function.ParseFromString(graph.library.all()[0].bytes));
  EXPECT_EQ(function.ret().at("r"), "x:0");
  EXPECT_EQ(*graph.library.GradientOf("f"), "g");
  EXPECT_EQ(graph.library.GradientOf("g"), nullptr);
}

TEST(Import, FunctionAttrsMayBeNestedButNotWithoutEnd) {
  GraphDef def;
  NodeDef* node = def.add_node();
  node->set_name("x");
  node->set_op("F");
  NameAttrListProto* function = (*node->mutable_attr())["f"].mutable_func();
  for (int depth = 0; depth < 200; ++depth)
    function = (*function->mutable_attr())["f"].mutable_func();
  Result<Graph> graph = ImportGraph(def);
  ASSERT_FALSE(graph.ok());
  EXPECT_EQ(graph.status().node(), "x");
}

TEST(Import, AFileIsReadByContentNotBySuffix) {
  const std::string text = "node { name: 'x' op: 'F' }";
  GraphDef def;
  ASSERT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &def));
  const std::string text_path = ::testing::TempDir() + "/text.pb";
  const std::string binary_path = ::testing::TempDir() + "/binary.pbtxt";
  std::ofstream(text_path) << text;
  std::ofstream(binary_path, std::ios::binary) << def.SerializeAsString();
  for (const std::string& path : {text_path, binary_path}) {
    Result<Graph> graph = ReadGraphFile(path);
    ASSERT_TRUE(graph.ok()) << graph.status().ToString();
    EXPECT_NE(graph->Find("x"), NodeId::kNone);
  }
}

TEST(Import, ErrorsOfAFileNameItOnce) {
  const std::string path = ::testing::TempDir() + "/bad.pbtxt";
  std::ofstream(path) << "node { name: 'x' op: 'F' input: 'y' }";
  Status status = ReadGraphFile(path).status();
  EXPECT_THAT(status.message(), HasSubstr("bad.pbtxt: node 'x'"));
  EXPECT_EQ(status.node(), "x");
  std::ofstream(path) << "node {";
  status = ReadGraphFile(path).status();
  EXPECT_THAT(status.message(), HasSubstr("bad.pbtxt:1:7: "));
  std::ofstream(path, std::ios::trunc).close();
  EXPECT_THAT(ReadGraphFile(path).status().message(), HasSubstr("empty"));
}

TEST(Import, AByteOrderMarkBeforeTextIsNoText) {
  EXPECT_EQ(MustImport("\xef\xbb\xbfnode { name: \"a\" op: \"NoOp\" }").num_nodes(), 1u);
  EXPECT_THAT(ErrorOf("\xef\xbb\xbf node { nam: 3 }").message(), HasSubstr(":1:"));
}

TEST(Import, TheFolderOfASavedModelIsKnown) {
  const std::string folder = testing::TempDir() + "/saved";
  std::filesystem::create_directories(folder);
  EXPECT_THAT(ReadGraphFile(folder).status().message(), HasSubstr("is a folder"));
  std::ofstream(folder + "/saved_model.pb") << "\x08\x01";
  EXPECT_THAT(ReadGraphFile(folder).status().message(),
              AllOf(HasSubstr("it is the folder of a SavedModel, and not a GraphDef"),
                    HasSubstr("in its saved_model.pb is meta_graphs[0].graph_def")));
  std::filesystem::remove_all(folder);
}

TEST(Import, FilesCompressedByGzip) {
  const std::string path = testing::TempDir() + "/packed";
  const auto read = [&path](std::string_view bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
    return ReadGraphFile(path);
  };
  // gzip -n of: node { name: "a" op: "NoOp" }
  using namespace std::string_view_literals;
  constexpr std::string_view kPacked =
      "\037\213\010\000\000\000\000\000\002\003\313\313\117\111\125\250\126\310\113\314"
      "\115\265\122\120\112\124\122\310\057\000\322\176\371\376\005\112\012\265\000\347"
      "\000\240\234\035\000\000\000"sv;
  const Result<Graph> graph = read(kPacked);
  ASSERT_TRUE(graph.ok()) << graph.status().ToString();
  EXPECT_EQ(graph->num_nodes(), 1u);
  EXPECT_THAT(read(kPacked.substr(0, 20)).status().message(),
              AllOf(HasSubstr(path), HasSubstr("a gzip file: what is compressed is damaged")));
}

TEST(Import, OldPlaceholdersOfNoDimensionsAreOfUnknownShape) {
  const auto shape = [](const std::string& op, const std::string& dims, const std::string& more) {
    const Graph graph = MustImport("node { name: 'x' op: '" + op +
                                   "' attr { key: 'dtype' value { type: DT_FLOAT } }"
                                   " attr { key: 'shape' value { shape {" +
                                   dims + "} } } }" + more);
    return ShapeAttr(graph.node(graph.Find("x")), "shape")->ToString();
  };
  const std::string unknown = PartialShape().ToString();
  EXPECT_EQ(shape("Placeholder", "", "versions { producer: 21 }"), unknown);
  EXPECT_EQ(shape("Placeholder", "", ""), "[]");
  EXPECT_EQ(shape("Placeholder", "", "versions { producer: 22 }"), "[]");
  EXPECT_EQ(shape("Placeholder", "dim { size: 2 }", "versions { producer: 21 }"), "[2]");
  EXPECT_EQ(shape("PlaceholderV2", "", "versions { producer: 21 }"), "[]");
}

}  // namespace
}  // namespace tagflow
