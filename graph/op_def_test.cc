#include "graph/op_def.h"

#include <gtest/gtest.h>

#include "graph/op_spec.h"

namespace tagflow {
namespace {

std::string ErrorOf(const OpDefBuilder& builder) { return builder.Build().status().message(); }
AttrDef Attr(std::string_view spec) {
  const Result<AttrDef> attr = ParseAttrSpec(spec);
  EXPECT_TRUE(attr.ok()) << attr.status().ToString();
  return attr.ok() ? *attr : AttrDef();
}
std::string DefaultOf(std::string_view spec) { return Attr(spec).default_value->ToString(); }

TEST(OpSpecTest, ReadsEveryKindOfAttr) {
  const std::pair<const char*, AttrKind> kinds[] = {
      {"a: string", AttrKind::kString},
      {"a: int", AttrKind::kInt},
      {"a: float", AttrKind::kFloat},
      {"a: bool", AttrKind::kBool},
      {"a: type", AttrKind::kType},
      {"a: shape", AttrKind::kShape},
      {"a: tensor", AttrKind::kTensor},
      {"a: func", AttrKind::kFunction},
      {"a: list(string)", AttrKind::kListString},
      {"a: list(int)", AttrKind::kListInt},
      {"a: list(float)", AttrKind::kListFloat},
      {"a: list(bool)", AttrKind::kListBool},
      {"a: list(type)", AttrKind::kListType},
      {"a: list(shape)", AttrKind::kListShape},
      {"a: list(tensor)", AttrKind::kListTensor},
      {"a: list(func)", AttrKind::kListFunction},
  };
  for (const auto& [spec, kind] : kinds) {
    EXPECT_EQ(Attr(spec).kind, kind) << spec;
    EXPECT_EQ(Attr(spec).name, "a");
    EXPECT_EQ("a: " + AttrKindName(kind), spec);
  }
}

TEST(OpSpecTest, ReadsAllowedValues) {
  EXPECT_EQ(Attr("T: {float, int32}").allowed_types, (std::vector{DType::kFloat, DType::kInt32}));
  EXPECT_EQ(Attr("T: {quantizedtype, bool}").allowed_types.size(), 6u);
  EXPECT_EQ(Attr("T: realnumbertype").allowed_types.size(), 12u);
  EXPECT_EQ(Attr("T: numbertype").allowed_types.size(), 19u);
  EXPECT_EQ(Attr("T: list({int32, int64})").kind, AttrKind::kListType);
  EXPECT_EQ(Attr("T: list({int32, int64})").allowed_types.size(), 2u);
  EXPECT_EQ(Attr("f: {'NHWC', \"NCHW\"}").allowed_strings,
            (std::vector<std::string>{"NHWC", "NCHW"}));
  EXPECT_EQ(Attr("N: int >= 2").minimum, 2);
  EXPECT_EQ(Attr("N: list(int) >= 0").minimum, 0);
  EXPECT_FALSE(Attr("N: int").minimum.has_value());
}

TEST(OpSpecTest, ReadsDefaults) {
  EXPECT_EQ(DefaultOf("a: string = ''"), "\"\"");
  EXPECT_EQ(DefaultOf("a: string = \"it's\""), "\"it's\"");
  EXPECT_EQ(DefaultOf("a: int = -3"), "-3");
  EXPECT_EQ(DefaultOf("a: int >= 1 = 2"), "2");
  EXPECT_EQ(DefaultOf("a: float = 0.00001"), "1e-05");
  EXPECT_EQ(DefaultOf("a: float = 1e-3"), "0.001");
  EXPECT_EQ(DefaultOf("a: bool = true"), "true");
  EXPECT_EQ(DefaultOf("a: {float, int32} = DT_INT32"), "int32");
  EXPECT_EQ(DefaultOf("a: shape = { unknown_rank: true }"), "<unknown>");
  EXPECT_EQ(DefaultOf("a: shape = {}"), "[]");
  EXPECT_EQ(DefaultOf("a: list(int) = []"), "[]");
  EXPECT_EQ(DefaultOf("a: list(int) = [1, 2]"), "list(int)[1, 2]");
  EXPECT_EQ(DefaultOf("a: list(type) = [DT_FLOAT]"), "list(type)[float]");
  EXPECT_EQ(DefaultOf("a: list(string) = ['x', 'y']"), "list(string)[\"x\", \"y\"]");
}

TEST(OpSpecTest, RefusesWhatIsNoAttr) {
  for (const char* spec : {"",
                           "a",
                           "a:",
                           "1a: int",
                           "a: integer",
                           "a: {",
                           "a: {float",
                           "a: {}",
                           "a: {float int32}",
                           "a: list(int",
                           "a: list(list(int))",
                           "a: string >= 1",
                           "a: int >= x",
                           "a: int = x",
                           "a: bool = 1",
                           "a: type = DT_NONE",
                           "a: string = x",
                           "a: string = 'x",
                           "a: int = 1 2",
                           "a: list(int) = 1",
                           "a: list(int) = [1",
                           "a: shape = [2]",
                           "a: tensor = {}"}) {
    const Result<AttrDef> attr = ParseAttrSpec(spec);
    EXPECT_EQ(attr.status().code(), Code::kInvalidArgument) << spec;
  }
}

TEST(OpSpecTest, ReadsArguments) {
  const std::vector<AttrDef> attrs = {Attr("T: type"), Attr("Ts: list(type)"), Attr("N: int"),
                                      Attr("float: type")};
  const Result<ArgDef> plain = ParseArgSpec("x: int32", attrs);
  EXPECT_EQ(plain->dtype, DType::kInt32);
  EXPECT_EQ(ParseArgSpec("x: T", attrs)->type_attr, "T");
  EXPECT_EQ(ParseArgSpec("x: Ts", attrs)->type_list_attr, "Ts");
  EXPECT_EQ(ParseArgSpec("x: float", attrs)->type_attr, "float") << "an attr hides the dtype";
  const Result<ArgDef> repeated = ParseArgSpec("x: Ref(N * T)", attrs);
  EXPECT_TRUE(repeated->is_ref);
  EXPECT_EQ(repeated->number_attr, "N");
  EXPECT_EQ(repeated->type_attr, "T");
  for (const char* spec : {"x", "x: ", "x: U", "x: N", "x: T * T", "x: U * T", "x: N * Ts",
                           "x: Ref(T", "x: T)", "x: N *", "x: T y"}) {
    EXPECT_EQ(ParseArgSpec(spec, attrs).status().code(), Code::kInvalidArgument) << spec;
  }
}

TEST(OpDefBuilderTest, BuildsADefinition) {
  const Result<OpDef> op = OpDefBuilder("AddN")
                               .Input("inputs: N * T")  // before the attrs it names
                               .Output("sum: T")
                               .Attr("N: int >= 1")
                               .Attr("T: {float, double}")
                               .Summary("The sum.")
                               .Commutative()
                               .Build();
  ASSERT_TRUE(op.ok()) << op.status().ToString();
  EXPECT_EQ(op->name, "AddN");
  EXPECT_EQ(op->inputs[0].number_attr, "N");
  EXPECT_EQ(op->outputs[0].type_attr, "T");
  EXPECT_EQ(op->FindAttr("T")->allowed_types.size(), 2u);
  EXPECT_EQ(op->FindAttr("U"), nullptr);
  EXPECT_TRUE(op->is_commutative);
  EXPECT_FALSE(op->is_stateful);
}

TEST(OpDefBuilderTest, NamesTheOpAndWhatIsWrong) {
  EXPECT_EQ(ErrorOf(OpDefBuilder("add")), "op 'add': it is not an op's name: write CamelCase");
  EXPECT_EQ(ErrorOf(OpDefBuilder("Op").Input("x: T")),
            "op 'Op': 'x: T': expected a dtype or a type attr, not 'T', before ''");
  EXPECT_EQ(ErrorOf(OpDefBuilder("Op").Attr("T: type").Attr("T: int")),
            "op 'Op': the attr 'T' is declared twice");
  EXPECT_EQ(ErrorOf(OpDefBuilder("Op").Input("x: int32").Input("x: float")),
            "op 'Op': the argument 'x' is declared twice");
  EXPECT_EQ(ErrorOf(OpDefBuilder("Op").Attr("T: {float, double} = DT_INT32")),
            "op 'Op': attr 'T' = int32 is not one of float, double");
  EXPECT_EQ(ErrorOf(OpDefBuilder("Op").Attr("n: int >= 1 = 0")),
            "op 'Op': attr 'n' = 0 is below 1");
}

TEST(OpDefBuilderTest, AnInputAndAnOutputMayShareAName) {
  EXPECT_TRUE(OpDefBuilder("Op").Input("x: int32").Output("x: int32").Build().ok());
}

TEST(CheckAttrTest, RefusesOtherKindsAndValues) {
  auto error = [](std::string_view spec, const AttrValue& value) {
    return CheckAttr(Attr(spec), value).message();
  };
  EXPECT_EQ(error("a: int", 3), "");
  EXPECT_EQ(error("a: int", 3.0f), "attr 'a' = 3 is not of kind int");
  EXPECT_EQ(error("a: type", AttrPlaceholder{"T"}), "attr 'a' = $T is not of kind type");
  EXPECT_EQ(error("a: type", DType::kInvalid), "attr 'a' is no dtype");
  EXPECT_EQ(error("a: {'x', 'y'}", "z"), "attr 'a' = 'z' is not one of 'x', 'y'");
  EXPECT_EQ(error("a: list(int) >= 1", AttrList()), "attr 'a': its length = 0 is below 1");
  EXPECT_EQ(error("a: list(int)", AttrValue()), "") << "an empty list on the wire";
  EXPECT_EQ(error("a: int", AttrValue()), "attr 'a' = <nothing> is not of kind int");
  AttrList types;
  types.types = {{DType::kFloat, false}, {DType::kString, false}};
  EXPECT_EQ(error("a: list({float})", types), "attr 'a' = string is not one of float");
  EXPECT_EQ(error("a: list(int)", types),
            "attr 'a' = list(type)[float, string] is not of kind list(int)");
}

TEST(OpRegistryTest, FindsWhatWasRegistered) {
  OpRegistry registry;
  EXPECT_EQ(registry.Find("Op"), nullptr);
  ASSERT_TRUE(registry.Register(OpDefBuilder("Op")).ok());
  ASSERT_TRUE(registry.Register(OpDefBuilder("Another")).ok());
  EXPECT_EQ(registry.Find("Op")->name, "Op");
  EXPECT_EQ(registry.Register(OpDefBuilder("Op")).code(), Code::kAlreadyExists);
  EXPECT_EQ(registry.Register(OpDefBuilder("Bad").Input("x: ?")).code(), Code::kInvalidArgument);
  EXPECT_EQ(registry.Find("Bad"), nullptr);
  ASSERT_EQ(registry.All().size(), 2u);
  EXPECT_EQ(registry.All()[0]->name, "Another");
}

}  // namespace
}  // namespace tagflow
