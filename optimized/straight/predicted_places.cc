#include "optimized/straight/predicted_places.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "graph/feed_set.h"
#include "graph/shape_inference.h"
#include "graph/signature_cache.h"
#include "optimized/devices/device_kernel.h"
#include "optimized/straight/values.h"
#include "transform/deadness/dependency_order.h"

namespace tagflow::optimized {
namespace {

// Of a value that comes from either.
PredictedPlace Joined(PredictedPlace a, PredictedPlace b) {
  if (a == PredictedPlace::kNone || a == b) return b;
  return b == PredictedPlace::kNone ? a : PredictedPlace::kUnknown;
}

class Predictor {
 public:
  Predictor(const Graph& graph, const CallSpec& call, const Devices& devices,
            const KernelRegistry& kernels)
      : graph_(graph),
        fed_(graph, call.feeds),
        devices_(devices),
        kernels_(kernels),
        places_(graph.id_limit()) {
    if (auto shapes = InferShapes(graph); shapes.ok()) shapes_ = *std::move(shapes);
  }

  // A value goes round a loop until no place changes any more.
  std::vector<PredictedPlace> Run(const std::vector<bool>& needed) && {
    const auto order = DependencyOrder(graph_, needed, fed_);
    numbers_.emplace(HostNumbers::Of{graph_, fed_, devices_, kernels_, signatures_}, order);
    for (bool has_changed = true; has_changed;) {
      has_changed = false;
      for (const NodeId id : order) {
        const PredictedPlace now = Joined(places_[Index(id)], PlaceOf(graph_.node(id)));
        has_changed |= now != places_[Index(id)];
        places_[Index(id)] = now;
      }
    }
    return std::move(places_);
  }

 private:
  PredictedPlace PlaceOf(const Node& node) {
    if (fed_.IsFedPlaceholder(node)) return PredictedPlace::kHost;
    switch (KindOf(node)) {
      case NodeKind::kFed:
      case NodeKind::kConstant:
        return PredictedPlace::kHost;
      case NodeKind::kNothing:
        return PredictedPlace::kNone;
      case NodeKind::kHandsOn:
      case NodeKind::kRepeats:
        return node.inputs.empty() ? PredictedPlace::kNone : PlaceOf(node.inputs[0]);
      case NodeKind::kMerge: {
        PredictedPlace place = PredictedPlace::kNone;
        for (const OutputRef input : node.inputs) place = Joined(place, PlaceOf(input));
        return place;
      }
      case NodeKind::kKernel:
        return PlaceOfKernel(node);
    }
    return PredictedPlace::kUnknown;
  }

  // An array is as one of the device's, wherever it is: what a device reads of it is brought.
  PredictedPlace PlaceOf(OutputRef output) const {
    const PredictedPlace place =
        fed_.Contains(output) ? PredictedPlace::kHost : places_[Index(output.node)];
    const PartialShape shape = ShapeOf(output);
    const bool is_array = shape.known_rank() && shape.rank() > 0;
    return place == PredictedPlace::kHost && is_array ? PredictedPlace::kDevice : place;
  }

  PartialShape ShapeOf(OutputRef output) const {
    if (shapes_.empty()) return PartialShape();
    const auto& of_node = shapes_[Index(output.node)];
    const auto index = static_cast<size_t>(output.index);
    return index < of_node.size() ? of_node[index] : PartialShape();
  }

  PredictedPlace PlaceOfKernel(const Node& node) {
    const auto [entry, is_own] = FindKernel(&devices_, node, kernels_);
    if (entry == nullptr || !is_own) return PredictedPlace::kHost;
    if (numbers_->Contains(node.id)) return PredictedPlace::kHost;
    const Result<const Signature*> signature = signatures_.Of(node);
    if (!signature.ok()) return PredictedPlace::kUnknown;
    const std::vector<bool> on_host = ReadsOnHost(node, **signature, *entry);
    PredictedPlace place = PredictedPlace::kNone;
    size_t read_there = 0;
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      if (on_host[i]) continue;
      ++read_there;
      PredictedPlace input = PlaceOf(node.inputs[i]);
      const bool is_scalar = ShapeOf(node.inputs[i]).known_rank();
      if (input == PredictedPlace::kHost && !is_scalar) input = PredictedPlace::kUnknown;
      // One that the device has brings the others there.
      if (input == PredictedPlace::kDevice) return input;
      place = Joined(place, input);
    }
    return read_there == 0 ? PredictedPlace::kUnknown : place;
  }

  const Graph& graph_;
  const FeedSet fed_;
  const Devices& devices_;
  const KernelRegistry& kernels_;
  SignatureCache signatures_;
  std::optional<HostNumbers> numbers_;
  std::vector<std::vector<PartialShape>> shapes_;  // by node; empty: nothing is known
  std::vector<PredictedPlace> places_;             // by node
};

}  // namespace

std::vector<PredictedPlace> PredictPlaces(const Graph& graph, const CallSpec& call,
                                          const std::vector<bool>& needed, const Devices& devices,
                                          const KernelRegistry& kernels) {
  return Predictor(graph, call, devices, kernels).Run(needed);
}

}  // namespace tagflow::optimized
