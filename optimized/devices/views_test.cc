#include "optimized/devices/views.h"

#include <gtest/gtest.h>

#include <utility>

#include "graph/tensor_list.h"
#include "optimized/devices/sim/sim_memory.h"

namespace tagflow::optimized {
namespace {

class ViewsTest : public testing::Test {
 protected:
  Tensor There(const std::vector<float>& values) {
    return *DeviceCopyOf(Tensor::Vector(values), *memory_);
  }
  std::unique_ptr<SimMemory> memory_ = *SimMemory::Create(0, 0);
};

TEST_F(ViewsTest, WritingThroughAViewIsWritingToTheDevice) {
  const Tensor there = There({1, 2, 3});
  Tensor view = ViewOf(there, *memory_);
  EXPECT_EQ(view.DebugString(), "float[3] [1, 2, 3]");
  EXPECT_TRUE(view.unique());
  view.mutable_data<float>()[1] = 7;
  EXPECT_EQ(there.OnHost()->DebugString(), "float[3] [1, 7, 3]");
}

TEST_F(ViewsTest, AViewKeepsItsTensor) {
  Tensor there = There({1, 2});
  Tensor view = ViewOf(there, *memory_);
  there = Tensor();
  EXPECT_EQ(memory_->stats().bytes_resident, 64);
  EXPECT_EQ(view.DebugString(), "float[2] [1, 2]");
  view = Tensor();
  EXPECT_EQ(memory_->stats().bytes_resident, 0);
}

TEST_F(ViewsTest, NoElementsAreATensorToo) {
  const Tensor there = *DeviceCopyOf(*Tensor::Allocate(DType::kFloat, Dims{0, 3}), *memory_);
  EXPECT_EQ(ViewOf(there, *memory_).DebugString(), there.OnHost()->DebugString());
}

TEST_F(ViewsTest, ScalarsAreInNoMemory) {
  const Tensor scalar = *DeviceCopyOf(Tensor::Scalar(2.5f), *memory_);
  EXPECT_EQ(scalar.DebugString(), "float[] 2.5");
  EXPECT_EQ(memory_->stats().allocations, 0);
}

TEST_F(ViewsTest, TensorsInListsAreFoundAndReplaced) {
  TensorList inner(DType::kFloat);
  inner.Push(There({1}));
  inner.Push(Tensor::Scalar(2.0f));
  TensorList outer(DType::kVariant);
  outer.Push(TensorList::Wrap(std::move(inner)));
  const Tensor list = TensorList::Wrap(std::move(outer));

  int found = 0;
  VisitTensors(list, [&](const Tensor& tensor) {
    EXPECT_EQ(tensor.memory_kind(), MemoryKind::kDevice);
    ++found;
  });
  EXPECT_EQ(found, 1);

  const Result<Tensor> copied =
      WithTensors(list, [](const Tensor& tensor) { return tensor.OnHost(); });
  ASSERT_TRUE(copied.ok());
  const TensorList& copy = *TensorList::In(TensorList::In(*copied)->Get(0));
  EXPECT_EQ(copy.Get(0).DebugString(), "float[1] [1]");
  EXPECT_EQ(copy.Get(1).DebugString(), "float[] 2");
  // The list itself is as it was.
  EXPECT_EQ(TensorList::In(TensorList::In(list)->Get(0))->Get(0).memory_kind(),
            MemoryKind::kDevice);
}

TEST_F(ViewsTest, AnErrorOfAChangeIsTheWholes) {
  const Result<Tensor> changed = WithTensors(
      There({1}), [](const Tensor&) -> Result<Tensor> { return ResourceExhausted("full"); });
  EXPECT_EQ(changed.status().message(), "full");
}

}  // namespace
}  // namespace tagflow::optimized
