// The GPU's running totals, run on the host: their body over all of its indices, against the
// reference.
// Tests: scan_body.h

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "conformance/gpu/host_bodies.h"
#include "conformance/gpu/host_firing.h"
#include "optimized/devices/gpu/kernels/indexed_plan.h"

namespace tagflow::optimized {
namespace {

template <typename Body>
void Check(const std::string& op, const Tensor& x, int32_t axis) {
  const std::vector<Tensor> inputs = {x, Tensor::Scalar(axis)};
  for (const bool exclusive : {false, true}) {
    for (const bool reverse : {false, true}) {
      Result<PlanOf<ScanArgs>> plan = PlanOfScan(Firing(inputs).context, exclusive, reverse);
      ASSERT_TRUE(plan.ok()) << plan.status().ToString();
      Tensor out = *Tensor::Allocate(x.dtype(), plan->output);
      plan->args.x = x.raw_data();
      plan->args.out = out.mutable_raw_data();
      OnHost(Body(plan->args), out.num_elements() == 0 ? 0 : plan->args.count());
      const AttrMap attrs = {{"exclusive", exclusive}, {"reverse", reverse}};
      EXPECT_EQ(DifferenceFromReference(op, inputs, attrs, out), "")
          << op << " of " << x.DebugString() << " along " << axis;
    }
  }
}

template <typename C>
Tensor Fractions(const Dims& dims) {
  Tensor tensor = *Tensor::Allocate(DTypeOf<C>::value, dims);
  for (int64_t i = 0; i < tensor.num_elements(); ++i) {
    tensor.mutable_data<C>()[i] = static_cast<C>((i * 7919 % 101 - 50) / C(30));
  }
  return tensor;
}

struct ChecksScans {
  template <typename Body>
  void operator()(const char* op, DType dtype) const {
    if (dtype == DType::kFloat) CheckAxes<Body, float>(op);
    if (dtype == DType::kDouble) CheckAxes<Body, double>(op);
    if (dtype == DType::kInt32) CheckAxes<Body, int32_t>(op);
    if (dtype == DType::kInt64) CheckAxes<Body, int64_t>(op);
  }
  template <typename Body, typename C>
  static void CheckAxes(const char* op) {
    for (const int32_t axis : {0, 1, 2, -1}) Check<Body>(op, Fractions<C>({3, 17, 5}), axis);
    Check<Body>(op, Fractions<C>({3, 0, 5}), 1);
    Check<Body>(op, Fractions<C>({3, 0, 5}), 0);
    const std::vector<C> corners = Corners<C>();
    Check<Body>(op, TensorOf(corners, Dims{static_cast<int64_t>(corners.size())}), 0);
  }
};

TEST(HostScans, GiveWhatTheReferenceGives) { ForEachScan(ChecksScans()); }

TEST(HostScans, RefuseAnAxisThatIsNone) {
  const auto code = [](const Tensor& axis) {
    const Firing firing({Counted<float>({3, 2}), axis});
    return PlanOfScan(firing.context, false, false).status().code();
  };
  EXPECT_EQ(code(Tensor::Scalar<int32_t>(2)), tagflow::Code::kInvalidArgument);
  EXPECT_EQ(code(Tensor::Vector<int32_t>({0})), tagflow::Code::kInvalidArgument);
}

}  // namespace
}  // namespace tagflow::optimized
