#include "graph/io/attr_proto.h"

#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

namespace tagflow {
namespace {

AttrValueProto ProtoOf(const std::string& text) {
  AttrValueProto proto;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &proto)) << text;
  return proto;
}

AttrValue Read(const AttrValueProto& proto, bool is_read = true) {
  TensorBudget budget;
  Result<AttrValue> attr = AttrFromProto(proto, is_read, budget);
  EXPECT_TRUE(attr.ok()) << attr.status().ToString();
  return attr.ok() ? *attr : AttrValue();
}

TEST(AttrProto, EveryKindRoundTrips) {
  for (const char* text :
       {"", "s: 'text'", "i: -3", "f: 0.5", "b: true", "b: false", "type: DT_INT32",
        "type: DT_FLOAT_REF", "type: DT_INVALID", "shape {}", "shape { unknown_rank: true }",
        "shape { dim { size: -1 } dim { size: 4 } }", "placeholder: 'T'", "list {}",
        "tensor { dtype: DT_INT32 tensor_shape {} int_val: 7 }",
        "func { name: 'f' attr { key: 'a' value { i: 1 } } attr { key: 'b' value { func {} } } }",
        "list { s: 'a' i: [1, 2] f: 0.5 b: [true, false] type: [DT_HALF, DT_BOOL_REF] "
        "shape {} shape { unknown_rank: true } tensor { dtype: DT_BOOL tensor_shape {} "
        "bool_val: true } func { name: 'g' } }"}) {
    const AttrValueProto proto = ProtoOf(text);
    AttrValueProto back;
    ASSERT_TRUE(AttrToProto(Read(proto), TensorForm::kCompact, back).ok()) << text;
    EXPECT_EQ(back.ShortDebugString(), proto.ShortDebugString());
  }
}

TEST(AttrProto, KindsAreTheNativeOnes) {
  EXPECT_EQ(*Read(ProtoOf("i: 5")).Get<int64_t>(), 5);
  EXPECT_EQ(*Read(ProtoOf("type: DT_FLOAT_REF")).Get<ArgType>(), (ArgType{DType::kFloat, true}));
  EXPECT_EQ(Read(ProtoOf("list { i: [4, 5] }")).list()->ints, (std::vector<int64_t>{4, 5}));
  EXPECT_EQ(Read(ProtoOf("func { name: 'f' }")).function()->name, "f");
}

TEST(AttrProto, WhatHasNoNativeFormIsKeptAsBytes) {
  for (const char* text :
       {"type: DT_FLOAT8_E5M2", "type: DT_INT4_REF", "list { type: [DT_FLOAT, DT_UINT4] }",
        "tensor { dtype: DT_QINT8 tensor_shape {} }",
        "tensor { dtype: DT_RESOURCE tensor_shape {} resource_handle_val { name: 'v' "
        "dtypes_and_shapes { dtype: DT_FLOAT } } }"}) {
    const AttrValueProto proto = ProtoOf(text);
    const AttrValue attr = Read(proto);
    EXPECT_NE(attr.Get<OpaqueAttr>(), nullptr) << text;
    AttrValueProto back;
    ASSERT_TRUE(AttrToProto(attr, TensorForm::kCompact, back).ok());
    EXPECT_EQ(back.ShortDebugString(), proto.ShortDebugString());
  }
}

TEST(AttrProto, NamesOfDimensionsAreKeptUnlessTheOpReadsTheShape) {
  const AttrValueProto proto = ProtoOf("shape { dim { size: 2 name: 'batch' } }");
  EXPECT_NE(Read(proto, /*is_read=*/false).Get<OpaqueAttr>(), nullptr);
  EXPECT_EQ(*Read(proto, /*is_read=*/true).Get<PartialShape>(), PartialShape(Dims{2}));
}

TEST(AttrProto, ContradictionsAreErrors) {
  TensorBudget budget;
  for (const char* text : {"shape { dim { size: -2 } }", "list { shape { dim { size: -2 } } }",
                           "tensor { dtype: DT_FLOAT tensor_shape { dim { size: -1 } } }",
                           "func { attr { key: 'a' value { shape { dim { size: -9 } } } } }"}) {
    EXPECT_EQ(AttrFromProto(ProtoOf(text), true, budget).status().code(), Code::kInvalidArgument)
        << text;
  }
}

}  // namespace
}  // namespace tagflow
