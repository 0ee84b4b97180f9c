// Variables, stacks and tensor arrays: what survives a write, what is refused, what is logged.
// Tests: stack_kernels.cc, tensor_array.cc, tensor_array_kernels.cc, variable_access.cc,
//        variable_kernels.cc

#include <gtest/gtest.h>

#include <algorithm>

#include "reference/kernels/op_runner.h"

namespace tagflow::reference {
namespace {

// Speaks of one resource variable, one reference variable, one array and one stack at a time.
class ResourceKernels : public ::testing::Test {
 protected:
  Tensor Handle(const std::string& name) {
    return runner_
        .Run("VarHandleOp", {},
             {{"dtype", DType::kInt32}, {"shape", PartialShape()}, {"shared_name", name}})
        ->tensors[0];
  }
  std::string Read(const std::string& name, DType dtype = DType::kInt32) {
    return runner_.Text("ReadVariableOp", {Handle(name)}, {{"dtype", dtype}});
  }
  std::string Assign(const std::string& name, Tensor value, bool validate_shape = false) {
    return runner_.Text("AssignVariableOp", {Handle(name), std::move(value)},
                        {{"validate_shape", validate_shape}});
  }
  std::shared_ptr<Variable> Reference(const std::string& name) {
    return runner_
        .Run("VariableV2", {},
             {{"dtype", DType::kInt32}, {"shape", PartialShape(Dims{2})}, {"shared_name", name}})
        ->variables[0];
  }

  Tensor NewArray(int size, AttrMap attrs = {}, DType dtype = DType::kInt32) {
    attrs.emplace_back("dtype", dtype);
    return runner_.Run("TensorArrayV3", {Int(size)}, std::move(attrs))->tensors[0];
  }
  Tensor GradientOf(const Tensor& array) {
    return runner_.Run("TensorArrayGradV3", {array, Float(0)}, {{"source", "g"}})->tensors[0];
  }
  std::string WriteTo(const Tensor& array, int index, const Tensor& value) {
    return runner_.Text("TensorArrayWriteV3", {array, Int(index), value, Float(0)});
  }
  std::string ReadFrom(const Tensor& array, int index, DType dtype = DType::kInt32) {
    return runner_.Text("TensorArrayReadV3", {array, Int(index), Float(0)}, {{"dtype", dtype}});
  }
  std::string SizeOf(const Tensor& array) {
    return runner_.Text("TensorArraySizeV3", {array, Float(0)});
  }
  std::string Gather(const Tensor& array, const std::vector<int32_t>& indices,
                     PartialShape shape = PartialShape()) {
    return runner_.Text("TensorArrayGatherV3", {array, Ints(indices), Float(0)},
                        {{"dtype", DType::kInt32}, {"element_shape", std::move(shape)}});
  }
  std::string Scatter(const Tensor& array, const std::vector<int32_t>& indices,
                      const Tensor& value) {
    return runner_.Text("TensorArrayScatterV3", {array, Ints(indices), value, Float(0)});
  }
  std::string Split(const Tensor& array, const Tensor& value, std::vector<int64_t> lengths) {
    return runner_.Text("TensorArraySplitV3", {array, value, Tensor::Vector(lengths), Float(0)});
  }
  std::string Concat(const Tensor& array) {
    return runner_.Text("TensorArrayConcatV3", {array, Float(0)}, {{"dtype", DType::kInt32}});
  }

  Tensor NewStack(int max_size) {
    return runner_.Run("StackV2", {Int(max_size)}, {{"elem_type", DType::kInt32}})->tensors[0];
  }
  std::string Push(const Tensor& stack, const Tensor& value) {
    return runner_.Text("StackPushV2", {stack, value});
  }
  std::string Pop(const Tensor& stack, DType dtype = DType::kInt32) {
    return runner_.Text("StackPopV2", {stack}, {{"elem_type", dtype}});
  }

  static constexpr char kFlow[] = "float[] 0";
  OpRunner runner_;
};

bool Contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

bool Conflict(const AccessLog& first, const AccessLog& second) {
  return std::ranges::any_of(first, [&](const Access& a) {
    return std::ranges::any_of(second, [&](const Access& b) {
      return a.element == b.element && (a.is_write || b.is_write);
    });
  });
}

TEST_F(ResourceKernels, VariableIsSharedByName) {
  EXPECT_TRUE(Contains(Read("v"), "FAILED_PRECONDITION: Could not find variable v."));
  EXPECT_EQ(Assign("v", Ints({1, 2})), "");
  EXPECT_EQ(Read("v"), "int32[2] [1, 2]");
  EXPECT_EQ(runner_.Text("AssignAddVariableOp", {Handle("v"), Ints({1, 1})}), "");
  EXPECT_EQ(Read("v"), "int32[2] [2, 3]");
  EXPECT_EQ(runner_.Text("VariableShape", {Handle("v")}), "int32[1] [2]");
  EXPECT_EQ(runner_.Text("VarIsInitializedOp", {Handle("w")}), "bool[] false");
}

TEST_F(ResourceKernels, ReadIsASnapshot) {
  EXPECT_EQ(Assign("v", Ints({1, 2})), "");
  const Tensor before =
      runner_.Run("ReadVariableOp", {Handle("v")}, {{"dtype", DType::kInt32}})->tensors[0];
  EXPECT_EQ(runner_.Text("AssignSubVariableOp", {Handle("v"), Ints({1, 1})}), "");
  EXPECT_EQ(before.DebugString(), "int32[2] [1, 2]");
}

TEST_F(ResourceKernels, VariableRefusesWrongUse) {
  EXPECT_TRUE(Contains(runner_.Text("AssignAddVariableOp", {Handle("v"), Int(1)}), "NOT_FOUND"));
  EXPECT_EQ(Assign("v", Ints({1, 2})), "");
  EXPECT_EQ(Read("v", DType::kFloat),
            "INVALID_ARGUMENT: Trying to read variable with wrong dtype. Expected float got int32");
  EXPECT_EQ(Assign("v", Float(1)),
            "INVALID_ARGUMENT: Trying to assign variable with wrong dtype. Expected int32 got "
            "float");
  EXPECT_EQ(Assign("v", Int(1), true),
            "INVALID_ARGUMENT: Trying to assign to variable with tensor with wrong shape. "
            "Expected [2] got []");
  EXPECT_EQ(runner_.Text("AssignAddVariableOp", {Handle("v"), Int(1)}),
            "INVALID_ARGUMENT: Cannot update variable with shape [2] using a Tensor with shape "
            "[], shapes must be equal.");
}

TEST_F(ResourceKernels, DestroyedVariableIsGone) {
  EXPECT_EQ(runner_.Text("DestroyResourceOp", {Handle("v")}), "");
  EXPECT_TRUE(
      Contains(runner_.Text("DestroyResourceOp", {Handle("v")}, {{"ignore_lookup_error", false}}),
               "NOT_FOUND"));
  EXPECT_EQ(Assign("v", Int(1)), "");
  EXPECT_EQ(runner_.Text("DestroyResourceOp", {Handle("v")}), "");
  EXPECT_TRUE(Contains(Read("v"), "FAILED_PRECONDITION"));
  EXPECT_EQ(Assign("v", Float(1)), "");
}

TEST_F(ResourceKernels, ReferenceVariableKeepsItsShape) {
  auto v = Reference("v");
  EXPECT_EQ(runner_.Text("IsVariableInitialized", {v}), "bool[] false");
  EXPECT_EQ(runner_.Text("AssignAdd", {v, Ints({1, 2})}),
            "FAILED_PRECONDITION: Attempting to use uninitialized value v");
  EXPECT_EQ(runner_.Text("Assign", {v, Ints({1, 2, 3})}),
            "INVALID_ARGUMENT: Assign requires shapes of both tensors to match. lhs shape= [2] "
            "rhs shape= [3]");
  EXPECT_EQ(runner_.Text("Assign", {v, Ints({1, 2, 3})}, {{"validate_shape", false}}),
            "ref int32[3] [1, 2, 3]");
  EXPECT_EQ(runner_.Text("AssignSub", {Reference("v"), Ints({1, 1, 1})}), "ref int32[3] [0, 1, 2]");
  EXPECT_EQ(runner_.Text("AssignSub", {v, Int(1)}),
            "INVALID_ARGUMENT: Parameters and update must be the same size");
}

TEST_F(ResourceKernels, ReferenceAndResourceVariablesDoNotMeet) {
  EXPECT_EQ(Assign("v", Ints({1, 2})), "");
  EXPECT_FALSE(Reference("v")->value.has_value());
}

TEST_F(ResourceKernels, CountUpToStopsAtItsLimit) {
  auto v = Reference("v");
  v->value = Int(1);
  EXPECT_EQ(runner_.Text("CountUpTo", {v}, {{"limit", 2}}), "int32[] 1");
  EXPECT_EQ(v->value.DebugString(), "int32[] 2");
  EXPECT_EQ(runner_.Text("CountUpTo", {v}, {{"limit", 2}}), "OUT_OF_RANGE: Reached limit of 2");
}

TEST_F(ResourceKernels, ScatterChangesRows) {
  auto v = Reference("v");
  v->value = Ints(Dims{2, 2}, {1, 2, 3, 4});
  EXPECT_EQ(runner_.Text("ScatterAdd", {v, Ints({1, 1}), Ints(Dims{2, 2}, {1, 1, 10, 10})}),
            "ref int32[2,2] [[1, 2], [14, 15]]");
  EXPECT_EQ(runner_.Text("ScatterSub", {v, Int(0), Int(1)}), "ref int32[2,2] [[0, 1], [14, 15]]");
  EXPECT_EQ(runner_.Text("ScatterUpdate", {v, Ints({1}), Ints(Dims{1, 2}, {8, 9})}),
            "ref int32[2,2] [[0, 1], [8, 9]]");
  EXPECT_EQ(runner_.Text("ScatterUpdate", {v, Ints({2}), Int(0)}),
            "INVALID_ARGUMENT: indices[0] = 2 is not in [0, 2)");
  EXPECT_TRUE(Contains(runner_.Text("ScatterAdd", {v, Ints({1}), Ints({1})}),
                       "INVALID_ARGUMENT: Must have updates.shape = indices.shape + "));
}

TEST_F(ResourceKernels, RefSelectPicksOne) {
  auto a = Reference("a");
  auto b = Reference("b");
  EXPECT_EQ(runner_.Run("RefSelect", {Int(1), a, b})->variables[0], b);
  EXPECT_EQ(runner_.Text("RefSelect", {Int(2), a, b}),
            "INVALID_ARGUMENT: Index must be in the range [0, 2) but got 2");
}

TEST_F(ResourceKernels, VariableAccessesAreLogged) {
  EXPECT_EQ(Assign("v", Int(1)), "");
  ASSERT_EQ(runner_.accesses.size(), 1u);
  EXPECT_TRUE(runner_.accesses[0].is_write);
  const Resource* object = runner_.accesses[0].object;
  EXPECT_EQ(Read("v"), "int32[] 1");
  ASSERT_EQ(runner_.accesses.size(), 1u);
  EXPECT_FALSE(runner_.accesses[0].is_write);
  EXPECT_EQ(runner_.accesses[0].object, object);
}

TEST_F(ResourceKernels, ArrayElementIsWrittenOnceAndReadOnce) {
  const Tensor array = NewArray(3);
  EXPECT_EQ(WriteTo(array, 1, Int(7)), kFlow);
  EXPECT_TRUE(Contains(WriteTo(array, 1, Int(8)), "because it has already been written to."));
  EXPECT_EQ(ReadFrom(array, 1), "int32[] 7");
  EXPECT_TRUE(Contains(ReadFrom(array, 1),
                       "Could not read index 1 twice because it was cleared after a previous read "
                       "(perhaps try setting clear_after_read = false?)."));
  EXPECT_TRUE(Contains(WriteTo(array, 1, Int(8)), "because it has already been read."));
  EXPECT_TRUE(Contains(WriteTo(array, 5, Int(8)),
                       "Tried to write to index 5 but array is not resizeable and size is: 3"));
  EXPECT_EQ(ReadFrom(array, 3),
            "INVALID_ARGUMENT: Tried to read from index 3 but array size is: 3");
  EXPECT_TRUE(Contains(ReadFrom(array, 0), "Could not read from TensorArray index 0."));
  EXPECT_TRUE(Contains(WriteTo(array, 0, Float(1)), "trying to write dtype float"));
}

TEST_F(ResourceKernels, UnwrittenElementOfKnownShapeIsZero) {
  const Tensor array = NewArray(2, {{"element_shape", PartialShape(Dims{2})}});
  EXPECT_EQ(ReadFrom(array, 0), "int32[2] [0, 0]");
  EXPECT_TRUE(Contains(WriteTo(array, 1, Int(1)), "(consider setting infer_shape=False)"));
}

TEST_F(ResourceKernels, ArrayGrowsWhenItMay) {
  const Tensor array = NewArray(0, {{"dynamic_size", true}, {"clear_after_read", false}});
  EXPECT_EQ(WriteTo(array, 2, Int(7)), kFlow);
  EXPECT_EQ(SizeOf(array), "int32[] 3");
  EXPECT_EQ(ReadFrom(array, 2), "int32[] 7");
  EXPECT_EQ(ReadFrom(array, 2), "int32[] 7");
  GradientOf(array);
  EXPECT_TRUE(Contains(WriteTo(array, 3, Int(1)), "is not resizeable and size is: 3"));
}

TEST_F(ResourceKernels, IdenticalShapesAreLearnt) {
  const Tensor array = NewArray(3, {{"identical_element_shapes", true}});
  EXPECT_EQ(WriteTo(array, 0, Ints({1, 2})), kFlow);
  EXPECT_TRUE(Contains(WriteTo(array, 1, Int(1)), "inferred element shape: [2]"));
}

TEST_F(ResourceKernels, ArrayGathersAndScatters) {
  const Tensor array = NewArray(2);
  EXPECT_EQ(Scatter(array, {1, 0}, Ints(Dims{2, 2}, {1, 2, 3, 4})), kFlow);
  EXPECT_EQ(Gather(array, {0, 1}), "int32[2,2] [[3, 4], [1, 2]]");
  EXPECT_EQ(Gather(array, {}, PartialShape(Dims{2})), "int32[0,2] []");
  EXPECT_TRUE(Contains(Gather(array, {}), "UNIMPLEMENTED: TensorArray has size zero"));
  EXPECT_EQ(Scatter(array, {2}, Ints({1})),
            "INVALID_ARGUMENT: Max scatter index must be < array size (2 vs. 2)");
  EXPECT_EQ(Scatter(array, {0}, Ints({1, 2})),
            "INVALID_ARGUMENT: Expected len(indices) == values.shape[0], but saw: 1 vs. 2");
}

TEST_F(ResourceKernels, ArraySplitsAndConcatenates) {
  const Tensor array = NewArray(2);
  EXPECT_EQ(Split(array, Ints({1, 2, 3}), {1, 2}), kFlow);
  EXPECT_EQ(Concat(GradientOf(array)), "int32[3] [0, 0, 0]; int64[2] [1, 2]");
  EXPECT_EQ(Concat(array), "int32[3] [1, 2, 3]; int64[2] [1, 2]");
  EXPECT_TRUE(Contains(Split(array, Ints({1, 2}), {-1, 3}), "INVALID_ARGUMENT: Expected lengths"));
  EXPECT_TRUE(Contains(Split(array, Ints({1, 2, 3}), {1, 1}), "sum of lengths is 2"));
  EXPECT_TRUE(Contains(Split(array, Ints({1, 2, 3}), {3}), "(2 vs. 1)"));
  // TensorFlow ends the process on this one.
  EXPECT_TRUE(Contains(Concat(GradientOf(NewArray(2))), "INVALID_ARGUMENT"));
}

TEST_F(ResourceKernels, GradientArrayAddsUp) {
  const Tensor array = NewArray(2);
  EXPECT_EQ(WriteTo(array, 0, Ints({1, 2})), kFlow);
  EXPECT_EQ(WriteTo(array, 1, Int(1)), kFlow);
  const Tensor gradient = GradientOf(array);
  EXPECT_EQ(WriteTo(gradient, 0, Ints({3, 4})), kFlow);
  EXPECT_EQ(WriteTo(GradientOf(array), 0, Ints({10, 10})), kFlow);
  EXPECT_EQ(ReadFrom(GradientOf(array), 0), "int32[2] [13, 14]");
  EXPECT_EQ(ReadFrom(gradient, 1), "int32[] 0");
  EXPECT_TRUE(Contains(WriteTo(GradientOf(NewArray(1)), 1, Int(1)), "not resizeable"));
  EXPECT_TRUE(Contains(runner_.Text("TensorArrayGradV3", {gradient, Float(0)}, {{"source", "h"}}),
                       "INVALID_ARGUMENT"));
}

TEST_F(ResourceKernels, GradientArrayWithDimensionsBefore) {
  const Tensor array = NewArray(1);
  EXPECT_EQ(WriteTo(array, 0, Ints({1, 2})), kFlow);
  const Tensor gradient =
      runner_.Run("TensorArrayGradWithShape", {array, Float(0), Ints({2})}, {{"source", "g"}})
          ->tensors[0];
  EXPECT_EQ(ReadFrom(gradient, 0), "int32[2,2] [[0, 0], [0, 0]]");
}

TEST_F(ResourceKernels, ClosedArrayIsOfNoUse) {
  const Tensor array = NewArray(1);
  EXPECT_EQ(runner_.Text("TensorArrayCloseV3", {array}), "");
  EXPECT_TRUE(Contains(SizeOf(array), "has already been closed."));
}

TEST_F(ResourceKernels, ArrayDiesWithItsStep) {
  const Tensor array = NewArray(1);
  runner_.resources.EndStep();
  EXPECT_TRUE(Contains(SizeOf(array), "has already been closed."));
}

TEST_F(ResourceKernels, WritesToDifferentIndicesDoNotConflict) {
  const Tensor array = NewArray(2);
  WriteTo(array, 0, Int(1));
  const AccessLog first = runner_.accesses;
  WriteTo(array, 1, Int(1));
  EXPECT_FALSE(Conflict(first, runner_.accesses));
}

TEST_F(ResourceKernels, WritesThatFixTheElementShapeConflict) {
  const Tensor array = NewArray(2, {{"identical_element_shapes", true}});
  WriteTo(array, 0, Int(1));
  const AccessLog first = runner_.accesses;
  WriteTo(array, 1, Int(1));
  EXPECT_TRUE(Conflict(first, runner_.accesses));
}

// A Gather may say what shape elements have, where that is open: others may fail for it.
TEST_F(ResourceKernels, AGatherThatNarrowsTheElementShapeConflicts) {
  for (const bool is_open : {true, false}) {
    const PartialShape declared = is_open ? PartialShape() : PartialShape(Dims{1});
    const Tensor array = NewArray(2, {{"element_shape", declared}});
    WriteTo(array, 0, Ints({1}));
    Gather(array, {0}, PartialShape(Dims{1}));
    const AccessLog gather = runner_.accesses;
    WriteTo(array, 1, Ints({1}));
    EXPECT_EQ(Conflict(gather, runner_.accesses), is_open);
  }
}

// The read of what a Gather filled with zeros would fail before it: the array had no shape for
// them.
TEST_F(ResourceKernels, AReadOfZerosOfANarrowedShapeConflictsWithWhatNarrowedIt) {
  for (const bool is_open : {true, false}) {
    const PartialShape declared = is_open ? PartialShape() : PartialShape(Dims{1});
    const Tensor array = NewArray(2, {{"element_shape", declared}, {"clear_after_read", false}});
    Gather(array, {0, 1}, PartialShape(Dims{1}));
    const AccessLog gather = runner_.accesses;
    EXPECT_EQ(ReadFrom(array, 0), "int32[1] [0]");
    EXPECT_EQ(Conflict(gather, runner_.accesses), is_open);
  }
}

TEST_F(ResourceKernels, StackIsLastInFirstOut) {
  const Tensor stack = NewStack(-1);
  EXPECT_EQ(Push(stack, Int(1)), "int32[] 1");
  EXPECT_EQ(Push(stack, Ints({2})), "int32[1] [2]");
  EXPECT_EQ(Pop(stack), "int32[1] [2]");
  EXPECT_EQ(Pop(stack), "int32[] 1");
  EXPECT_EQ(Pop(stack), "INVALID_ARGUMENT: Stack[node] is empty when calling Pop().");
}

TEST_F(ResourceKernels, StackRefusesWrongUse) {
  const Tensor stack = NewStack(1);
  EXPECT_TRUE(Contains(Push(stack, Float(1)), "Must have type int32 but got float"));
  EXPECT_EQ(Push(stack, Int(1)), "int32[] 1");
  EXPECT_EQ(Push(stack, Int(2)), "INVALID_ARGUMENT: Stack[node] overflowed its max_size (1)");
  EXPECT_TRUE(Contains(Pop(stack, DType::kFloat), "elem_type of the pop is float"));
  EXPECT_EQ(runner_.Text("StackCloseV2", {stack}), "");
  EXPECT_EQ(Pop(stack), "INVALID_ARGUMENT: Stack[node] has already been closed.");
  EXPECT_TRUE(Contains(SizeOf(stack), "not a TensorArray"));
  EXPECT_TRUE(Contains(Push(NewArray(1), Int(1)), "not a stack"));
}

TEST_F(ResourceKernels, StackMayHoldItsOwnHandle) {
  Tensor stack = runner_.Run("StackV2", {Int(-1)}, {{"elem_type", DType::kResource}})->tensors[0];
  ASSERT_TRUE(runner_.Run("StackPushV2", {stack, stack}).ok());
  stack = Tensor();
  runner_.resources.EndStep();  // leaks, or frees twice, if the ring is not cut
}

}  // namespace
}  // namespace tagflow::reference
