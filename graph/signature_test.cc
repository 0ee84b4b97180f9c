#include <gtest/gtest.h>

#include "graph/graph.h"
#include "graph/limits.h"

namespace tagflow {
namespace {

std::string Names(const std::vector<ArgType>& types) {
  std::string text;
  for (const ArgType type : types) text += (text.empty() ? "" : ", ") + ArgTypeName(type);
  return text;
}

// "inputs -> outputs" of a node of `op`, or its error.
std::string SignatureOf(std::string_view op, const AttrMap& attrs) {
  Graph graph;
  const NodeId id = *graph.AddNode("n", op);
  for (const auto& [name, value] : attrs) graph.SetAttr(id, name, value);
  const Result<Signature> signature = ResolveSignature(graph.node(id));
  if (!signature.ok()) return signature.status().message();
  return Names(signature->inputs) + " -> " + Names(signature->outputs);
}

AttrList Types(std::vector<ArgType> types) {
  AttrList list;
  list.types = std::move(types);
  return list;
}

constexpr ArgType kFloatType{DType::kFloat, false};
constexpr ArgType kStringType{DType::kString, false};

TEST(SignatureTest, FollowsTheAttrs) {
  EXPECT_EQ(SignatureOf("NoOp", {}), " -> ");
  EXPECT_EQ(SignatureOf("Add", {{"T", DType::kInt64}}), "int64, int64 -> int64");
  EXPECT_EQ(SignatureOf("Shape", {{"T", DType::kFloat}}), "float -> int32") << "by default";
  EXPECT_EQ(SignatureOf("Shape", {{"T", DType::kFloat}, {"out_type", DType::kInt64}}),
            "float -> int64");
  EXPECT_EQ(SignatureOf("Merge", {{"T", DType::kBool}, {"N", 3}}),
            "bool, bool, bool -> bool, int32");
  EXPECT_EQ(SignatureOf("IdentityN", {{"T", Types({kFloatType, kStringType})}}),
            "float, string -> float, string");
  EXPECT_EQ(SignatureOf("Assert", {{"T", Types({kStringType})}}), "bool, string -> ");
  EXPECT_EQ(SignatureOf("Unpack", {{"T", DType::kHalf}, {"num", 0}}), "half -> ");
}

TEST(SignatureTest, MarksReferences) {
  EXPECT_EQ(SignatureOf("RefMerge", {{"T", DType::kFloat}, {"N", 2}}),
            "float_ref, float_ref -> float_ref, int32");
  EXPECT_EQ(SignatureOf("Assign", {{"T", DType::kFloat}}), "float_ref, float -> float_ref");
}

TEST(SignatureTest, SaysWhichAttrIsWrong) {
  EXPECT_EQ(SignatureOf("Add", {}), "node 'n' (op Add) lacks the attr 'T', a type");
  EXPECT_EQ(SignatureOf("Sqrt", {{"T", DType::kString}}),
            "node 'n' (op Sqrt): attr 'T' = string is not one of bfloat16, half, float, double, "
            "complex64, complex128");
  EXPECT_EQ(SignatureOf("Merge", {{"N", 0}, {"T", DType::kBool}}),
            "node 'n' (op Merge): attr 'N' = 0 is below 1");
  EXPECT_EQ(SignatureOf("IdentityN", {{"T", AttrList()}}),
            "node 'n' (op IdentityN): attr 'T': its length = 0 is below 1");
  EXPECT_EQ(SignatureOf("Add", {{"T", AttrPlaceholder{"T"}}}),
            "node 'n' (op Add): attr 'T' = $T is not of kind type");
}

TEST(SignatureTest, ACorruptCountIsAnErrorAndNoAllocation) {
  EXPECT_EQ(SignatureOf("Unpack", {{"num", int64_t{1} << 60}, {"T", DType::kFloat}}),
            "node 'n' (op Unpack) asks for 1152921504606846976 'output' by attr 'num': between 0 "
            "and 1048576 can be");
  for (const int64_t count : {kMostArguments - 1, kMostArguments, kMostArguments + 1}) {
    const bool is_one = SignatureOf("Unpack", {{"num", count}, {"T", DType::kBool}})
                            .starts_with("bool -> bool, bool");
    EXPECT_EQ(is_one, count <= kMostArguments) << count;
  }
}

TEST(SignatureTest, AnUnknownOpIsUnimplemented) {
  Graph graph;
  const NodeId id = *graph.AddNode("n", "NoSuchOp");
  const Status status = ResolveSignature(graph.node(id)).status();
  EXPECT_EQ(status.code(), Code::kUnimplemented);
  EXPECT_EQ(status.node(), "n");
  EXPECT_NE(status.message().find("NoSuchOp"), std::string::npos);
}

}  // namespace
}  // namespace tagflow
