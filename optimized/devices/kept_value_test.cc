#include "optimized/devices/kept_value.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "optimized/devices/quick_device.h"
#include "optimized/devices/sim/sim_memory.h"
#include "optimized/devices/views.h"

namespace tagflow::optimized {
namespace {

class KeptValueTest : public testing::Test {
 protected:
  Status Bring(HostScalars scalars = HostScalars::kStay) {
    return variable_.WithAnywhere(
        [&](Variable::Contents& contents) { return BringTo(stream_, contents, scalars); });
  }
  void Put(const Tensor& value) {
    variable_.WithAnywhere([&](Variable::Contents& contents) {
      contents = {value.dtype(), PartialShape(), value};
    });
  }

  std::unique_ptr<SimMemory> memory_ = *SimMemory::Create(0, 0);
  QuickStream stream_{*memory_};
  Variable variable_{"v"};
};

TEST_F(KeptValueTest, AValueIsBroughtOnceAndComesBackToTheHost) {
  Put(Tensor::Vector<float>({1, 2, 3}));
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(Bring().ok());
    EXPECT_TRUE(memory_->Holds(variable_.value()));
    EXPECT_EQ(memory_->stats().allocations, 1);
  }
  EXPECT_EQ(variable_.ValueOnHost()->DebugString(), "float[3] [1, 2, 3]");
  EXPECT_EQ(variable_.value().memory_kind(), MemoryKind::kHost);
  EXPECT_EQ(memory_->stats().bytes_resident, 0);
}

TEST_F(KeptValueTest, AScalarOfTheHostStaysUnlessItIsToMove) {
  Put(Tensor::Scalar<float>(7));
  ASSERT_TRUE(Bring().ok());
  EXPECT_TRUE(variable_.value().is_inline());
  ASSERT_TRUE(Bring(HostScalars::kMove).ok());
  EXPECT_TRUE(memory_->Holds(variable_.value()));
  EXPECT_EQ(variable_.value().rank(), 0);
  EXPECT_EQ(variable_.ValueOnHost()->DebugString(), "float[] 7");
}

TEST_F(KeptValueTest, AnotherDevicesValueComesByTheHost) {
  const std::unique_ptr<SimMemory> other = *SimMemory::Create(0, 0);
  Put(*DeviceCopyOf(Tensor::Vector<float>({4, 5}), *other));
  ASSERT_TRUE(Bring().ok());
  EXPECT_TRUE(memory_->Holds(variable_.value()));
  EXPECT_EQ(variable_.ValueOnHost()->DebugString(), "float[2] [4, 5]");
  EXPECT_EQ(other->stats().bytes_resident, 0);
}

TEST_F(KeptValueTest, WithoutRoomItStaysWhereItIs) {
  const std::unique_ptr<SimMemory> small = *SimMemory::Create(0, 64);
  QuickStream stream{*small};
  Put(*Tensor::Allocate(DType::kFloat, Dims{1000}));
  const Status status = variable_.WithAnywhere(
      [&](Variable::Contents& contents) { return BringTo(stream, contents); });
  EXPECT_EQ(status.code(), Code::kResourceExhausted);
  EXPECT_EQ(variable_.value().memory_kind(), MemoryKind::kHost);
}

}  // namespace
}  // namespace tagflow::optimized
