// Softmax of rows, its logarithm, and the losses that are made of it.

#include <string>

#include "optimized/devices/gpu/cuda_api.h"
#include "optimized/devices/gpu/kernels/families.h"
#include "optimized/devices/gpu/kernels/launching.h"
#include "optimized/devices/views.h"
#include "optimized/kernels/broadcast.h"
#include "optimized/kernels/class_labels.h"

namespace tagflow::optimized {
namespace {

using Launch = cudaError_t (*)(const SoftmaxArgs&, cudaStream_t);

// Parts of one room, one behind the other, each as aligned as the room is.
class Parts {
 public:
  // The offset of a part.
  int64_t Add(int64_t bytes) {
    constexpr int64_t kAlignment = 256;
    const int64_t begin = bytes_;
    bytes_ += (bytes + kAlignment - 1) / kAlignment * kAlignment;
    return begin;
  }
  int64_t bytes() const { return bytes_; }

 private:
  int64_t bytes_ = 0;
};

constexpr int64_t kWidest = sizeof(double);

// Gives all rooms that the passes need; `has_terms`: those of terms of the loss too.
//   REQUIRES: args.rows, args.classes
Result<Tensor> GiveRooms(KernelContext& context, bool has_terms, bool expands, SoftmaxArgs& args) {
  const Dims matrix = {args.rows, args.classes}, one_each = {args.rows, 1};
  TAGFLOW_ASSIGN_OR_RETURN(args.row_places, ReductionPlacesOf(matrix, one_each));
  const RoomSizes sizes = RoomsFor(args.row_places);
  const int64_t count = args.rows * args.classes;
  Parts parts;
  const int64_t first = parts.Add(sizes.first * kTotalBytesMax);
  const int64_t second = parts.Add(sizes.second * kTotalBytesMax);
  const int64_t maxima = parts.Add(args.rows * kWidest), sums = parts.Add(args.rows * kWidest);
  const int64_t terms = parts.Add(has_terms ? count * kWidest : 0);
  const int64_t expanded = parts.Add(expands ? count * kWidest : 0);
  TAGFLOW_ASSIGN_OR_RETURN(Tensor rooms, NewRoom(context, parts.bytes()));
  char* const begin = CudaMemory::Address(rooms);
  args.rooms[0] = begin + first;
  args.rooms[1] = begin + second;
  args.maxima = begin + maxima;
  args.sums = begin + sums;
  if (has_terms) args.terms = begin + terms;
  if (expands) args.expanded = begin + expanded;
  return rooms;
}

Status RunSoftmax(Launch launch, const std::string& /*node*/, KernelContext& context) {
  const Tensor& logits = context.input(0);
  if (logits.rank() < 1) return InvalidArgument("logits must be at least a vector, not a scalar");
  TAGFLOW_ASSIGN_OR_RETURN(Tensor* const out, NewOutput(context, 0, logits.dtype(), logits.dims()));
  if (out->num_elements() == 0) return Status();
  SoftmaxArgs args = {};
  args.classes = logits.dims().back();
  args.rows = logits.num_elements() / args.classes;
  TAGFLOW_ASSIGN_OR_RETURN(const Tensor rooms, GiveRooms(context, false, false, args));
  args.x = CudaMemory::Address(logits);
  args.out = CudaMemory::Address(*out);
  return LaunchOn(context, launch, args);
}

Status RunCrossEntropy(Launch launch, const std::string& /*node*/, KernelContext& context) {
  const Tensor& features = context.input(0);
  const Tensor& labels = context.input(1);
  TAGFLOW_ASSIGN_OR_RETURN(const Dims dims, BroadcastShape(features.dims(), labels.dims()));
  if (dims.size() != 2) {
    return InvalidArgument("features and labels must broadcast to a matrix, not to " +
                           DimsString(dims));
  }
  TAGFLOW_ASSIGN_OR_RETURN(Tensor* const loss,
                           NewOutput(context, 0, features.dtype(), DimsView(dims).first(1)));
  TAGFLOW_ASSIGN_OR_RETURN(Tensor* const backprop, NewOutput(context, 1, features.dtype(), dims));
  if (loss->num_elements() == 0) return Status();
  SoftmaxArgs args = {};
  args.rows = dims[0];
  args.classes = dims[1];
  TAGFLOW_ASSIGN_OR_RETURN(args.places,
                           PlacesOf(DimsInMemory(features), DimsInMemory(labels), dims));
  const bool expands = features.is_inline() || features.num_elements() != args.rows * args.classes;
  TAGFLOW_ASSIGN_OR_RETURN(const Tensor rooms, GiveRooms(context, true, expands, args));
  args.features = PlaceOf(features, args.feature_scalar);
  args.labels = PlaceOf(labels, args.label_scalar);
  args.out = CudaMemory::Address(*backprop);
  args.loss = CudaMemory::Address(*loss);
  return LaunchOn(context, launch, args);
}

// The error of a label that is outside, as the host finds it.
Status LabelOutside(const Tensor& labels, int64_t classes) {
  TAGFLOW_ASSIGN_OR_RETURN(const Tensor on_host, labels.OnHost());
  TAGFLOW_ASSIGN_OR_RETURN(const IntView view, IntView::Of(on_host));
  return CheckLabelValues(view, classes);
}

Status RunSparseCrossEntropy(Launch launch, const std::string& node, KernelContext& context) {
  const Tensor& features = context.input(0);
  const Tensor& labels = context.input(1);
  TAGFLOW_RETURN_IF_ERROR(CheckLabelShapes(features, labels));
  SoftmaxArgs args = {};
  args.rows = features.dim(0);
  args.classes = features.dim(1);
  TAGFLOW_ASSIGN_OR_RETURN(Tensor* const loss,
                           NewOutput(context, 0, features.dtype(), labels.dims()));
  TAGFLOW_ASSIGN_OR_RETURN(Tensor* const backprop,
                           NewOutput(context, 1, features.dtype(), features.dims()));
  if (args.rows == 0) return Status();
  TAGFLOW_ASSIGN_OR_RETURN(const Tensor rooms, GiveRooms(context, false, false, args));
  TAGFLOW_ASSIGN_OR_RETURN(const auto fault,
                           NewFaultPlace(context, node, [labels, classes = args.classes](int64_t) {
                             return LabelOutside(labels, classes);
                           }));
  args.x = CudaMemory::Address(features);
  args.row_labels = CudaMemory::Address(labels);
  args.label_bytes = DTypeSize(labels.dtype());
  args.fault = *fault;
  args.out = CudaMemory::Address(*backprop);
  args.loss = CudaMemory::Address(*loss);
  return LaunchOn(context, launch, args);
}

using Run = Status (*)(Launch launch, const std::string& node, KernelContext& context);
Run RunOf(const std::string& op) {
  if (op == "SoftmaxCrossEntropyWithLogits") return RunCrossEntropy;
  return op == "SparseSoftmaxCrossEntropyWithLogits" ? RunSparseCrossEntropy : RunSoftmax;
}

}  // namespace

void RegisterGpuSoftmaxKernels(KernelRegistry& registry) {
  for (const auto& each : Cuda().softmax_launches()) {
    const Binder bind = [run = RunOf(each.op),
                         launch = each.launch](const Binding& binding) -> Result<BoundKernel> {
      return BoundKernel([run, launch, node = binding.node.name](KernelContext& context) {
        return run(launch, node, context);
      });
    };
    RegisterForGpu(each.op, each.dtype, {.bind = bind}, registry);
  }
}

}  // namespace tagflow::optimized
