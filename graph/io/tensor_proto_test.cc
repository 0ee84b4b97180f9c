#include "graph/io/tensor_proto.h"

#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "graph/io/element_wire.h"
#include "graph/tensor_list.h"

namespace tagflow {
namespace {

using ::testing::HasSubstr;

Result<Tensor> FromText(const std::string& text) {
  TensorProto proto;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &proto)) << text;
  return TensorFromProto(proto);
}

Tensor MustParse(const std::string& text) {
  Result<Tensor> tensor = FromText(text);
  EXPECT_TRUE(tensor.ok()) << tensor.status().ToString();
  return tensor.ok() ? *tensor : Tensor();
}

Status ErrorOf(const std::string& text) {
  Result<Tensor> tensor = FromText(text);
  EXPECT_FALSE(tensor.ok()) << text;
  return tensor.status();
}

void ExpectRoundTrip(const Tensor& tensor) {
  for (TensorForm form : {TensorForm::kCompact, TensorForm::kReadable}) {
    Result<TensorProto> proto = TensorToProto(tensor, form);
    ASSERT_TRUE(proto.ok()) << proto.status().ToString();
    Result<Tensor> back = TensorFromProto(*proto);
    ASSERT_TRUE(back.ok()) << back.status().ToString();
    EXPECT_TRUE(BitwiseEqual(*back, tensor)) << proto->ShortDebugString();
  }
}

constexpr DType kPlainDTypes[] = {
    DType::kFloat,  DType::kDouble, DType::kInt32,    DType::kUInt8,     DType::kInt16,
    DType::kInt8,   DType::kInt64,  DType::kBool,     DType::kUInt16,    DType::kHalf,
    DType::kUInt32, DType::kUInt64, DType::kBFloat16, DType::kComplex64, DType::kComplex128};

TEST(TensorProtoTest, PlainDTypesRoundTripBitForBit) {
  std::mt19937 random(7);
  for (DType dtype : kPlainDTypes) {
    for (const Dims& dims : {Dims{}, Dims{1}, Dims{0}, Dims{3, 0}, Dims{7}, Dims{2, 3, 4}}) {
      Tensor tensor = *Tensor::Allocate(dtype, dims);
      auto* bytes = static_cast<unsigned char*>(tensor.mutable_raw_data());
      for (size_t i = 0; i < tensor.byte_size(); ++i) {
        bytes[i] = static_cast<unsigned char>(dtype == DType::kBool ? random() & 1 : random());
      }
      ExpectRoundTrip(tensor);
    }
  }
}

TEST(TensorProtoTest, RepeatedLastElementsAreNotWritten) {
  Tensor tensor = *Tensor::Allocate(DType::kFloat, Dims{1000});
  for (int i = 0; i < 1000; ++i) tensor.mutable_data<float>()[i] = i < 3 ? i : 9.0f;
  ExpectRoundTrip(tensor);
  EXPECT_EQ(TensorToProto(tensor)->float_val_size(), 4);
  EXPECT_TRUE(TensorToProto(tensor)->tensor_content().empty());
}

TEST(TensorProtoTest, ZeroIsNotNegativeZero) {
  const float values[] = {0.0f, -0.0f, -0.0f, -0.0f};
  const Tensor tensor = Tensor::Of<float>(Dims{4}, values);
  ExpectRoundTrip(tensor);
  EXPECT_FALSE(std::signbit(TensorFromProto(*TensorToProto(tensor))->data<float>()[0]));
  EXPECT_TRUE(std::signbit(TensorFromProto(*TensorToProto(tensor))->data<float>()[3]));
}

TEST(TensorProtoTest, StringsRoundTrip) {
  ExpectRoundTrip(
      Tensor::Vector<std::string>({"", "a", std::string("\0b", 2), std::string(5000, 'x')}));
  ExpectRoundTrip(Tensor::Scalar<std::string>("alone"));
  ExpectRoundTrip(*Tensor::Allocate(DType::kString, Dims{0}));
}

TEST(TensorProtoTest, ResourceHandlesRoundTrip) {
  Tensor tensor = *Tensor::Allocate(DType::kResource, Dims{});
  *tensor.mutable_data<ResourceHandle>() = {"/device:CPU:0", "box", "v", "Var", 77, nullptr};
  const Tensor back = *TensorFromProto(*TensorToProto(tensor));
  const ResourceHandle& handle = back.scalar<ResourceHandle>();
  EXPECT_EQ(handle.device, "/device:CPU:0");
  EXPECT_EQ(handle.container, "box");
  EXPECT_EQ(handle.name, "v");
  EXPECT_EQ(handle.type_name, "Var");
  EXPECT_EQ(handle.hash_code, 77u);
}

TEST(TensorProtoTest, AHandleOfAStepObjectHasNoWireForm) {
  Tensor tensor = *Tensor::Allocate(DType::kResource, Dims{});
  tensor.mutable_data<ResourceHandle>()->object = std::make_shared<Resource>();
  EXPECT_EQ(TensorToProto(tensor).status().code(), Code::kUnimplemented);
}

TEST(TensorProtoTest, VariantsOfUnknownTypesKeepTheirBytes) {
  TensorProto proto;
  proto.set_dtype(DT_VARIANT);
  proto.mutable_tensor_shape();
  VariantTensorDataProto* element = proto.add_variant_val();
  element->set_type_name("somebody's type");
  element->set_metadata("\x01\x02");
  element->add_tensors()->set_dtype(DT_FLOAT);
  Result<Tensor> tensor = TensorFromProto(proto);
  ASSERT_TRUE(tensor.ok());
  EXPECT_EQ(TensorToProto(*tensor)->SerializeAsString(), proto.SerializeAsString());
}

TEST(TensorProtoTest, TensorListsRoundTrip) {
  TensorList list(DType::kFloat, PartialShape(Dims{-1}), 7);
  list.Push(Tensor::Vector<float>({1, 2}));
  list.Push(Tensor());
  list.Push(Tensor::Vector<float>({3}));
  list.Push(Tensor());
  const Result<TensorProto> proto = TensorToProto(TensorList::Wrap(std::move(list)));
  ASSERT_TRUE(proto.ok()) << proto.status().ToString();
  const Tensor back = *TensorFromProto(*proto);
  const TensorList* read = TensorList::In(back);
  ASSERT_NE(read, nullptr);
  EXPECT_EQ(read->dtype(), DType::kFloat);
  EXPECT_EQ(read->element_shape(), PartialShape(Dims{-1}));
  EXPECT_EQ(read->max_num_elements(), 7);
  ASSERT_EQ(read->size(), 4);
  EXPECT_THAT(read->Get(0).flat<float>(), ::testing::ElementsAre(1, 2));
  EXPECT_FALSE(read->Get(1).has_value());
  EXPECT_THAT(read->Get(2).flat<float>(), ::testing::ElementsAre(3));
  EXPECT_FALSE(read->Get(3).has_value());
}

TEST(TensorProtoTest, ATensorListOfTensorFlowIsRead) {
  // TensorFlow 2.21: an empty list of int32 scalars without a limit.
  const Tensor tensor = MustParse(R"(dtype: DT_VARIANT tensor_shape {} variant_val {
      type_name: "tensorflow::TensorList"
      metadata: "\000\003\377\377\377\377\377\377\377\377\377\001" })");
  ASSERT_NE(TensorList::In(tensor), nullptr);
  EXPECT_EQ(TensorList::In(tensor)->dtype(), DType::kInt32);
  EXPECT_EQ(TensorList::In(tensor)->max_num_elements(), -1);
  EXPECT_EQ(TensorList::In(tensor)->element_shape(), PartialShape::Scalar());
}

TEST(TensorProtoTest, ATensorListThatContradictsItselfIsAnError) {
  for (const char* metadata :
       {"", "\\005", "\\001\\007\\001\\001", "\\000\\177\\001", "\\000\\003\\001x"}) {
    const Status status = ErrorOf(
        "dtype: DT_VARIANT tensor_shape {} variant_val { type_name: "
        "'tensorflow::TensorList' metadata: '" +
        std::string(metadata) + "' }");
    EXPECT_EQ(status.code(), Code::kInvalidArgument) << metadata;
  }
}

TEST(TensorProtoTest, TheLastElementGivenStandsForTheRest) {
  const Tensor tensor =
      MustParse("dtype: DT_INT32 tensor_shape { dim { size: 4 } } int_val: 1 int_val: 2");
  EXPECT_THAT(tensor.flat<int32_t>(), ::testing::ElementsAre(1, 2, 2, 2));
  const Tensor text =
      MustParse("dtype: DT_STRING tensor_shape { dim { size: 2 } } string_val: 'a'");
  EXPECT_THAT(text.flat<std::string>(), ::testing::ElementsAre("a", "a"));
  const Tensor complex = MustParse(
      "dtype: DT_COMPLEX64 tensor_shape { dim { size: 2 } } scomplex_val: 1 scomplex_val: 2");
  EXPECT_EQ(complex.data<std::complex<float>>()[1], std::complex<float>(1, 2));
}

TEST(TensorProtoTest, NothingGivenMeansZeros) {
  EXPECT_EQ(MustParse("dtype: DT_FLOAT tensor_shape {}").scalar<float>(), 0.0f);
  EXPECT_EQ(MustParse("dtype: DT_STRING tensor_shape {}").scalar<std::string>(), "");
  EXPECT_EQ(MustParse("dtype: DT_FLOAT").rank(), 0);  // no shape: a scalar
}

TEST(TensorProtoTest, MoreThanTheShapeAsksForIsIgnored) {
  const Tensor tensor = MustParse("dtype: DT_INT64 tensor_shape {} int64_val: [5, 6]");
  EXPECT_EQ(tensor.scalar<int64_t>(), 5);
}

TEST(TensorProtoTest, HalfValHoldsBits) {
  EXPECT_EQ(ToFloat(MustParse("dtype: DT_HALF tensor_shape {} half_val: 15872").scalar<Half>()),
            1.5f);
  EXPECT_EQ(
      ToFloat(MustParse("dtype: DT_BFLOAT16 tensor_shape {} half_val: 16320").scalar<BFloat16>()),
      1.5f);
}

TEST(TensorProtoTest, StringContentIsLengthsThenBytes) {
  const Tensor tensor = MustParse(
      "dtype: DT_STRING tensor_shape { dim { size: 2 } } tensor_content: '\\001\\002abc'");
  EXPECT_THAT(tensor.flat<std::string>(), ::testing::ElementsAre("a", "bc"));
  EXPECT_EQ(
      ErrorOf("dtype: DT_STRING tensor_shape { dim { size: 2 } } tensor_content: '\\001\\002ab'")
          .code(),
      Code::kInvalidArgument);
  EXPECT_EQ(
      ErrorOf("dtype: DT_STRING tensor_shape { dim { size: 1 } } tensor_content: '\\001ab'").code(),
      Code::kInvalidArgument);
}

TEST(TensorProtoTest, ABoolByteIsTrueOrFalse) {
  const Tensor tensor =
      MustParse("dtype: DT_BOOL tensor_shape { dim { size: 2 } } tensor_content: '\\002\\000'");
  uint8_t byte;
  std::memcpy(&byte, tensor.raw_data(), 1);
  EXPECT_EQ(byte, 1);
}

TEST(TensorProtoTest, ContentOfTheWrongSizeIsAnError) {
  const Status status =
      ErrorOf("dtype: DT_FLOAT tensor_shape { dim { size: 2 } } tensor_content: 'abc'");
  EXPECT_EQ(status.code(), Code::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("3 bytes"));
  EXPECT_THAT(status.message(), HasSubstr("need 8"));
}

TEST(TensorProtoTest, ImpossibleShapesAreErrors) {
  EXPECT_EQ(ErrorOf("dtype: DT_FLOAT tensor_shape { dim { size: -1 } }").code(),
            Code::kInvalidArgument);
  EXPECT_EQ(ErrorOf("dtype: DT_FLOAT tensor_shape { unknown_rank: true }").code(),
            Code::kInvalidArgument);
  EXPECT_EQ(
      ErrorOf("dtype: DT_FLOAT tensor_shape { dim { size: 4294967296 } dim { size: 4294967296 } }")
          .code(),
      Code::kInvalidArgument);
}

TEST(TensorProtoTest, ATinyMessageCannotTakeAllMemory) {
  const Status status =
      ErrorOf("dtype: DT_FLOAT tensor_shape { dim { size: 1000000000000 } } float_val: 1");
  EXPECT_EQ(status.code(), Code::kResourceExhausted);
  EXPECT_THAT(status.message(), HasSubstr("1000000000000 elements"));
  EXPECT_EQ(ErrorOf("dtype: DT_VARIANT tensor_shape { dim { size: 1000000000000 } }").code(),
            Code::kResourceExhausted);
}

TEST(TensorProtoTest, ALongStringRepeatedCountsAsOftenAsItStands) {
  TensorProto proto;
  proto.set_dtype(DT_STRING);
  proto.mutable_tensor_shape()->add_dim()->set_size(1000);
  proto.add_string_val(std::string(1000, 'x'));
  TensorBudget budget(100'000);
  EXPECT_EQ(TensorFromProto(proto, budget).status().code(), Code::kResourceExhausted);
}

TEST(TensorProtoTest, ABudgetIsSharedByTheTensorsThatDrawOnIt) {
  TensorProto proto;
  proto.set_dtype(DT_DOUBLE);
  proto.mutable_tensor_shape()->add_dim()->set_size(10);
  TensorBudget budget(150);
  EXPECT_TRUE(TensorFromProto(proto, budget).ok());
  EXPECT_EQ(TensorFromProto(proto, budget).status().code(), Code::kResourceExhausted);
}

TEST(TensorProtoTest, DTypesWithoutTensorsAreUnimplemented) {
  EXPECT_EQ(ErrorOf("dtype: DT_QINT8 tensor_shape {}").code(), Code::kUnimplemented);
  EXPECT_EQ(ErrorOf("dtype: DT_FLOAT_REF tensor_shape {}").code(), Code::kUnimplemented);
  EXPECT_EQ(ErrorOf("dtype: DT_FLOAT8_E5M2 tensor_shape {}").code(), Code::kUnimplemented);
  EXPECT_EQ(ErrorOf("tensor_shape {}").code(), Code::kInvalidArgument);
}

TEST(ShapeProtoTest, RoundTrips) {
  for (const PartialShape& shape :
       {PartialShape(), PartialShape::Scalar(), PartialShape(Dims{2, -1, 0})}) {
    TensorShapeProto proto;
    ShapeToProto(shape, proto);
    EXPECT_EQ(*ShapeFromProto(proto), shape);
  }
}

TEST(ShapeProtoTest, ContradictionsAreErrors) {
  TensorShapeProto proto;
  proto.add_dim()->set_size(-2);
  EXPECT_EQ(ShapeFromProto(proto).status().code(), Code::kInvalidArgument);
  proto.mutable_dim(0)->set_size(2);
  proto.set_unknown_rank(true);
  EXPECT_EQ(ShapeFromProto(proto).status().code(), Code::kInvalidArgument);
}

}  // namespace
}  // namespace tagflow
