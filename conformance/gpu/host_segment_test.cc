// The GPU's reductions of segments, run on the host: every pass over all of its indices, against
// the reference.
// Tests: segment_bodies.h

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "conformance/gpu/host_bodies.h"
#include "conformance/gpu/host_firing.h"
#include "optimized/devices/gpu/kernels/scatter_plan.h"

namespace tagflow::optimized {
namespace {

struct Reduced {
  Tensor out;
  uint64_t noted = FaultPlace::kNone;
};

template <typename Passes>
Result<Reduced> Reduce(const std::vector<Tensor>& inputs) {
  TAGFLOW_ASSIGN_OR_RETURN(SegmentPlan plan, PlanOfSegments(Firing(inputs).context));
  Reduced reduced = {*Tensor::Allocate(inputs[0].dtype(), plan.output)};
  SegmentArgs& args = plan.args;
  std::vector<int64_t> room(static_cast<size_t>(args.links.words()));
  args.links.Take(room.data());
  args.links.coordinates.names = PlaceOnHost(inputs[1], args.links.coordinates.scalar);
  args.links.coordinates.fault = {&reduced.noted, 0};
  args.data = PlaceOnHost(inputs[0], args.scalar);
  args.out = reduced.out.mutable_raw_data();
  EXPECT_EQ(Passes::RunAll(args, RunsPassOnHost()), 0);
  return reduced;
}

Tensor Ints(const std::vector<int32_t>& values) { return Tensor::Vector(values); }
Tensor Int(int32_t value) { return Tensor::Scalar(value); }

// Numbers whose sums are other ones in another order, and whose products stay finite.
template <typename C>
Tensor Spread(const Dims& dims) {
  Tensor tensor = *Tensor::Allocate(DTypeOf<C>::value, dims);
  for (int64_t i = 0; i < tensor.num_elements(); ++i) {
    tensor.mutable_data<C>()[i] = static_cast<C>((i * 7919 % 1001 - 500) / C(300));
  }
  return tensor;
}

template <typename I>
Tensor Ids(int64_t count, int64_t segments) {
  Tensor ids = *Tensor::Allocate(DTypeOf<I>::value, Dims{count});
  for (int64_t i = 0; i < count; ++i) {
    ids.mutable_data<I>()[i] = static_cast<I>(i * i * 31 % (segments + 1) - 1);
  }
  return ids;
}

template <typename Passes>
void Expect(const char* op, const std::vector<Tensor>& inputs) {
  SCOPED_TRACE(std::string(op) + " of " + DTypeName(inputs[0].dtype()));
  const Result<Reduced> reduced = Reduce<Passes>(inputs);
  ASSERT_TRUE(reduced.ok()) << reduced.status().ToString();
  EXPECT_EQ(reduced->noted, FaultPlace::kNone);
  EXPECT_EQ(DifferenceFromReference(op, inputs, {}, reduced->out), "");
}

struct ChecksSegments {
  template <typename Passes>
  void operator()(const char* op, DType dtype) const {
    if (dtype == DType::kFloat) Check<Passes, float>(op);
    if (dtype == DType::kDouble) Check<Passes, double>(op);
    if (dtype == DType::kInt32) Check<Passes, int32_t>(op);
    if (dtype == DType::kInt64) Check<Passes, int64_t>(op);
  }
  template <typename Passes, typename C>
  static void Check(const char* op) {
    constexpr int64_t kCount = 60, kSegments = 9;
    const Tensor data = Spread<C>({kCount, 3});
    Expect<Passes>(op, {data, Ids<int32_t>(kCount, kSegments), Int(kSegments)});
    Expect<Passes>(op, {data, Ids<int64_t>(kCount, kSegments), Int(kSegments + 2)});
    Expect<Passes>(op, {data.Reshaped(Dims{4, 15, 3}),
                        Ids<int32_t>(kCount, kSegments).Reshaped(Dims{4, 15}), Int(kSegments)});
    Expect<Passes>(op, {Spread<C>({2, 2}), Int(1), Int(3)});
    Expect<Passes>(op, {Tensor::Scalar<C>(C(3)), Int(1), Int(2)});
    Expect<Passes>(op, {Spread<C>({0, 2}), Ints({}), Int(2)});
    Expect<Passes>(op, {Spread<C>({2, 0}), Ints({7, 7}), Int(2)});
    const std::vector<C> corners = Corners<C>();
    const auto count = static_cast<int64_t>(corners.size());
    std::vector<int32_t> one_each;
    for (int32_t i = 0; i < count; ++i) one_each.push_back(i);
    Expect<Passes>(op, {TensorOf(corners, Dims{count}), Ints(one_each), Int(40)});
    Expect<Passes>(op, {TensorOf(corners, Dims{count}), Ids<int32_t>(count, 4), Int(4)});
  }
};

TEST(HostSegments, GiveWhatTheReferenceGives) { ForEachSegmentKernel(ChecksSegments()); }

TEST(HostSegments, NoteTheFirstIdThatIsTooHigh) {
  using Sum = SegmentPasses<formulas::SegmentSum, float>;
  const auto noted = [](const std::vector<int32_t>& ids, int32_t segments) {
    return Reduce<Sum>(
               {Counted<float>({static_cast<int64_t>(ids.size())}), Ints(ids), Int(segments)})
        ->noted;
  };
  EXPECT_EQ(noted({0, -5, 3, 9}, 3), 2u);
  EXPECT_EQ(noted({0, -1, 2}, 3), FaultPlace::kNone);
  EXPECT_EQ(noted({-1, 0}, 0), 1u);
}

TEST(HostSegments, RefuseWhatTheReferenceRefuses) {
  using Sum = SegmentPasses<formulas::SegmentSum, float>;
  const auto code = [](const std::vector<Tensor>& inputs) {
    return Reduce<Sum>(inputs).status().code();
  };
  const Tensor data = Counted<float>({3});
  EXPECT_EQ(code({data, Ints({0}), Int(3)}), tagflow::Code::kInvalidArgument);
  EXPECT_EQ(code({data, Ints({0, 1, 2}), Int(-1)}), tagflow::Code::kInvalidArgument);
  EXPECT_EQ(code({data, Ints({0, 1, 2}), Ints({3})}), tagflow::Code::kInvalidArgument);
}

}  // namespace
}  // namespace tagflow::optimized
