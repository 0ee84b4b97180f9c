// The GPU's training steps of rows, run on the host: every pass over all of its indices, against
// the reference. Both compute by the same operations and the same library, so they give the same
// bits.
// Tests: row_training_bodies.h

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "conformance/gpu/host_firing.h"
#include "conformance/gpu/training_calls.h"
#include "optimized/devices/gpu/kernels/index_dtypes.h"
#include "optimized/devices/gpu/kernels/row_training_bodies.h"

namespace tagflow::optimized {
namespace {

using conformance::Draws;
using conformance::Scalars;
using conformance::TrainingCall;

// What a kernel is given, and the memory that it works in.
struct RowTraining {
  RowTraining(const TrainingCall& call, Scalars where) : slots(CopiesOfSlots(call)) {
    args.training = ArgsOf(call, where, slots);
    args.knows_scalars = where == Scalars::kOnHost;
    args.links = LinksByIndex(slots[0].dim(0), call.rows);
    args.size = args.links.count == 0 ? 0 : args.training.count / args.links.count;
    room.resize(static_cast<size_t>(args.links.words()));
    args.links.Take(room.data());
    args.links.coordinates.names = call.rows.raw_data();
    args.training.fault = args.links.coordinates.fault = {&noted, 0};
  }
  RowTraining(const RowTraining&) = delete;
  RowTraining& operator=(const RowTraining&) = delete;

  std::vector<Tensor> slots;
  std::vector<int64_t> room;
  uint64_t noted = FaultPlace::kNone;
  RowTrainingArgs args = {};
};

// Scalars that are refused are so before a kernel is launched where the host has them.
template <typename Formula, typename C>
void Check(const TrainingCall& call, Scalars where) {
  RowTraining made(call, where);
  const Result<std::vector<Tensor>> wanted = ReferenceTrains(call);
  if (where == Scalars::kOnHost) {
    const char* const refusal = RefusalOnHost<Formula, C>(made.args.training);
    EXPECT_EQ(refusal == nullptr ? "" : refusal, std::string(wanted.status().message()));
    if (refusal != nullptr) return;
  }
  EXPECT_EQ((RowTrainingPasses<Formula, C>::RunAll(made.args, RunsPassOnHost())), 0);
  EXPECT_EQ(made.noted, wanted.ok() ? FaultPlace::kNone : 0);
  EXPECT_EQ(DifferenceOfSlots(call, wanted.ok() ? *wanted : CopiesOfSlots(call), made.slots), "");
}

// Rows of which many are the same, the last one twice among them.
template <typename I, typename C>
Tensor DrawRows(int64_t count, int64_t limit, Draws<C>& draws) {
  Tensor rows = *Tensor::Allocate(DTypeOf<I>::value, Dims{count});
  for (int64_t i = 0; i < count; ++i) {
    rows.mutable_data<I>()[i] = static_cast<I>(i < 2 ? limit - 1 : draws.Below(limit));
  }
  return rows;
}

struct ChecksRowTraining {
  template <typename Formula, typename C>
  void operator()(const std::string& name, DType) const {
    SCOPED_TRACE(name);
    Draws<C> draws;
    for (const Dims& dims : {Dims{1}, Dims{7}, Dims{5, 3}, Dims{2, 0}, Dims{41, 2, 3}}) {
      for (const int64_t count : {0, 1, 4, 50}) {
        Dims gradient = dims;
        gradient[0] = count;
        TrainingCall call =
            DrawCall("ResourceSparseApply" + name, Formula::kForm, dims, gradient, draws);
        call.rows = DrawRows<int32_t>(count, dims[0], draws);
        CheckCalls<Formula, C>(call);
        call.rows = DrawRows<int64_t>(count, dims[0], draws);
        CheckCalls<Formula, C>(call);
      }
    }
    ++*kernels;
  }
  template <typename Formula, typename C>
  static void CheckCalls(TrainingCall& call) {
    ForEachForm(call, [&call] {
      Check<Formula, C>(call, Scalars::kOnHost);
      Check<Formula, C>(call, Scalars::kInMemory);
    });
  }
  int* kernels;
};

TEST(HostRowTraining, GivesWhatTheReferenceGives) {
  int kernels = 0;
  ForEachRowTraining(ChecksRowTraining{&kernels});
  EXPECT_EQ(kernels, 2 * 12);
}

// As ResourceSparseApplyFtrl(var, accum, linear, grad, indices, lr, l1, l2, lr_power): the steps of
// rows refuse what those of whole variables do not.
TEST(HostRowTraining, RefusesMoreThanWholeVariablesDo) {
  using Ftrl = training::Ftrl<false>;
  TrainingArgs args = {};
  EXPECT_EQ((RefusalOnHost<Ftrl, float>(args)), nullptr);
  EXPECT_STREQ((RefusalOnHost<OfRows<Ftrl>, float>(args)), "lr must be positive");
  EXPECT_STREQ((RefusalOnHost<OfRows<training::ProximalAdagrad>, float>(args)),
               "lr must be positive");
}

class HostRowTrainingFaults : public testing::Test {
 protected:
  using Formula = OfRows<training::Momentum>;

  static TrainingCall CallOf(const std::vector<int32_t>& rows) {
    Draws<float> draws;
    TrainingCall call = DrawCall("ResourceSparseApplyMomentum", Formula::kForm, Dims{3, 2},
                                 Dims{static_cast<int64_t>(rows.size()), 2}, draws);
    call.rows = Tensor::Vector<int32_t>(rows);
    return call;
  }
  // What is noted; nothing is written.
  static uint64_t NotedOf(const TrainingCall& call, uint64_t before = FaultPlace::kNone) {
    RowTraining made(call, Scalars::kOnHost);
    made.noted = before;
    EXPECT_EQ((RowTrainingPasses<Formula, float>::RunAll(made.args, RunsPassOnHost())), 0);
    EXPECT_EQ(DifferenceOfSlots(call, CopiesOfSlots(call), made.slots), "");
    return made.noted;
  }
};

TEST_F(HostRowTrainingFaults, NoteTheFirstRowThatIsOutside) {
  EXPECT_EQ(NotedOf(CallOf({0, 3, -1})), 1u);
  EXPECT_EQ(NotedOf(CallOf({0, 1, 2, -1})), 3u);
  EXPECT_FALSE(ReferenceTrains(CallOf({0, 3, -1})).ok());
}

TEST_F(HostRowTrainingFaults, OfKernelsBeforeLetNothingBeWritten) {
  constexpr uint64_t kBefore = 7;
  EXPECT_EQ(NotedOf(CallOf({0, 1}), kBefore), kBefore);
}

}  // namespace
}  // namespace tagflow::optimized
