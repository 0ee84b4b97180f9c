// What the gradients of the ops that move elements are made of. Their values are checked against
// the tape, in fuzz/gradient.
//
// Tests: array_gradients.cc, gather_gradients.cc, last_writer.cc, list_gradients.cc,
//        map_gradients.cc, optional_gradients.cc, rearranging_gradients.cc, row_updates.cc,
//        scatter_gradients.cc, shape_vectors.cc, slice_gradients.cc, state_gradients.cc,
//        tensor_array_gradients.cc

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "graph/builder/builder.h"
#include "transform/gradients/gradients.h"

namespace tagflow {
namespace {

class MovingGradients : public testing::Test {
 protected:
  Output X(const PartialShape& shape) { return Placeholder(scope_, DType::kFloat, shape); }
  Output X(const Dims& dims) { return X(PartialShape(dims)); }
  Output Ints(const std::vector<int32_t>& values) { return Const(scope_, values); }
  Output Rows(const Output& x) { return Op(scope_, "TensorListFromTensor", {x, -1}); }

  // How many nodes of which op the gradient of y by x adds.
  std::map<std::string, int> Added(const Output& y, const Output& x) {
    const size_t before = scope_.graph().id_limit();
    const Result<OutputList> gradients = Gradients(scope_, {y}, {x});
    EXPECT_TRUE(gradients.ok()) << gradients.status().ToString();
    std::map<std::string, int> count;
    for (const NodeId id : scope_.graph().NodeIds()) {
      if (Index(id) >= before) ++count[scope_.graph().node(id).op];
    }
    return count;
  }
  std::string Error(const Output& y, const Output& x) {
    return Gradients(scope_, {y}, {x}).status().ToString();
  }

  Scope scope_ = Scope::Root();
};

TEST_F(MovingGradients, KnownShapesAreNotComputed) {
  const Output x = X(Dims{2, 3});
  const Output other = X(Dims{2, 5});
  const Output joined = Concat(scope_, {x, other}, 1);
  const Output y = Transpose(scope_, Reshape(scope_, joined, Ints({4, 4})), Ints({1, 0}));
  const auto added = Added(y, x);
  EXPECT_EQ(added.count("Shape") + added.count("ConcatOffset") + added.count("InvertPermutation"),
            0U);
  EXPECT_EQ(added.at("SplitV"), 1);
}

// As of a stitch of empty rows, the last of which is far away.
TEST_F(MovingGradients, ADimensionThatDoesNotFitIntoInt32IsNoConstant) {
  const Output x = X(Dims{int64_t{1} << 31, 0});
  EXPECT_EQ(Added(Reshape(scope_, x, Ints({0})), x).count("Shape"), 1U);
}

TEST_F(MovingGradients, BatchDimsThatNothingHasAreRefused) {
  const Output x = X(PartialShape());
  const Output indices = Placeholder(scope_, DType::kInt32, PartialShape());
  const Output y = Op(scope_, "GatherV2", {x, indices, Const(scope_, 0)},
                      {{"batch_dims", (int64_t{1} << 32) - 3}});
  EXPECT_NE(Error(y, x).find("batch_dims of GatherV2 counts 4294967293 dimensions"),
            std::string::npos);
}

TEST_F(MovingGradients, ASmallSliceIsAddedInPlace) {
  const Output x = X(Dims{100, 4});
  const auto row = [&](const Output& of, int size) {
    return Slice(scope_, of, Ints({3, 0}), Ints({size, 4}));
  };
  EXPECT_EQ(Added(row(x, 1), x).count("TensorStridedSliceUpdate"), 1U);
  EXPECT_EQ(Added(row(x, 90), x).count("Pad"), 1U);
  const Output unknown = X(PartialShape());
  EXPECT_EQ(Added(row(unknown, 1), unknown).count("Pad"), 1U);
}

TEST_F(MovingGradients, IndicesThatAreSeenToDifferAreNotSorted) {
  const Output x = X(Dims{4, 2});
  const auto gathered = [&](const Output& indices) {
    return Output(
        Op(scope_, "TensorListGather", {Rows(x), indices, -1}, {{"element_dtype", DType::kFloat}}));
  };
  EXPECT_EQ(Added(gathered(Ints({2, 0})), x).count("Unique"), 0U);
  EXPECT_EQ(Added(gathered(Range(scope_, 0, 3, 1)), x).count("Unique"), 0U);
  EXPECT_EQ(Added(gathered(Ints({2, 2})), x).count("Unique"), 1U);
  const Output fed = Placeholder(scope_, DType::kInt32, Dims{2});
  EXPECT_EQ(Added(gathered(fed), x).count("Unique"), 1U);
}

TEST_F(MovingGradients, OfWhatIsAlonePerPlaceNeedNoLastWriter) {
  const Output x = X(Dims{4});
  const Output partitions = Placeholder(scope_, DType::kInt32, Dims{4});
  const auto share = [&](const Output& data) {
    return Op(scope_, "DynamicPartition", {data, partitions}, {{"num_partitions", 2}});
  };
  const Operation places = share(Range(scope_, 0, 4, 1)), parts = share(x);
  const Output same = Op(scope_, "DynamicStitch", {{places[0], places[1]}, {parts[0], parts[1]}});
  EXPECT_EQ(Added(same, x).count("SelectV2"), 0U);
  const Output other = Op(scope_, "DynamicStitch", {{places[1], places[0]}, {parts[0], parts[1]}});
  EXPECT_EQ(Added(other, x).count("SelectV2"), 1U);
}

TEST_F(MovingGradients, StopAtVariables) {
  const Output x = X(Dims{});
  const Output ref =
      Op(scope_, "VariableV2", {}, {{"dtype", DType::kFloat}, {"shape", PartialShape::Scalar()}});
  const Output set = Op(scope_, "Assign", {ref, x});
  const Result<OutputList> gradients = Gradients(scope_, {Identity(scope_, set)}, {x});
  ASSERT_TRUE(gradients.ok()) << gradients.status().ToString();
  EXPECT_FALSE((*gradients)[0].valid());
}

TEST_F(MovingGradients, SayWhatTheyNeedToKnow) {
  const Output x = X(PartialShape());
  const Output indices = Placeholder(scope_, DType::kInt32, PartialShape());
  const Output gathered = Op(scope_, "GatherV2", {x, indices, 1}, {{"batch_dims", -1}});
  EXPECT_NE(Error(gathered, x).find("count batch_dims from the first"), std::string::npos);
  const Output lists = Placeholder(scope_, DType::kVariant, PartialShape());
  const Output pushed = Op(scope_, "TensorListPushBackBatch", {lists, x});
  const Output stacked = Op(scope_, "TensorListStack", {Unpack(scope_, pushed, 1)[0], -1},
                            {{"element_dtype", DType::kFloat}});
  EXPECT_NE(Error(stacked, x).find("give input_handles a shape"), std::string::npos);
  const Output row = Op(scope_, "TensorListStack", {ElementAt(scope_, pushed, 0), -1},
                        {{"element_dtype", DType::kFloat}});
  EXPECT_NE(Error(row, x).find("take it apart with Unpack"), std::string::npos);
  const TensorArray array(scope_, 2, DType::kVariant);
  const Output read = array.Write(scope_, 0, Rows(x)).Read(scope_, 0);
  const Output of_lists =
      Op(scope_, "TensorListStack", {read, -1}, {{"element_dtype", DType::kFloat}});
  EXPECT_NE(Error(of_lists, x).find("use a TensorList"), std::string::npos);
}

}  // namespace
}  // namespace tagflow
