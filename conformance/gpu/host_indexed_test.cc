// What the GPU takes and leaves out by indices, run on the host: each body over all of its indices,
// against the reference.
// Tests: indexed_bodies.h, indexed_plan.cc

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "conformance/gpu/host_bodies.h"
#include "conformance/gpu/host_firing.h"
#include "optimized/devices/gpu/kernels/indexed_plan.h"
#include "optimized/devices/gpu/kernels/move_bodies.h"

namespace tagflow::optimized {
namespace {

template <template <typename> typename Body, typename Args>
struct Runs {
  template <typename Bits>
  bool operator()() const {
    OnHost(Body<Bits>(args), args.count());
    return true;
  }
  const Args& args;
};
template <template <typename, typename> typename Body, typename Args>
struct RunsIndexed {
  template <typename Bits>
  bool operator()() const {
    if (are_wide) {
      OnHost(Body<Bits, int64_t>(args), args.count());
    } else {
      OnHost(Body<Bits, int32_t>(args), args.count());
    }
    return true;
  }
  bool are_wide;
  const Args& args;
};

Tensor Ints(const std::vector<int32_t>& values) { return Tensor::Vector(values); }
Tensor Int(int32_t value) { return Tensor::Scalar(value); }

// ---- GatherNd ----

struct Taken {
  Tensor out;
  uint64_t noted = FaultPlace::kNone;
};

Result<Taken> Take(const std::vector<Tensor>& inputs, bool passes_over = false) {
  TAGFLOW_ASSIGN_OR_RETURN(auto plan, PlanOfGatherNd(inputs[0].dims(), inputs[1], passes_over));
  Taken taken = {*Tensor::Allocate(inputs[0].dtype(), plan.output)};
  GatherNdArgs& args = plan.args;
  args.from = inputs[0].raw_data();
  args.to = taken.out.mutable_raw_data();
  args.coordinates.names = inputs[1].raw_data();
  args.coordinates.fault = {&taken.noted, 0};
  const RunsIndexed<GatherNdBody, GatherNdArgs> run = {args.coordinates.are_wide, args};
  EXPECT_TRUE(ForElementSize(DTypeSize(inputs[0].dtype()), run, false));
  return taken;
}

void ExpectTaken(const std::vector<Tensor>& inputs, bool passes_over = false) {
  const Result<Taken> taken = Take(inputs, passes_over);
  ASSERT_TRUE(taken.ok()) << taken.status().ToString();
  EXPECT_EQ(taken->noted, FaultPlace::kNone);
  AttrMap attrs;
  if (passes_over) attrs = {{"bad_indices_policy", std::string("IGNORE")}};
  EXPECT_EQ(DifferenceFromReference("GatherNd", inputs, attrs, taken->out), "");
}

TEST(HostGatherNd, GivesWhatTheReferenceGives) {
  const Tensor cube = Counted<double>({2, 3, 4});
  ExpectTaken({cube, Ints({1, 2, 0, 0, 1, 1}).Reshaped(Dims{3, 2})});
  ExpectTaken({cube, Ints({1, 2, 3, 0, 0, 0}).Reshaped(Dims{1, 2, 3})});
  ExpectTaken({cube, Tensor::Vector<int64_t>({1, 0}).Reshaped(Dims{2, 1})});
  ExpectTaken({cube, *Tensor::Allocate(DType::kInt32, Dims{2, 0})});
  ExpectTaken({Counted<bool>({5}), Ints({4, 0, 3}).Reshaped(Dims{3, 1})});
  ExpectTaken({Counted<int16_t>({5, 0}), *Tensor::Allocate(DType::kInt32, Dims{0, 1})});
  ExpectTaken({Counted<float>({3}), Ints({3, 0, -1}).Reshaped(Dims{3, 1})}, true);
}

TEST(HostGatherNd, NotesTheFirstNameOutside) {
  const auto noted = [](const std::vector<int32_t>& at) {
    return Take({Counted<float>({2, 3}), Ints(at).Reshaped(Dims{3, 2})})->noted;
  };
  EXPECT_EQ(noted({1, 2, 0, 3, 2, 0}), 1u);
  EXPECT_EQ(noted({0, 0, 1, 1, 1, -1}), 2u);
}

TEST(HostGatherNd, RefusesShapesThatDoNotFit) {
  const Tensor deep = *Tensor::Allocate(DType::kInt32, Dims{1, 3});
  EXPECT_EQ(Take({Counted<float>({2, 3}), deep}).status().code(), tagflow::Code::kInvalidArgument);
  const Dims many(Coordinates::kDepthMax + 1, 1);
  const Tensor deeper = *Tensor::Allocate(DType::kInt32, Dims{1, Coordinates::kDepthMax + 1});
  EXPECT_EQ(Take({Counted<float>(many), deeper}).status().code(), tagflow::Code::kUnimplemented);
}

// ---- OneHot ----

void ExpectHot(const std::vector<Tensor>& inputs, int64_t axis) {
  Result<PlanOf<OneHotArgs>> plan = PlanOfOneHot(Firing(inputs).context, axis);
  ASSERT_TRUE(plan.ok()) << plan.status().ToString();
  const DType dtype = inputs[2].dtype();
  Tensor out = *Tensor::Allocate(dtype, plan->output);
  OneHotArgs& args = plan->args;
  args.indices = PlaceOnHost(inputs[0], args.index_scalar);
  args.on = PlaceOnHost(inputs[2], args.on_scalar);
  args.off = PlaceOnHost(inputs[3], args.off_scalar);
  args.to = out.mutable_raw_data();
  const RunsIndexed<OneHotBody, OneHotArgs> run = {args.are_wide, args};
  EXPECT_TRUE(ForElementSize(DTypeSize(dtype), run, false));
  EXPECT_EQ(DifferenceFromReference("OneHot", inputs, {{"axis", axis}}, out), "");
}

TEST(HostOneHot, GivesWhatTheReferenceGives) {
  const Tensor matrix = Ints({0, 2, -1, 1, 3, 0}).Reshaped(Dims{2, 3});
  for (const int64_t axis : {-1, 0, 1, 2}) {
    ExpectHot({matrix, Int(3), Tensor::Scalar<float>(5), Tensor::Scalar<float>(-1)}, axis);
  }
  ExpectHot({Tensor::Vector<int64_t>({1, int64_t{1} << 32}), Int(2), Tensor::Scalar<bool>(true),
             Tensor::Scalar<bool>(false)},
            -1);
  ExpectHot({Int(2), Int(4), Tensor::Scalar<int64_t>(7), Tensor::Scalar<int64_t>(0)}, -1);
  ExpectHot({matrix, Int(0), Tensor::Scalar<double>(1), Tensor::Scalar<double>(0)}, 1);
}

// ---- ReverseSequence ----

template <typename T>
void ExpectTurned(const Dims& dims, const Tensor& lengths, SequenceDims at) {
  const std::vector<Tensor> inputs = {Counted<T>(dims), lengths};
  Result<PlanOf<ReverseSequenceArgs>> plan = PlanOfReverseSequence(Firing(inputs).context, at);
  ASSERT_TRUE(plan.ok()) << plan.status().ToString();
  Tensor out = *Tensor::Allocate(inputs[0].dtype(), plan->output);
  uint64_t noted = FaultPlace::kNone;
  ReverseSequenceArgs& args = plan->args;
  args.fault = {&noted, 0};
  args.lengths = lengths.raw_data();
  args.from = inputs[0].raw_data();
  args.to = out.mutable_raw_data();
  const RunsIndexed<ReverseSequenceBody, ReverseSequenceArgs> run = {args.are_wide, args};
  EXPECT_TRUE(ForElementSize(sizeof(T), run, false));
  const Result<std::vector<Tensor>> wanted =
      ReferenceGives("ReverseSequence", inputs, {{"seq_dim", at.seq}, {"batch_dim", at.batch}});
  EXPECT_EQ(wanted.ok(), noted == FaultPlace::kNone) << wanted.status().ToString();
  if (!wanted.ok()) return;
  EXPECT_EQ(conformance::Difference((*wanted)[0], out, {}), "");
}

TEST(HostReverseSequence, GivesWhatTheReferenceGives) {
  ExpectTurned<float>({3, 5, 2}, Ints({0, 5, 3}), {.seq = 1, .batch = 0});
  ExpectTurned<double>({2, 4, 3, 2}, Tensor::Vector<int64_t>({1, 2}), {.seq = 2, .batch = 0});
  ExpectTurned<bool>({4, 7}, Ints({1, 2, 3, 4, 0, 2, 4}), {.seq = 0, .batch = 1});
  ExpectTurned<int16_t>({0, 3}, Ints({0, 0, 0}), {.seq = 0, .batch = 1});
  ExpectTurned<float>({2, 3}, Ints({1, 4}), {.seq = 1, .batch = 0});
  ExpectTurned<float>({2, 3, 0}, Ints({1, 4}), {.seq = 1, .batch = 0});
  ExpectTurned<float>({2, 3}, Ints({-1, 3}), {.seq = 1, .batch = 0});
}

// ---- MatrixBandPart ----

template <typename T>
void ExpectBand(const Dims& dims, int32_t lower, int32_t upper) {
  const std::vector<Tensor> inputs = {Counted<T>(dims), Int(lower), Int(upper)};
  Result<PlanOf<BandArgs>> plan = PlanOfBand(Firing(inputs).context);
  ASSERT_TRUE(plan.ok()) << plan.status().ToString();
  Tensor out = *Tensor::Allocate(inputs[0].dtype(), plan->output);
  plan->args.from = inputs[0].raw_data();
  plan->args.to = out.mutable_raw_data();
  const Runs<BandBody, BandArgs> run = {plan->args};
  EXPECT_TRUE(ForElementSize(sizeof(T), run, false));
  EXPECT_EQ(DifferenceFromReference("MatrixBandPart", inputs, {}, out), "");
}

TEST(HostBand, GivesWhatTheReferenceGives) {
  for (const int32_t lower : {-1, 0, 1, 3}) {
    for (const int32_t upper : {-1, 0, 2, 4}) {
      ExpectBand<float>({2, 3, 4}, lower, upper);
      ExpectBand<bool>({3, 4}, lower, upper);
    }
  }
  ExpectBand<double>({2, 3, 0}, 1, 0);
  ExpectBand<int16_t>({5, 1}, 2, 1);
}

}  // namespace
}  // namespace tagflow::optimized
