// What the GPU's Gather takes, run on the host: its body over all of its indices, against the
// reference.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "conformance/gpu/host_bodies.h"
#include "conformance/gpu/host_firing.h"
#include "optimized/devices/gpu/kernels/gather_plan.h"
#include "optimized/devices/gpu/kernels/move_bodies.h"

namespace tagflow::optimized {
namespace {

struct RunsGather {
  template <typename Bits>
  bool operator()() const {
    return ForIndexSize<Bits>(index_bytes, *this);
  }
  template <typename Bits, typename I>
  bool operator()() const {
    OnHost(GatherBody<Bits, I>(args), args.count());
    return true;
  }
  size_t index_bytes;
  const GatherArgs& args;
};

struct Taken {
  Tensor out;
  uint64_t noted;
};

Result<Taken> Take(const std::vector<Tensor>& inputs, int64_t batch_dims) {
  TAGFLOW_ASSIGN_OR_RETURN(GatherPlan plan, PlanOfGather(Firing(inputs).context, batch_dims));
  Taken taken = {*Tensor::Allocate(inputs[0].dtype(), plan.output), FaultPlace::kNone};
  if (taken.out.num_elements() == 0) return taken;
  plan.args.from = inputs[0].raw_data();
  plan.args.indices = PlaceOnHost(inputs[1], plan.args.index_scalar);
  plan.args.to = taken.out.mutable_raw_data();
  plan.args.fault = {&taken.noted, 0};
  const RunsGather run = {DTypeSize(inputs[1].dtype()), plan.args};
  EXPECT_TRUE(ForElementSize(DTypeSize(inputs[0].dtype()), run, false));
  return taken;
}

// batch_dims: of GatherV2
void Expect(const std::vector<Tensor>& inputs, int64_t batch_dims = 0) {
  constexpr size_t kWithAxis = 3;
  const bool has_axis = inputs.size() == kWithAxis;
  const std::string op = has_axis ? "GatherV2" : "Gather";
  AttrMap attrs;
  if (has_axis) attrs = {{"batch_dims", batch_dims}};
  const Result<Taken> taken = Take(inputs, batch_dims);
  ASSERT_TRUE(taken.ok()) << taken.status().ToString();
  EXPECT_EQ(taken->noted, FaultPlace::kNone);
  EXPECT_EQ(DifferenceFromReference(op, inputs, attrs, taken->out), "");
}

Tensor Ints(const std::vector<int32_t>& values) { return Tensor::Vector(values); }
Tensor Int(int32_t value) { return Tensor::Scalar(value); }

TEST(HostGather, GivesWhatTheReferenceGives) {
  const Tensor cube = Counted<double>({2, 3, 4}), matrix = Counted<float>({3, 5});
  Expect({cube, Ints({1, 0, 0})});
  Expect({matrix, Ints({3, 1, 2, 0}).Reshaped(Dims{2, 2}), Int(1)});
  Expect({cube, Int(1), Int(-3)});
  Expect({cube, Tensor::Vector<int64_t>({2, 0}), Int(1)});
  Expect({Counted<bool>({4, 6}), Ints({3, 3}), Int(0)});
  Expect({Counted<int16_t>({7}), Ints({6, 0, 1}), Int(0)});
  Expect({cube, Ints({2, 0, 1, 1}).Reshaped(Dims{2, 2}), Int(1)}, 1);
  Expect({cube, Ints({2, 0, 1, 1, 3, 0}).Reshaped(Dims{2, 3}), Int(2)}, 2);
  Expect({cube, Ints({3, 0}).Reshaped(Dims{2, 1}), Int(2)}, -1);
  Expect({Counted<float>({0, 3}), Ints({}), Int(0)});
}

TEST(HostGather, NotesTheFirstIndexOutside) {
  const auto noted = [](const std::vector<int32_t>& indices) {
    return Take({Counted<float>({3, 5}), Ints(indices), Int(1)}, 0)->noted;
  };
  EXPECT_EQ(noted({4, 5, -1}), 1u);
  EXPECT_EQ(noted({-1, 0, 7}), 0u);
  EXPECT_EQ(noted({0, 0}), FaultPlace::kNone);
}

TEST(HostGather, RefusesWhatTheReferenceRefuses) {
  const Tensor cube = Counted<double>({2, 3, 4});
  const Tensor pairs = Ints({0, 0, 1, 1, 0, 0}).Reshaped(Dims{3, 2});
  EXPECT_EQ(Take({cube, Ints({0}), Int(3)}, 0).status().code(), tagflow::Code::kInvalidArgument);
  EXPECT_EQ(Take({cube, Ints({0, 0}), Int(0)}, 1).status().code(), tagflow::Code::kInvalidArgument);
  EXPECT_EQ(Take({cube, pairs, Int(1)}, 1).status().code(), tagflow::Code::kInvalidArgument);
}

}  // namespace
}  // namespace tagflow::optimized
