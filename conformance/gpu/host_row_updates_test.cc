// The GPU's updates of rows of variables, run on the host: every pass over all of its indices,
// against the reference.
// Tests: index_dtypes.h, row_links.h, row_update_bodies.h, scatter_plan.cc

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "conformance/gpu/host_bodies.h"
#include "conformance/gpu/host_firing.h"
#include "conformance/gpu/reference_variables.h"
#include "optimized/devices/gpu/kernels/scatter_plan.h"

namespace tagflow::optimized {
namespace {

using conformance::CopyOf;
using conformance::Difference;

constexpr char kRows[] = "ResourceScatter", kSlices[] = "ResourceScatterNd";

// An op, as ResourceScatterNdAdd(variable, indices, updates).
struct Update {
  std::string family;
  std::string name;
  Tensor variable, indices, updates;
  bool passes_over = false;

  Result<RowUpdateArgs> Plan() const {
    return family == kSlices ? PlanOfSliceUpdates(variable.dims(), indices, updates, passes_over)
                             : PlanOfRowUpdates(variable.dims(), indices, updates);
  }
  Result<Tensor> ReferenceGives() const {
    AttrMap attrs;
    if (passes_over) attrs = {{"bad_indices_policy", std::string("IGNORE")}};
    TAGFLOW_ASSIGN_OR_RETURN(
        auto held,
        conformance::ReferenceLeaves({family + name, attrs, 1, {variable, indices, updates}}));
    return held[0];
  }
};

struct Updated {
  Tensor variable;
  uint64_t noted;
};

// The passes of the kernel of this name and dtype; `ran`: whether there is one.
struct RunsUpdate {
  template <typename Passes>
  void operator()(const std::string& name, DType dtype) const {
    if (name != update.name || dtype != update.variable.dtype()) return;
    EXPECT_EQ(Passes::RunAll(args, RunsPassOnHost()), 0);
    ran = true;
  }
  const Update& update;
  const RowUpdateArgs& args;
  bool& ran;
};

Result<Updated> RunOnHost(const Update& update, uint64_t noted_before = FaultPlace::kNone) {
  TAGFLOW_ASSIGN_OR_RETURN(RowUpdateArgs args, update.Plan());
  Updated updated = {CopyOf(update.variable), noted_before};
  std::vector<int64_t> room(static_cast<size_t>(args.links.words()));
  args.links.Take(room.data());
  Coordinates& coordinates = args.links.coordinates;
  coordinates.names = PlaceOnHost(update.indices, coordinates.scalar);
  coordinates.fault = {&updated.noted, 0};
  args.variable = updated.variable.mutable_raw_data();
  args.updates = PlaceOnHost(update.updates, args.scalar);
  bool ran = false;
  ForEachRowUpdate(RunsUpdate{update, args, ran});
  EXPECT_TRUE(ran) << update.name << " of " << DTypeName(update.variable.dtype());
  return updated;
}

// Where the reference refuses it, so does the kernel, or its plan, and nothing is written.
void Expect(const Update& update) {
  SCOPED_TRACE(update.family + update.name + " of " + DTypeName(update.variable.dtype()));
  const Result<Updated> updated = RunOnHost(update);
  const Result<Tensor> wanted = update.ReferenceGives();
  if (!updated.ok()) {
    EXPECT_EQ(updated.status().code(), wanted.status().code());
    return;
  }
  EXPECT_EQ(updated->noted == FaultPlace::kNone, wanted.ok()) << wanted.status().ToString();
  EXPECT_EQ(Difference(wanted.ok() ? *wanted : update.variable, updated->variable, {}), "");
}

// `count` numbers below `limit`, of which many are the same.
template <typename I>
Tensor Scrambled(int64_t count, int64_t limit) {
  Tensor tensor = *Tensor::Allocate(DTypeOf<I>::value, Dims{count});
  for (int64_t i = 0; i < count; ++i) {
    tensor.mutable_data<I>()[i] = static_cast<I>(i * i * 31 % limit);
  }
  return tensor;
}

// None of them 0; sums of these are other ones in another order.
template <typename C>
Tensor Spread(const Dims& dims) {
  Tensor tensor = *Tensor::Allocate(DTypeOf<C>::value, dims);
  for (int64_t i = 0; i < tensor.num_elements(); ++i) {
    const C number = static_cast<C>((i * 7919 % 1001 - 500) / C(7)) * C(1 + i % 13);
    tensor.mutable_data<C>()[i] = number == C(0) ? C(3) : number;
  }
  return tensor;
}

const std::vector<std::string>& Names(const std::string& family) {
  static const auto& rows =
      *new std::vector<std::string>{"Update", "Add", "Sub", "Mul", "Div", "Min", "Max"};
  static const auto& slices = *new std::vector<std::string>{"Update", "Add", "Sub", "Min", "Max"};
  return family == kSlices ? slices : rows;
}

template <typename C, typename I>
void CheckAllOps() {
  constexpr int64_t kCount = 200, kAll = 41, kSize = 3;
  const Tensor variable = Spread<C>({kAll, kSize, 2}), at = Scrambled<I>(kCount, kAll);
  const Tensor updates = Spread<C>({kCount, kSize, 2}), one = Tensor::Scalar<C>(C(3));
  for (const std::string& name : Names(kRows)) {
    Expect({kRows, name, variable, at, updates});
    Expect({kRows, name, variable, at, one});
    Expect(
        {kRows, name, variable, at.Reshaped(Dims{20, 10}), updates.Reshaped(Dims{20, 10, 3, 2})});
    Expect({kRows, name, variable, Tensor::Scalar<I>(I(5)), Spread<C>({kSize, 2})});
  }
  const Tensor pairs = Scrambled<I>(2 * kCount, kSize).Reshaped(Dims{kCount, 2});
  for (const std::string& name : Names(kSlices)) {
    Expect({kSlices, name, variable, at.Reshaped(Dims{kCount, 1}), updates});
    Expect({kSlices, name, variable, pairs, Spread<C>({kCount, 2})});
  }
}

TEST(HostRowUpdates, GiveWhatTheReferenceGives) {
  CheckAllOps<float, int32_t>();
  CheckAllOps<float, int64_t>();
  CheckAllOps<double, int32_t>();
  CheckAllOps<double, int64_t>();
  CheckAllOps<int32_t, int32_t>();
  CheckAllOps<int64_t, int64_t>();
}

Tensor Ints(const std::vector<int32_t>& values) { return Tensor::Vector(values); }
Tensor Column(const std::vector<int32_t>& values) {
  return Ints(values).Reshaped(Dims{static_cast<int64_t>(values.size()), 1});
}

TEST(HostRowUpdates, ReplaceElementsOfAnySize) {
  const Tensor at = Ints({2, 0, 2});
  Expect({kRows, "Update", Counted<bool>({4, 3}), at, Counted<bool>({3, 3})});
  Expect({kRows, "Update", Counted<int16_t>({4, 3}), at, Counted<int16_t>({3, 3})});
  Expect({kRows, "Update", Counted<int64_t>({4}), at, Tensor::Scalar<int64_t>(9)});
  Expect({kSlices, "Update", Counted<bool>({4}), Column({1, 1}), Counted<bool>({2})});
}

// More rows than threads that link them.
TEST(HostRowUpdates, ShareManyRowsOut) {
  const int64_t rows = 3 * LinkPart::kPartsMax + 5;
  Expect(
      {kRows, "Add", Spread<float>({rows}), Scrambled<int32_t>(4000, rows), Spread<float>({4000})});
}

TEST(HostRowUpdates, KeepFloatsThatAreNoOrdinaryNumbers) {
  const std::vector<float> corners = Corners<float>();
  const auto count = static_cast<int64_t>(corners.size());
  std::vector<int32_t> at;
  for (int32_t i = 0; i < 2 * count; ++i) at.push_back(i / 2);
  std::vector<float> twice = corners;
  twice.insert(twice.end(), corners.rbegin(), corners.rend());
  const Tensor variable = TensorOf(corners, Dims{count});
  Tensor updates = TensorOf(twice, Dims{2 * count});
  for (const std::string& name : Names(kRows)) Expect({kRows, name, variable, Ints(at), updates});
  for (float& update : updates.mutable_flat<float>()) update = update == 0 ? 1 : update;
  Expect({kRows, "Div", variable, Ints(at), updates});
}

TEST(HostRowUpdates, WrapAndRoundIntegers) {
  const std::vector<int32_t> corners = Corners<int32_t>();
  const auto count = static_cast<int64_t>(corners.size());
  const Tensor variable = TensorOf(corners, Dims{count}), at = Scrambled<int32_t>(count, count);
  for (const std::string& name : Names(kRows)) {
    using Limits = std::numeric_limits<int32_t>;
    for (const int32_t by : {-1, 2, Limits::max(), Limits::min()}) {
      Expect({kRows, name, variable, at, Tensor::Scalar<int32_t>(by)});
    }
  }
}

TEST(HostRowUpdates, TakeTensorsWithoutElements) {
  const Tensor none = Ints({});
  Expect({kRows, "Add", Ints({1, 2}), none, none});
  Expect({kRows, "Add", none, none, none});
  Expect({kRows, "Add", none, Ints({0}), Ints({5})});
  Expect({kRows, "Div", Ints({1, 2}), none, Tensor::Scalar<int32_t>(0)});
  const Tensor empty_rows = *Tensor::Allocate(DType::kInt32, Dims{2, 0});
  Expect({kRows, "Add", empty_rows, Ints({0, 1}), empty_rows});
  Expect({kRows, "Add", empty_rows, Ints({0, 2}), empty_rows});
  Expect({kSlices, "Add", Ints({1, 2}), Column({}), none});
  Expect({kSlices, "Add", none, Column({0}), Ints({5})});
}

TEST(HostRowUpdates, PassOverCoordinatesOutsideWhereTheyMay) {
  Expect({kSlices, "Add", Ints({1, 2, 3}), Column({3, 0, -1}), Ints({5, 6, 7}), true});
}

TEST(HostRowUpdates, WriteNothingWhereSomethingIsRefused) {
  const Tensor variable = Ints({1, 2, 3});
  const auto noted = [&](const std::string& family, const std::string& name, const Tensor& at,
                         const std::vector<int32_t>& updates) {
    const Update update = {family, name, variable, at, Ints(updates)};
    Expect(update);
    return RunOnHost(update)->noted;
  };
  EXPECT_EQ(noted(kRows, "Add", Ints({0, 3, -1}), {5, 6, 7}), 1u);
  EXPECT_EQ(noted(kSlices, "Update", Column({0, 1, -1}), {5, 6, 7}), 2u);
  EXPECT_EQ(noted(kRows, "Div", Ints({0, 1, 2}), {5, 0, 0}), 1u);
  EXPECT_EQ(noted(kRows, "Add", Ints({0, 1, 2}), {5, 0, 0}), FaultPlace::kNone);
}

TEST(HostRowUpdates, WriteNothingBehindAKernelThatHasFailed) {
  constexpr uint64_t kBefore = 7;
  const Update update = {kRows, "Add", Ints({1, 2, 3}), Ints({0}), Ints({5})};
  const Result<Updated> updated = RunOnHost(update, kBefore);
  ASSERT_TRUE(updated.ok());
  EXPECT_EQ(updated->noted, kBefore);
  EXPECT_EQ(Difference(update.variable, updated->variable, {}), "");
}

TEST(HostRowUpdates, RefuseShapesThatDoNotFit) {
  Expect({kRows, "Add", Ints({1}), Ints({0}), Ints({5, 6})});
  Expect({kRows, "Add", Tensor::Scalar<int32_t>(1), Ints({0}), Ints({5})});
  Expect({kSlices, "Add", Ints({1}), Ints({0}), Ints({5})});
}

}  // namespace
}  // namespace tagflow::optimized
