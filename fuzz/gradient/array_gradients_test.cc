// Gradients of the ops that move elements about, to second order, with shapes and indices known to
// the graph and not.
//
// Tests: transform/gradients/{array,slice,gather,scatter,rearranging,optional}_gradients.cc,
//        transform/gradients/{shape_vectors,row_updates,last_writer}.cc

#include <gtest/gtest.h>

#include <functional>

#include "fuzz/gradient/test_orders.h"

namespace tagflow::fuzz {
namespace {

// How much the graph says of what is fed.
enum class Known { kAll, kRanks, kNothing };

class ArrayGradients : public testing::Test {
 protected:
  // A tensor that is fed with random numbers.
  Output X(Dims dims) { return Fed(RandomDoubles(dims)); }
  Output Fed(const Tensor& value) {
    const DimsView dims = value.dims();
    PartialShape shape;
    if (known_ == Known::kAll) shape = PartialShape(Dims(dims.begin(), dims.end()));
    if (known_ == Known::kRanks) shape = PartialShape::UnknownOfRank(static_cast<int>(dims.size()));
    const std::string name = "x" + std::to_string(xs_.size());
    xs_.push_back(Placeholder(scope_.WithOpName(name), DType::kDouble, shape));
    feeds_.emplace_back(name, value);
    return xs_[xs_.size() - 1];
  }
  // Integers that are a constant of the graph, or not.
  Output Ints(const std::vector<int32_t>& values) { return Given(Tensor::Vector(values)); }
  Output Ints(Dims dims, const std::vector<int32_t>& values) {
    return Given(Tensor::Of<int32_t>(dims, values));
  }
  Output Int(int32_t value) { return Given(Tensor::Scalar(value)); }
  Output Given(const Tensor& value) {
    const Output constant = Const(scope_, value);
    if (known_ == Known::kAll) return constant;
    const DimsView dims = value.dims();
    return PlaceholderWithDefault(scope_, constant, PartialShape(Dims(dims.begin(), dims.end())));
  }
  Output Make(std::string_view op, std::vector<Input> inputs, AttrMap attrs = {}) {
    return Op(scope_, op, std::move(inputs), std::move(attrs));
  }
  OutputList All(std::string_view op, std::vector<Input> inputs, AttrMap attrs = {}) {
    const Operation made = Op(scope_, op, std::move(inputs), std::move(attrs));
    OutputList outputs;
    for (int i = 0; i < made.num_outputs(); ++i) outputs.push_back(made[i]);
    return outputs;
  }

  // Checks what `make` makes of what it is fed.
  void Check(const char* what, const std::function<OutputList()>& make) {
    for (const Known known : {Known::kAll, Known::kRanks, Known::kNothing}) {
      SCOPED_TRACE(std::string(what) + (known == Known::kAll     ? ", all known"
                                        : known == Known::kRanks ? ", ranks known"
                                                                 : ", nothing known"));
      scope_ = Scope::Root();
      xs_ = {};
      feeds_ = {};
      known_ = known;
      const OutputList outputs = make();
      CheckOrders(scope_, feeds_, SumOfSquares(scope_, outputs), xs_);
    }
  }

  Scope scope_ = Scope::Root();
  Known known_ = Known::kAll;
  OutputList xs_;
  Feeds feeds_;
};

TEST_F(ArrayGradients, OfWhatPassesATensorOn) {
  for (const char* op : {"Identity", "Snapshot", "DeepCopy", "GuaranteeConst"}) {
    Check(op, [&] { return OutputList{Make(op, {X({2, 2})})}; });
  }
  for (const char* op : {"CheckNumerics", "CheckNumericsV2"}) {
    Check(op, [&] { return OutputList{Make(op, {X({2})}, {{"message", "x"}})}; });
  }
  Check("IdentityN", [&] { return All("IdentityN", {{X({2}), X({1, 2})}}); });
}

TEST_F(ArrayGradients, OfNewShapes) {
  Check("Reshape", [&] { return OutputList{Make("Reshape", {X({2, 3}), Ints({3, 2})})}; });
  Check("ExpandDims", [&] { return OutputList{Make("ExpandDims", {X({2, 3}), Int(-2)})}; });
  Check("Squeeze", [&] { return OutputList{Make("Squeeze", {X({2, 1})})}; });
  Check("BroadcastTo", [&] {
    return OutputList{Make("BroadcastTo", {X({2, 1}), Ints({3, 2, 2})})};
  });
  Check("Fill", [&] { return OutputList{Make("Fill", {Ints({2, 2}), X({})})}; });
  Check("Tile", [&] { return OutputList{Make("Tile", {X({2, 3}), Ints({2, 1})})}; });
  Check("Transpose", [&] {
    return OutputList{Make("Transpose", {X({2, 3, 4}), Ints({-1, 0, 1})})};
  });
  Check("ConjugateTranspose", [&] {
    return OutputList{Make("ConjugateTranspose", {X({2, 3}), Ints({1, 0})})};
  });
}

TEST_F(ArrayGradients, OfJoiningAndCutting) {
  Check("ConcatV2", [&] {
    return OutputList{Make("ConcatV2", {{X({2, 1}), X({2, 3})}, Int(-1)})};
  });
  Check("Concat", [&] { return OutputList{Make("Concat", {Int(0), {X({2, 1}), X({0, 1})}})}; });
  Check("Split", [&] { return All("Split", {Int(1), X({2, 4})}, {{"num_split", 2}}); });
  Check("Split in one", [&] { return All("Split", {Int(0), X({2})}, {{"num_split", 1}}); });
  Check("SplitV", [&] {
    return All("SplitV", {X({4, 2}), Ints({1, 3, 0}), Int(0)}, {{"num_split", 3}});
  });
  Check("Pack", [&] { return OutputList{Make("Pack", {{X({2}), X({2})}}, {{"axis", 1}})}; });
  Check("ParallelConcat", [&] {
    return OutputList{
        Make("ParallelConcat", {{X({1, 3}), X({1, 3})}}, {{"shape", PartialShape(Dims{2, 3})}})};
  });
  Check("Unpack", [&] { return All("Unpack", {X({2, 3})}, {{"axis", -1}, {"num", 3}}); });
  Check("one of Unpack", [&] {
    return OutputList{All("Unpack", {X({2, 3})}, {{"axis", -1}, {"num", 3}})[1]};
  });
}

TEST_F(ArrayGradients, OfSlices) {
  Check("a small Slice", [&] {
    return OutputList{Make("Slice", {X({4, 3}), Ints({1, 1}), Ints({1, 2})})};
  });
  Check("a large Slice", [&] {
    return OutputList{Make("Slice", {X({4, 3}), Ints({1, 0}), Ints({-1, 3})})};
  });
  Check("an element", [&] {
    return OutputList{Make("StridedSlice", {X({4, 3}), Ints({2}), Ints({3}), Ints({1})},
                           {{"shrink_axis_mask", 1}})};
  });
  Check("every other", [&] {
    return OutputList{
        Make("StridedSlice", {X({5}), Ints({9}), Ints({0}), Ints({-2})}, {{"end_mask", 1}})};
  });
  Check("new dimensions", [&] {
    return OutputList{Make("StridedSlice",
                           {X({3, 4}), Ints({0, 0, 1}), Ints({0, 0, 3}), Ints({1, 1, 1})},
                           {{"new_axis_mask", 1}, {"ellipsis_mask", 2}})};
  });
  Check("StridedSliceGrad", [&] {
    return OutputList{
        Make("StridedSliceGrad", {Ints({5}), Ints({1}), Ints({5}), Ints({2}), X({2})})};
  });
  for (const Dims& value : {Dims{2}, Dims{1}, Dims{}}) {
    Check("TensorStridedSliceUpdate", [&] {
      return OutputList{
          Make("TensorStridedSliceUpdate", {X({5}), Ints({1}), Ints({5}), Ints({2}), X(value)})};
    });
  }
}

TEST_F(ArrayGradients, OfBorders) {
  Check("Pad", [&] { return OutputList{Make("Pad", {X({2, 3}), Ints({2, 2}, {1, 0, 2, 1})})}; });
  Check("PadV2", [&] {
    return OutputList{Make("PadV2", {X({2, 3}), Ints({2, 2}, {1, 0, 2, 1}), X({})})};
  });
  for (const char* mode : {"REFLECT", "SYMMETRIC"}) {
    Check("MirrorPad", [&] {
      return OutputList{
          Make("MirrorPad", {X({2, 3}), Ints({2, 2}, {1, 0, 2, 1})}, {{"mode", mode}})};
    });
  }
}

TEST_F(ArrayGradients, OfTurningAndBlocks) {
  Check("ReverseV2", [&] { return OutputList{Make("ReverseV2", {X({2, 3}), Ints({1})})}; });
  Check("Reverse", [&] {
    const Tensor turned = Tensor::Of<bool>(Dims{2}, std::array<bool, 2>{false, true});
    return OutputList{Make("Reverse", {X({2, 3}), Given(turned)})};
  });
  Check("ReverseSequence", [&] {
    return OutputList{Make("ReverseSequence", {X({2, 3}), Given(Tensor::Vector<int64_t>({3, 1}))},
                           {{"batch_dim", 0}, {"seq_dim", 1}})};
  });
  Check("Roll", [&] { return OutputList{Make("Roll", {X({2, 3}), Ints({1, 2}), Ints({0, 1})})}; });
  Check("SpaceToBatchND", [&] {
    return OutputList{Make("SpaceToBatchND", {X({2, 3, 2}), Ints({2}), Ints({1, 2}, {0, 1})})};
  });
  Check("BatchToSpaceND", [&] {
    return OutputList{Make("BatchToSpaceND", {X({4, 2, 2}), Ints({2}), Ints({1, 2}, {1, 0})})};
  });
  Check("SpaceToBatch", [&] {
    return OutputList{
        Make("SpaceToBatch", {X({1, 2, 3, 1}), Ints({2, 2}, {0, 0, 1, 0})}, {{"block_size", 2}})};
  });
  Check("BatchToSpace", [&] {
    return OutputList{
        Make("BatchToSpace", {X({4, 1, 2, 1}), Ints({2, 2}, {0, 0, 1, 0})}, {{"block_size", 2}})};
  });
  Check("SpaceToDepth", [&] {
    return OutputList{Make("SpaceToDepth", {X({1, 2, 4, 2})}, {{"block_size", 2}})};
  });
  Check("DepthToSpace", [&] {
    return OutputList{Make("DepthToSpace", {X({1, 1, 2, 4})}, {{"block_size", 2}})};
  });
}

TEST_F(ArrayGradients, OfChoosingByIndex) {
  Check("a row", [&] { return OutputList{Make("GatherV2", {X({3, 2}), Int(1), 0})}; });
  Check("Gather", [&] { return OutputList{Make("Gather", {X({3, 2}), Ints({2, 0, 2})})}; });
  Check("GatherV2 along 1", [&] {
    return OutputList{Make("GatherV2", {X({2, 3, 2}), Ints({2, 2}, {2, 0, 2, 1}), Int(-2)})};
  });
  Check("GatherV2 in batches", [&] {
    return OutputList{
        Make("GatherV2", {X({2, 2, 3}), Ints({2, 2}, {2, 0, 2, 2}), Int(2)}, {{"batch_dims", 1}})};
  });
  Check("GatherNd", [&] {
    return OutputList{Make("GatherNd", {X({3, 2}), Ints({3, 2}, {2, 0, 1, 1, 2, 0})})};
  });
  Check("GatherNd of rows", [&] {
    return OutputList{Make("GatherNd", {X({3, 2}), Ints({2, 1}, {2, 2})})};
  });
  Check("TopKV2", [&] { return OutputList{All("TopKV2", {X({2, 3}), Int(2)})[0]}; });
  Check("TopK", [&] { return OutputList{All("TopK", {X({4})}, {{"k", 3}})[0]}; });
}

// What a loop reads of a captured tensor, a part an iteration, in one branch or always.
TEST_F(ArrayGradients, OfPartsThatALoopReads) {
  using Reader = std::function<Output(const Scope&, const Output& x, const Output& i)>;
  const auto bound = [](const Scope& s, const Output& i) {
    return Reshape(s, i, Const(s, std::vector<int32_t>{1}));
  };
  const std::vector<std::pair<const char*, Reader>> readers = {
      {"GatherV2",
       [](const Scope& s, const Output& x, const Output& i) { return ElementAt(s, x, i); }},
      {"StridedSlice",
       [&](const Scope& s, const Output& x, const Output& i) {
         return Output(Op(s, "StridedSlice",
                          {x, bound(s, i), bound(s, i + 1), Const(s, std::vector<int32_t>{1})},
                          {{"shrink_axis_mask", 1}}));
       }},
      {"Slice",
       [](const Scope& s, const Output& x, const Output& i) {
         const Output part =
             Slice(s, x, Pack(s, {i, Const(s, 0)}), Const(s, std::vector<int32_t>{1, 2}));
         return Reshape(s, part, Const(s, std::vector<int32_t>{2}));
       }},
  };
  for (const auto& [what, reader] : readers) {
    Check(what, [&, &read = reader] {
      const Output x = X({4, 2}), z = X({2});
      return OutputList{WhileLoop(
          scope_, {Const(scope_, 0), z},
          [](const Scope& s, const OutputList& v) { return Less(s, v[0], 5); },
          [&](const Scope& s, const OutputList& v) -> OutputList {
            const Output row = read(s, x, v[0] % 4);
            const Output next = Cond(
                s, Less(s, v[0], 3),
                [&](const Scope& then) { return Mul(then, row, read(then, x, v[0])); },
                [&](const Scope& other) { return Add(other, row, v[1]); });
            return {v[0] + 1, Mul(s, next, v[1])};
          },
          {.shape_invariants = {PartialShape::Scalar(), PartialShape()}})[1]};
    });
  }
}

TEST_F(ArrayGradients, OfScatters) {
  const auto rows = [&] { return Ints({3, 1}, {2, 0, 2}); };
  Check("ScatterNd", [&] {
    return OutputList{Make("ScatterNd", {rows(), X({3, 2}), Ints({4, 2})})};
  });
  for (const char* op : {"TensorScatterAdd", "TensorScatterSub", "TensorScatterUpdate",
                         "TensorScatterMax", "TensorScatterMin", "ScatterNdNonAliasingAdd"}) {
    Check(op, [&] { return OutputList{Make(op, {X({3, 2}), rows(), X({3, 2})})}; });
  }
  Check("TensorScatterUpdate of elements", [&] {
    return OutputList{
        Make("TensorScatterUpdate", {X({2, 2}), Ints({3, 2}, {0, 1, 1, 1, 0, 1}), X({3})})};
  });
  for (const char* op : {"InplaceAdd", "InplaceSub", "InplaceUpdate"}) {
    Check(op, [&] { return OutputList{Make(op, {X({3, 2}), Ints({-1, 4, 2}), X({3, 2})})}; });
  }
}

TEST_F(ArrayGradients, OfSharingOut) {
  Check("DynamicPartition", [&] {
    return All("DynamicPartition", {X({4, 2}), Ints({1, 0, 1, 1})}, {{"num_partitions", 3}});
  });
  for (const char* op : {"DynamicStitch", "ParallelDynamicStitch"}) {
    Check(op, [&] {
      return OutputList{Make(op, {{Ints({0, 2}), Ints({1})}, {X({2, 2}), X({1, 2})}})};
    });
  }
  Check("DynamicStitch, overwritten", [&] {
    return OutputList{Make("DynamicStitch", {{Ints({0, 1}), Ints({1, 1, 2})}, {X({2}), X({3})}})};
  });
  Check("ListDiff", [&] {
    return OutputList{All("ListDiff", {X({3}), Const(scope_, std::vector<double>{7})})[0]};
  });
  Check("OneHot", [&] {
    return OutputList{Make("OneHot", {Ints({1, 5, 0}), Int(2), X({}), X({})}, {{"axis", 0}})};
  });
  Check("LinSpace", [&] { return OutputList{Make("LinSpace", {X({}), X({}), Int(4)})}; });
}

TEST_F(ArrayGradients, OfOptionals) {
  Check("OptionalGetValue", [&] {
    const Output x = X({2});
    const Output optional = Make("OptionalFromValue", {{x, Int(3), x}});
    AttrList types, shapes;
    for (const DType dtype : {DType::kDouble, DType::kInt32, DType::kDouble}) {
      types.types.push_back({.dtype = dtype});
      shapes.shapes.push_back(PartialShape());
    }
    const OutputList values =
        All("OptionalGetValue", {optional}, {{"output_types", types}, {"output_shapes", shapes}});
    return OutputList{values[0], values[2]};
  });
}

TEST_F(ArrayGradients, StopWhereTheyAreToldTo) {
  const Output x = X({});
  const auto gradient = Gradients(scope_, {StopGradient(scope_, x)}, {x});
  ASSERT_TRUE(gradient.ok()) << gradient.status().ToString();
  EXPECT_FALSE((*gradient)[0].valid());
  const Output prevented = Make("PreventGradient", {x}, {{"message", "not here"}});
  const Status status = Gradients(scope_, {prevented}, {x}).status();
  EXPECT_EQ(status.code(), Code::kInvalidArgument);
  EXPECT_NE(status.message().find("not here"), std::string::npos) << status.ToString();
}

}  // namespace
}  // namespace tagflow::fuzz
