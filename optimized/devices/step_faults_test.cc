#include "optimized/devices/step_faults.h"

#include <gtest/gtest.h>

#include <string>

#include "optimized/devices/devices.h"
#include "optimized/devices/quick_device.h"

namespace tagflow::optimized {
namespace {

class StepFaultsTest : public testing::Test {
 protected:
  StepFaultsTest() {
    devices_ = *Devices::Create({"/device:QUICK:0"},
                                {std::make_shared<QuickKind>(QuickOptions{.in_order = true})});
    step_ = devices_->groups()[devices_->GroupOf(0)]->NewStep(0);
    faults_ = std::make_unique<StepFaults>(*step_->KernelStream(0), count_);
  }

  std::shared_ptr<const FaultPlace> Add(const std::string& name) {
    const auto place = faults_->Add(
        [name](int64_t index) { return InvalidArgument(name + " at " + std::to_string(index)); });
    EXPECT_TRUE(place.ok()) << place.status().ToString();
    return *place;
  }
  std::string First() { return std::string(faults_->First().message()); }

  std::unique_ptr<Devices> devices_;
  std::unique_ptr<DeviceStep> step_;
  StepFaults::Count count_ = 0;
  std::unique_ptr<StepFaults> faults_;
};

TEST_F(StepFaultsTest, NothingHasFailedWhereNothingIsNoted) {
  EXPECT_EQ(First(), "");
  Add("a");
  EXPECT_EQ(First(), "");
}

TEST_F(StepFaultsTest, TheFirstKernelsLeastIndexIsTold) {
  const auto a = Add("a"), b = Add("b"), c = Add("c");
  c->Note(0);
  b->Note(7);
  b->Note(3);
  b->Note(5);
  EXPECT_EQ(First(), "b at 3");
  a->Note(1);
  EXPECT_EQ(First(), "b at 3");  // what was told stays told
}

TEST_F(StepFaultsTest, KernelsAreCountedOverAllDevices) {
  StepFaults other(*step_->KernelStream(0), count_);
  const auto tell = [](int64_t) { return InvalidArgument("other"); };
  const auto a = *other.Add(tell), b = Add("b"), c = *other.Add(tell);
  EXPECT_EQ(faults_->number_of_first(), StepFaults::kNone);
  b->Note(0);
  c->Note(0);
  EXPECT_EQ(First(), "b at 0");
  EXPECT_FALSE(other.First().ok());
  EXPECT_EQ(faults_->number_of_first(), 1u);
  EXPECT_EQ(other.number_of_first(), 2u);
}

TEST_F(StepFaultsTest, KernelsAreToldApartAfterOthersWereAskedAfter) {
  Add("a");
  EXPECT_EQ(First(), "");
  Add("b");
  const auto c = Add("c");
  EXPECT_EQ(First(), "");  // c's is not enqueued yet
  const auto d = Add("d");
  c->Note(2);
  EXPECT_EQ(First(), "c at 2");
}

TEST_F(StepFaultsTest, AnIndexThatTheWordCannotHoldIsTheGreatestItCan) {
  Add("a")->Note(int64_t{1} << 50);
  EXPECT_EQ(First(), "a at " + std::to_string(FaultPlace::kIndexMax));
}

TEST_F(StepFaultsTest, ManyKernelsAreNotAllRemembered) {
  constexpr int kKernels = 10'000;
  for (int i = 0; i < kKernels; ++i) Add(std::to_string(i));
  Add("last")->Note(0);
  EXPECT_EQ(First(), "last at 0");
}

TEST_F(StepFaultsTest, AKernelThatCannotSayWhyIsAnErrorToo) {
  const auto place = faults_->Add([](int64_t) { return Status(); });
  (*place)->Note(0);
  EXPECT_EQ(faults_->First().code(), tagflow::Code::kInternal);
}

}  // namespace
}  // namespace tagflow::optimized
