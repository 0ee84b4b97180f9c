// The GPU's training steps, run on the host: each body over all of its indices, against the
// reference. Both compute by the same operations and the same library, so they give the same bits.
// Tests: training_bodies.h

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "conformance/gpu/training_calls.h"
#include "optimized/devices/gpu/kernels/training_bodies.h"

namespace tagflow::optimized {
namespace {

using conformance::Draws;
using conformance::Scalars;
using conformance::TrainingCall;

template <typename Formula, typename C>
void Check(const TrainingCall& call, Scalars where) {
  std::vector<Tensor> slots = CopiesOfSlots(call);
  TrainingArgs args = ArgsOf(call, where, slots);
  uint64_t noted = FaultPlace::kNone;
  args.fault = {&noted, 0};
  OnHost(TrainingBody<Formula, C>(args), args.count);
  const Result<std::vector<Tensor>> wanted = ReferenceTrains(call);
  const char* const refusal = RefusalOnHost<Formula, C>(args);
  if (wanted.ok()) {
    EXPECT_EQ(noted, FaultPlace::kNone);
    EXPECT_EQ(refusal, nullptr);
    EXPECT_EQ(DifferenceOfSlots(call, *wanted, slots), "");
    return;
  }
  EXPECT_EQ(noted, args.count == 0 ? FaultPlace::kNone : 0);
  EXPECT_EQ(DifferenceOfSlots(call, CopiesOfSlots(call), slots), "");
  const std::string message(wanted.status().message());
  EXPECT_STREQ(refusal, where == Scalars::kOnHost ? message.c_str() : nullptr);
}

struct ChecksTraining {
  template <typename Formula, typename C>
  void operator()(const char* name, DType) const {
    SCOPED_TRACE(name);
    Draws<C> draws;
    for (const Dims& dims : {Dims{}, Dims{1}, Dims{7}, Dims{3, 5}, Dims{2, 0}, Dims{41, 2, 3}}) {
      constexpr int kRounds = 8;
      for (int round = 0; round < kRounds; ++round) CheckCalls<Formula, C>(name, dims, draws);
    }
    ++*kernels;
  }
  template <typename Formula, typename C>
  static void CheckCalls(const std::string& name, const Dims& dims, Draws<C>& draws) {
    TrainingCall call = DrawCall("ResourceApply" + name, Formula::kForm, dims, dims, draws);
    ForEachForm(call, [&call] {
      Check<Formula, C>(call, Scalars::kOnHost);
      Check<Formula, C>(call, Scalars::kInMemory);
    });
  }
  int* kernels;
};

TEST(HostTraining, GivesWhatTheReferenceGives) {
  int kernels = 0;
  ForEachTraining(ChecksTraining{&kernels});
  EXPECT_EQ(kernels, 2 * 18);
}

// As ResourceApplyProximalAdagrad(var, accum, lr, l1, l2, grad), whose lr is in memory.
TEST(HostTraining, NotesARefusedScalarThatTheHostDoesNotKnow) {
  float variable = 1, sum = 1;
  const float lr = 0, l2 = -1;
  uint64_t noted = FaultPlace::kNone;
  TrainingArgs args = {};
  args.slots[0] = &variable;
  args.slots[1] = &sum;
  args.scalars[2] = &lr;
  args.count = 1;
  args.fault = {&noted, 3};
  EXPECT_EQ((RefusalOnHost<training::ProximalAdagrad, float>(args)), nullptr);
  OnHost(TrainingBody<training::ProximalAdagrad, float>(args), args.count);
  EXPECT_EQ(noted, uint64_t{3} << FaultPlace::kIndexBits);
  EXPECT_EQ(variable, 1);
  EXPECT_EQ(sum, 1);
  std::memcpy(args.scalar_values[4], &l2, sizeof(l2));
  EXPECT_STREQ((RefusalOnHost<training::ProximalAdagrad, float>(args)),
               "l1 and l2 must not be negative");
}

}  // namespace
}  // namespace tagflow::optimized
