#include "graph/io/variant_proto.h"

#include <gtest/gtest.h>

#include "graph/held_ragged.h"
#include "graph/held_tensor.h"
#include "graph/limits.h"
#include "graph/tensor_list.h"
#include "graph/tensor_map.h"

namespace tagflow {
namespace {

// A value that knows no wire form.
class Secret : public VariantValue {
 public:
  std::string TypeName() const override { return "secret"; }
  std::string DebugString() const override { return "?"; }
};

TEST(VariantProto, NothingIsNothing) {
  TensorBudget budget(1000);
  const Result<Variant> variant = VariantFromProto(VariantTensorDataProto(), budget);
  ASSERT_TRUE(variant.ok());
  EXPECT_TRUE(variant->empty());
}

TEST(VariantProto, ATypeWithoutWireFormIsUnimplemented) {
  VariantTensorDataProto proto;
  const Status status =
      VariantToProto(Variant(std::make_shared<const Secret>()), TensorForm::kCompact, proto);
  EXPECT_EQ(status.code(), Code::kUnimplemented);
}

TEST(VariantProto, ListsOfListsRoundTrip) {
  TensorList inner(DType::kInt32, PartialShape::Scalar());
  inner.Push(Tensor::Scalar(5));
  TensorList outer(DType::kVariant, PartialShape::Scalar());
  outer.Push(TensorList::Wrap(std::move(inner)));
  VariantTensorDataProto proto;
  ASSERT_TRUE(VariantToProto(Variant(std::make_shared<const TensorList>(std::move(outer))),
                             TensorForm::kCompact, proto)
                  .ok());
  TensorBudget budget(1000);
  const Result<Variant> back = VariantFromProto(proto, budget);
  ASSERT_TRUE(back.ok()) << back.status().ToString();
  const TensorList* list = back->Get<TensorList>();
  ASSERT_NE(list, nullptr);
  EXPECT_EQ(TensorList::In(list->Get(0))->Get(0).scalar<int32_t>(), 5);
}

TEST(VariantProto, HeldTensorsRoundTrip) {
  VariantTensorDataProto proto;
  const Variant variant = HeldTensor::Wrap(Tensor::Vector<float>({1, 2}));
  ASSERT_TRUE(VariantToProto(variant, TensorForm::kCompact, proto).ok());
  TensorBudget budget(1000);
  const Result<Variant> back = VariantFromProto(proto, budget);
  ASSERT_TRUE(back.ok()) << back.status().ToString();
  ASSERT_NE(back->Get<HeldTensor>(), nullptr);
  EXPECT_EQ(back->Get<HeldTensor>()->tensor().DebugString(), "float[2] [1, 2]");
  proto.clear_tensors();
  EXPECT_EQ(VariantFromProto(proto, budget).status().code(), Code::kInvalidArgument);
  Tensor deep = Tensor::Scalar(1);
  for (int i = 0; i < 100000; ++i) deep = Tensor::Scalar(HeldTensor::Wrap(std::move(deep)));
  EXPECT_EQ(VariantToProto(deep.scalar<Variant>(), TensorForm::kCompact, proto).code(),
            Code::kResourceExhausted);
}

// As TensorFlow 2.21 writes them.
TEST(VariantProto, MapsRoundTrip) {
  TensorMap map;
  map.Insert(Tensor::Scalar(1), Tensor::Scalar(2.0f));
  map.Insert(Tensor::Scalar<std::string>("k"), Tensor::Vector<int32_t>({3, 4}));
  VariantTensorDataProto proto;
  ASSERT_TRUE(VariantToProto(Variant(std::make_shared<const TensorMap>(std::move(map))),
                             TensorForm::kCompact, proto)
                  .ok());
  EXPECT_EQ(proto.type_name(), "tensorflow::TensorMap");
  EXPECT_EQ(proto.tensors_size(), 4);
  TensorBudget budget(1000);
  const Result<Variant> back = VariantFromProto(proto, budget);
  ASSERT_TRUE(back.ok()) << back.status().ToString();
  const auto* read = back->Get<TensorMap>();
  ASSERT_NE(read, nullptr);
  EXPECT_EQ(read->size(), 2);
  EXPECT_EQ(read->Find(Tensor::Scalar<std::string>("k"))->DebugString(), "int32[2] [3, 4]");
  proto.mutable_tensors()->RemoveLast();
  EXPECT_EQ(VariantFromProto(proto, budget).status().code(), Code::kInvalidArgument);
}

TEST(VariantProto, AMapHasNoKeyThatIsAVariant) {
  VariantTensorDataProto proto;
  proto.set_type_name("tensorflow::TensorMap");
  const Tensor variant = Tensor::Scalar(Variant());
  ASSERT_TRUE(TensorToProto(variant, TensorForm::kCompact, *proto.add_tensors()).ok());
  ASSERT_TRUE(TensorToProto(variant, TensorForm::kCompact, *proto.add_tensors()).ok());
  TensorBudget budget(1000);
  EXPECT_EQ(VariantFromProto(proto, budget).status().code(), Code::kInvalidArgument);
}

TEST(VariantProto, RaggedTensorsRoundTrip) {
  VariantTensorDataProto proto;
  const Variant variant =
      HeldRagged::Wrap({Tensor::Vector<int64_t>({0, 2}), Tensor::Vector<float>({1, 2})});
  ASSERT_TRUE(VariantToProto(variant, TensorForm::kCompact, proto).ok());
  EXPECT_EQ(proto.type_name(), "RaggedTensorVariant");
  TensorBudget budget(1000);
  const Result<Variant> back = VariantFromProto(proto, budget);
  ASSERT_TRUE(back.ok()) << back.status().ToString();
  ASSERT_NE(back->Get<HeldRagged>(), nullptr);
  EXPECT_EQ(back->Get<HeldRagged>()->splits(0).DebugString(), "int64[2] [0, 2]");
  EXPECT_EQ(back->Get<HeldRagged>()->values().DebugString(), "float[2] [1, 2]");
  proto.clear_tensors();
  EXPECT_EQ(VariantFromProto(proto, budget).status().code(), Code::kInvalidArgument);
}

TEST(VariantProto, ListsTooDeepOrTooLongHaveNoWireForm) {
  auto written = [](TensorList list) {
    VariantTensorDataProto proto;
    return VariantToProto(Variant(std::make_shared<const TensorList>(std::move(list))),
                          TensorForm::kCompact, proto);
  };
  TensorList deep(DType::kVariant);
  for (int i = 0; i < 100000; ++i) {
    TensorList outer(DType::kVariant);
    outer.Push(TensorList::Wrap(std::move(deep)));
    deep = std::move(outer);
  }
  EXPECT_EQ(written(std::move(deep)).code(), Code::kResourceExhausted);
  const auto nested = [&](int lists) {
    TensorList list(DType::kVariant);
    for (int i = 1; i < lists; ++i) {
      TensorList outer(DType::kVariant);
      outer.Push(TensorList::Wrap(std::move(list)));
      list = std::move(outer);
    }
    return written(std::move(list)).code();
  };
  EXPECT_EQ(nested(kMostNestedLists - 1), Code::kOk);
  EXPECT_EQ(nested(kMostNestedLists), Code::kOk);
  EXPECT_EQ(nested(kMostNestedLists + 1), Code::kResourceExhausted);
  TensorList sparse(DType::kInt32);
  sparse.Resize(int64_t{1} << 40);
  EXPECT_EQ(written(std::move(sparse)).code(), Code::kResourceExhausted);
}

}  // namespace
}  // namespace tagflow
