// The GPU's softmax and its loss, run on the host: every pass over all of its indices, against the
// reference.
// Tests: softmax_bodies.h

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "conformance/gpu/against_reference.h"
#include "conformance/gpu/host_firing.h"
#include "optimized/devices/gpu/kernels/softmax_bodies.h"

namespace tagflow::optimized {
namespace {

using conformance::Bounds;
using conformance::DifferenceFromReference;
using conformance::Mixed;
using conformance::TensorOf;

// All rooms that the passes could want.
class Rooms {
 public:
  explicit Rooms(SoftmaxArgs& args) {
    const RoomSizes sizes = RoomsFor(args.row_places);
    args.rooms[0] = New(sizes.first * kTotalBytesMax);
    args.rooms[1] = New(sizes.second * kTotalBytesMax);
    const auto widest = static_cast<int64_t>(sizeof(double));
    args.maxima = New(args.rows * widest);
    args.sums = New(args.rows * widest);
    args.terms = New(args.rows * args.classes * widest);
    args.expanded = New(args.rows * args.classes * widest);
  }

 private:
  void* New(int64_t bytes) {
    all_.push_back(std::make_unique<char[]>(static_cast<size_t>(bytes)));
    return all_.back().get();
  }
  std::vector<std::unique_ptr<char[]>> all_;
};

SoftmaxArgs ArgsFor(int64_t rows, int64_t classes) {
  SoftmaxArgs args = {};
  args.rows = rows;
  args.classes = classes;
  args.row_places = *ReductionPlacesOf(Dims{rows, classes}, Dims{rows, 1});
  return args;
}

// Both compute in double and round once, but sum in another order.
template <typename C>
Bounds BoundsFor(double magnitude) {
  constexpr double kEpsilons = 8;
  return {.ulps = 2,
          .magnitude_relative = kEpsilons * std::numeric_limits<C>::epsilon(),
          .magnitude = magnitude};
}

template <typename Passes, typename C>
void CheckSoftmax(const std::string& op, const Tensor& logits) {
  Tensor out = *Tensor::Allocate(logits.dtype(), logits.dims());
  const int64_t classes = logits.dims().back();
  SoftmaxArgs args = ArgsFor(logits.num_elements() / classes, classes);
  const Rooms rooms(args);
  args.x = logits.data<C>();
  args.out = out.mutable_data<C>();
  EXPECT_EQ(Passes::RunAll(args, RunsPassOnHost()), 0);
  EXPECT_EQ(DifferenceFromReference(op, {logits}, {}, {out}, BoundsFor<C>(1)), "")
      << op << " of " << logits.DebugString();
}

template <typename C>
const void* Place(const Tensor& input, char* scalar) {
  if (!input.dims().empty()) return input.data<C>();
  std::memcpy(scalar, input.data<C>(), sizeof(C));
  return nullptr;
}

template <typename C>
void CheckLoss(const Tensor& features, const Tensor& labels, const Dims& dims, bool expands) {
  Tensor loss = *Tensor::Allocate(features.dtype(), Dims{dims[0]});
  Tensor backprop = *Tensor::Allocate(features.dtype(), dims);
  SoftmaxArgs args = ArgsFor(dims[0], dims[1]);
  const Rooms rooms(args);
  if (!expands) args.expanded = nullptr;
  args.places = *PlacesOf(features.dims(), labels.dims(), dims);
  args.features = Place<C>(features, args.feature_scalar);
  args.labels = Place<C>(labels, args.label_scalar);
  args.out = backprop.mutable_data<C>();
  args.loss = loss.mutable_data<C>();
  EXPECT_EQ(OfCrossEntropy<C>::RunAll(args, RunsPassOnHost()), 0);
  constexpr double kMagnitudeOfClass = 20;  // a label times a logarithm of Mixed's softmax
  EXPECT_EQ(DifferenceFromReference(
                "SoftmaxCrossEntropyWithLogits", {features, labels}, {}, {loss, backprop},
                BoundsFor<C>(kMagnitudeOfClass * static_cast<double>(dims[1] + 1))),
            "")
      << features.DebugString() << " and " << labels.DebugString();
}

// noted: what its fault place has afterwards
template <typename C, typename I>
void CheckSparseLoss(const Tensor& features, const std::vector<I>& labels, uint64_t noted) {
  const int64_t rows = features.dim(0), classes = features.dim(1);
  const Tensor row_labels = Tensor::Vector<I>(labels);
  Tensor loss = *Tensor::Allocate(features.dtype(), Dims{rows});
  Tensor backprop = *Tensor::Allocate(features.dtype(), features.dims());
  SoftmaxArgs args = ArgsFor(rows, classes);
  const Rooms rooms(args);
  uint64_t word = FaultPlace::kNone;
  args.x = features.data<C>();
  args.row_labels = row_labels.template data<I>();
  args.label_bytes = sizeof(I);
  args.fault = {&word, 0};
  args.out = backprop.mutable_data<C>();
  args.loss = loss.mutable_data<C>();
  EXPECT_EQ(OfSparseCrossEntropy<C>::RunAll(args, RunsPassOnHost()), 0);
  EXPECT_EQ(word, noted);
  if (noted != FaultPlace::kNone) return;
  constexpr double kMagnitude = 20;  // of a logarithm of Mixed's softmax
  EXPECT_EQ(DifferenceFromReference("SparseSoftmaxCrossEntropyWithLogits", {features, row_labels},
                                    {}, {loss, backprop}, BoundsFor<C>(kMagnitude)),
            "")
      << features.DebugString() << " and " << row_labels.DebugString();
}

template <typename C, typename I>
void CheckSparseLosses() {
  constexpr uint64_t kNone = FaultPlace::kNone;
  CheckSparseLoss<C, I>(Mixed<C>({3, 50}), {0, 49, 7}, kNone);
  CheckSparseLoss<C, I>(Mixed<C>({1, 1}), {0}, kNone);
  CheckSparseLoss<C, I>(Mixed<C>({0, 4}), {}, kNone);
  CheckSparseLoss<C, I>(Mixed<C>({3, 5}), {4, 5, -1}, 1);
  CheckSparseLoss<C, I>(Mixed<C>({2, 5}), {-1, 0}, 0);
}

template <typename C>
void CheckAll() {
  for (const Dims& dims : {Dims{1}, Dims{7}, Dims{3, 5}, Dims{2, 3, 100}, Dims{4, 1}}) {
    CheckSoftmax<OfSoftmax<C>, C>("Softmax", Mixed<C>(dims));
    CheckSoftmax<OfLogSoftmax<C>, C>("LogSoftmax", Mixed<C>(dims));
  }
  constexpr C kInfinity = std::numeric_limits<C>::infinity();
  constexpr C kNan = std::numeric_limits<C>::quiet_NaN();
  const Tensor corners =
      TensorOf<C>({1000, -1000, 0, -kInfinity, 0, 1, kInfinity, 0, 1, kNan, 0, 1}, Dims{4, 3});
  CheckSoftmax<OfSoftmax<C>, C>("Softmax", corners);
  CheckSoftmax<OfLogSoftmax<C>, C>("LogSoftmax", corners);

  const Tensor matrix = Mixed<C>({3, 50}), row = Mixed<C>({50}), column = Mixed<C>({3, 1});
  const Tensor scalar = TensorOf<C>({C(0.25)}, {});
  CheckLoss<C>(matrix, matrix, {3, 50}, false);
  CheckLoss<C>(matrix, row, {3, 50}, false);
  CheckLoss<C>(matrix, scalar, {3, 50}, false);
  CheckLoss<C>(row, matrix, {3, 50}, true);
  CheckLoss<C>(column, row, {3, 50}, true);
  CheckLoss<C>(scalar, matrix, {3, 50}, true);
  CheckLoss<C>(Mixed<C>({2, 0}), Mixed<C>({2, 0}), {2, 0}, false);
  CheckSparseLosses<C, int32_t>();
  CheckSparseLosses<C, int64_t>();
}

TEST(HostSoftmax, GivesWhatTheReferenceGives) {
  CheckAll<float>();
  CheckAll<double>();
}

}  // namespace
}  // namespace tagflow::optimized
