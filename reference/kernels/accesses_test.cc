// What kernels with effects tell the race detector ([race.1]).

#include <gtest/gtest.h>

#include <algorithm>

#include "reference/kernels/op_runner.h"

namespace tagflow::reference {
namespace {

// Of one resource variable and one array at a time.
class Accesses : public ::testing::Test {
 protected:
  Tensor Handle(const std::string& name) {
    return runner_
        .Run("VarHandleOp", {},
             {{"dtype", DType::kInt32}, {"shape", PartialShape()}, {"shared_name", name}})
        ->tensors[0];
  }
  std::string Read(const std::string& name) {
    return runner_.Text("ReadVariableOp", {Handle(name)}, {{"dtype", DType::kInt32}});
  }
  std::string Assign(const std::string& name, Tensor value) {
    return runner_.Text("AssignVariableOp", {Handle(name), std::move(value)});
  }
  Tensor NewArray(int size, AttrMap attrs = {}) {
    attrs.emplace_back("dtype", DType::kInt32);
    return runner_.Run("TensorArrayV3", {Int(size)}, std::move(attrs))->tensors[0];
  }
  std::string WriteTo(const Tensor& array, int index, const Tensor& value) {
    return runner_.Text("TensorArrayWriteV3", {array, Int(index), value, Float(0)});
  }
  std::string ReadFrom(const Tensor& array, int index) {
    return runner_.Text("TensorArrayReadV3", {array, Int(index), Float(0)},
                        {{"dtype", DType::kInt32}});
  }
  std::string Gather(const Tensor& array, const std::vector<int32_t>& indices, PartialShape shape) {
    return runner_.Text("TensorArrayGatherV3", {array, Ints(indices), Float(0)},
                        {{"dtype", DType::kInt32}, {"element_shape", std::move(shape)}});
  }

  OpRunner runner_;
};

bool Conflict(const AccessLog& first, const AccessLog& second) {
  return std::ranges::any_of(first, [&](const Access& a) {
    return std::ranges::any_of(second, [&](const Access& b) {
      return a.element == b.element && (a.is_write || b.is_write);
    });
  });
}

TEST_F(Accesses, VariableAccessesAreLogged) {
  EXPECT_EQ(Assign("v", Int(1)), "");
  ASSERT_EQ(runner_.accesses.size(), 1u);
  EXPECT_TRUE(runner_.accesses[0].is_write);
  const Resource* object = runner_.accesses[0].object;
  EXPECT_EQ(Read("v"), "int32[] 1");
  ASSERT_EQ(runner_.accesses.size(), 1u);
  EXPECT_FALSE(runner_.accesses[0].is_write);
  EXPECT_EQ(runner_.accesses[0].object, object);
}

TEST_F(Accesses, ASliceOfAVariableIsAWrite) {
  EXPECT_EQ(Assign("v", Ints({1, 2})), "");
  EXPECT_EQ(runner_.Text("ResourceStridedSliceAssign",
                         {Handle("v"), Ints({0}), Ints({1}), Ints({1}), Int(9)}),
            "");
  ASSERT_EQ(runner_.accesses.size(), 1u);
  EXPECT_TRUE(runner_.accesses[0].is_write);
  auto variable = std::make_shared<Variable>();
  variable->name = "v";
  variable->dtype = DType::kInt32;
  variable->value = Ints({1, 2});
  const std::vector<OpRunner::Input> inputs = {variable, Ints({0}), Ints({1}), Ints({1}), Int(9)};
  EXPECT_EQ(runner_.Text("StridedSliceAssign", inputs), "ref int32[2] [9, 2]");
  ASSERT_EQ(runner_.accesses.size(), 1u);
  EXPECT_TRUE(runner_.accesses[0].is_write);
}

TEST_F(Accesses, AStreamOfRandomNumbersIsWritten) {
  const AttrMap attrs = {{"dtype", DType::kFloat}, {"seed", 5}, {"seed2", 7}};
  EXPECT_EQ(runner_.Text("RandomUniform", {Ints({1})}, attrs), "float[1] [0.44746375]");
  ASSERT_EQ(runner_.accesses.size(), 1u);
  EXPECT_TRUE(runner_.accesses[0].is_write);
  EXPECT_EQ(runner_.accesses[0].name, "node");
}

TEST_F(Accesses, WritesToDifferentIndicesDoNotConflict) {
  const Tensor array = NewArray(2);
  WriteTo(array, 0, Int(1));
  const AccessLog first = runner_.accesses;
  WriteTo(array, 1, Int(1));
  EXPECT_FALSE(Conflict(first, runner_.accesses));
}

TEST_F(Accesses, WritesThatFixTheElementShapeConflict) {
  const Tensor array = NewArray(2, {{"identical_element_shapes", true}});
  WriteTo(array, 0, Int(1));
  const AccessLog first = runner_.accesses;
  WriteTo(array, 1, Int(1));
  EXPECT_TRUE(Conflict(first, runner_.accesses));
}

// A Gather may say what shape elements have, where that is open: others may fail for it.
TEST_F(Accesses, AGatherThatNarrowsTheElementShapeConflicts) {
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
TEST_F(Accesses, AReadOfZerosOfANarrowedShapeConflictsWithWhatNarrowedIt) {
  for (const bool is_open : {true, false}) {
    const PartialShape declared = is_open ? PartialShape() : PartialShape(Dims{1});
    const Tensor array = NewArray(2, {{"element_shape", declared}, {"clear_after_read", false}});
    Gather(array, {0, 1}, PartialShape(Dims{1}));
    const AccessLog gather = runner_.accesses;
    EXPECT_EQ(ReadFrom(array, 0), "int32[1] [0]");
    EXPECT_EQ(Conflict(gather, runner_.accesses), is_open);
  }
}

}  // namespace
}  // namespace tagflow::reference
