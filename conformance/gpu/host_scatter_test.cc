// The GPU's updates by coordinates, run on the host: every pass over all of its indices, against
// the reference.
// Tests: coordinates.h, row_links.h, scatter_bodies.h, scatter_plan.cc

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "conformance/gpu/host_bodies.h"
#include "conformance/gpu/host_firing.h"
#include "optimized/devices/gpu/kernels/scatter_plan.h"

namespace tagflow::optimized {
namespace {

struct Scattered {
  Tensor out;
  uint64_t noted = FaultPlace::kNone;
};

// The passes of the kernel of this op and dtype; `ran`: whether there is one.
struct RunsScatter {
  template <typename Passes>
  void operator()(const std::string& each, DType of) const {
    if (each != op || of != dtype) return;
    EXPECT_EQ(Passes::RunAll(args, RunsPassOnHost()), 0);
    ran = true;
  }
  const std::string& op;
  DType dtype;
  const ScatterArgs& args;
  bool& ran;
};

Result<Scattered> Scatter(const std::string& op, const std::vector<Tensor>& inputs,
                          bool passes_over = false) {
  const bool has_tensor = op != "ScatterNd";
  const Tensor& indices = inputs[has_tensor ? 1 : 0];
  const Tensor& updates = inputs[has_tensor ? 2 : 1];
  const auto plan_of = has_tensor ? PlanOfTensorScatter : PlanOfScatterNd;
  TAGFLOW_ASSIGN_OR_RETURN(ScatterPlan plan, plan_of(Firing(inputs).context, passes_over));
  Scattered scattered = {*Tensor::Allocate(updates.dtype(), plan.output)};
  if (scattered.out.num_elements() == 0) return scattered;
  ScatterArgs& args = plan.args;
  std::vector<int64_t> room(static_cast<size_t>(args.links.words()));
  args.links.Take(room.data());
  args.links.coordinates.names = indices.raw_data();
  args.links.coordinates.fault = {&scattered.noted, 0};
  if (has_tensor) args.tensor = inputs[0].raw_data();
  args.updates = updates.raw_data();
  args.out = scattered.out.mutable_raw_data();
  bool ran = false;
  ForEachScatter(RunsScatter{op, updates.dtype(), args, ran});
  EXPECT_TRUE(ran) << op << " of " << DTypeName(updates.dtype());
  return scattered;
}

void Expect(const std::string& op, const std::vector<Tensor>& inputs, bool passes_over = false) {
  SCOPED_TRACE(op);
  const Result<Scattered> scattered = Scatter(op, inputs, passes_over);
  ASSERT_TRUE(scattered.ok()) << scattered.status().ToString();
  EXPECT_EQ(scattered->noted, FaultPlace::kNone);
  AttrMap attrs;
  if (passes_over) attrs = {{"bad_indices_policy", std::string("IGNORE")}};
  EXPECT_EQ(DifferenceFromReference(op, inputs, attrs, scattered->out), "");
}

// `count` rows of coordinates, of which several are the same.
template <typename I>
Tensor Coordinates2(int64_t count, int64_t rows, int64_t columns) {
  Tensor tensor = *Tensor::Allocate(DTypeOf<I>::value, Dims{count, 2});
  for (int64_t i = 0; i < count; ++i) {
    tensor.mutable_data<I>()[2 * i] = static_cast<I>(i * i * 31 % rows);
    tensor.mutable_data<I>()[2 * i + 1] = static_cast<I>(i * 7 % columns);
  }
  return tensor;
}

// Sums of these are other ones in another order.
template <typename C>
Tensor Spread(const Dims& dims) {
  Tensor tensor = *Tensor::Allocate(DTypeOf<C>::value, dims);
  for (int64_t i = 0; i < tensor.num_elements(); ++i) {
    tensor.mutable_data<C>()[i] = static_cast<C>((i * 7919 % 1001 - 500) / C(7)) * C(1 + i % 13);
  }
  return tensor;
}

template <typename C>
void CheckAllOps() {
  constexpr int64_t kCount = 200, kRows = 5, kColumns = 7, kSize = 3;
  const Tensor tensor = Spread<C>({kRows, kColumns, kSize}), updates = Spread<C>({kCount, kSize});
  const Tensor narrow = Coordinates2<int32_t>(kCount, kRows, kColumns);
  const Tensor wide = Coordinates2<int64_t>(kCount, kRows, kColumns);
  for (const char* op : {"ScatterNdNonAliasingAdd", "TensorScatterAdd", "TensorScatterSub",
                         "TensorScatterMax", "TensorScatterMin", "TensorScatterUpdate"}) {
    Expect(op, {tensor, narrow, updates});
    Expect(op, {tensor, wide, updates});
  }
  Expect("ScatterNd", {wide, updates, Tensor::Vector<int64_t>({kRows, kColumns, kSize})});
}

TEST(HostScatter, GivesWhatTheReferenceGives) {
  CheckAllOps<float>();
  CheckAllOps<double>();
  CheckAllOps<int32_t>();
  CheckAllOps<int64_t>();
}

Tensor Ints(const std::vector<int32_t>& values) { return Tensor::Vector(values); }
Tensor Column(const std::vector<int32_t>& values) {
  return Ints(values).Reshaped(Dims{static_cast<int64_t>(values.size()), 1});
}

TEST(HostScatter, ReplacesElementsOfAnySize) {
  const Tensor at = Column({2, 0, 2});
  Expect("TensorScatterUpdate", {Counted<bool>({4}), at, Counted<bool>({3})});
  Expect("TensorScatterUpdate", {Counted<int16_t>({4}), at, Counted<int16_t>({3})});
  Expect("TensorScatterUpdate", {Counted<int64_t>({4}), at, Counted<int64_t>({3})});
  const Tensor none = Column({}), nothing = Counted<double>({0, 2});
  Expect("TensorScatterUpdate", {Counted<double>({4, 2}), none, nothing});
  Expect("TensorScatterUpdate", {nothing, none, nothing});
}

// More rows than threads that link them.
TEST(HostScatter, SharesManyRowsOut) {
  const int64_t rows = 3 * LinkPart::kPartsMax + 5;
  std::vector<int32_t> at;
  for (int64_t i = 0; i < 4000; ++i) at.push_back(static_cast<int32_t>(i * i % rows));
  Expect("TensorScatterAdd", {Spread<float>({rows}), Column(at), Spread<float>({4000})});
}

TEST(HostScatter, KeepsFloatsThatAreNoOrdinaryNumbers) {
  const std::vector<float> corners = Corners<float>();
  const auto count = static_cast<int64_t>(corners.size());
  std::vector<int32_t> at;
  for (int32_t i = 0; i < 2 * count; ++i) at.push_back(i / 2);
  std::vector<float> twice = corners;
  twice.insert(twice.end(), corners.rbegin(), corners.rend());
  const Tensor tensor = TensorOf(corners, Dims{count}), updates = TensorOf(twice, Dims{2 * count});
  for (const char* op : {"TensorScatterAdd", "TensorScatterSub", "TensorScatterMax",
                         "TensorScatterMin", "TensorScatterUpdate"}) {
    Expect(op, {tensor, Column(at), updates});
  }
}

TEST(HostScatter, PassesOverWhatIsOutsideWhereItMay) {
  Expect("ScatterNd", {Column({3, 0, -1}), Ints({5, 6, 7}), Ints({3})}, true);
  Expect("TensorScatterAdd", {Ints({1, 2}), Column({2, 1}), Ints({5, 6})}, true);
}

TEST(HostScatter, NotesTheFirstRowOfCoordinatesOutside) {
  const auto noted = [](const std::vector<int32_t>& at) {
    const auto count = static_cast<int64_t>(at.size());
    return Scatter("TensorScatterAdd", {Ints({1, 2, 3}), Column(at), Counted<int32_t>({count})})
        ->noted;
  };
  EXPECT_EQ(noted({0, 3, -1}), 1u);
  EXPECT_EQ(noted({-1, 3, 0}), 0u);
  EXPECT_EQ(noted({0, 2}), FaultPlace::kNone);
}

TEST(HostScatter, RefusesShapesThatDoNotFit) {
  const auto code = [](const std::vector<Tensor>& inputs) {
    return Scatter(inputs.size() == 3 ? "TensorScatterAdd" : "", inputs).status().code();
  };
  EXPECT_EQ(code({Ints({1}), Column({0}), Ints({5, 6})}), tagflow::Code::kInvalidArgument);
  EXPECT_EQ(code({Ints({1}), Ints({0}), Ints({5})}), tagflow::Code::kInvalidArgument);
  EXPECT_EQ(code({Ints({}), Column({0}), Ints({5})}), tagflow::Code::kInvalidArgument);
}

}  // namespace
}  // namespace tagflow::optimized
