#include "optimized/kernels/fused_channels.h"

#include <cmath>
#include <cstdint>

#include "optimized/kernels/clones.h"
#include "optimized/kernels/formula.h"

namespace tagflow::optimized {
namespace {

// Of each channel: x becomes (x - before) * scale + after. Adding a bias is that with 0 and 1,
// which change nothing.
template <typename T>
struct Lines {
  std::vector<T> before, scale, after;
};

template <typename T>
Lines<T> LinesOf(const FusedOps& ops, const std::vector<Tensor>& args, int64_t channels) {
  Lines<T> lines;
  for (int64_t i = 0; i < channels; ++i) {
    const auto arg = [&](size_t number) { return args[number].data<T>()[i]; };
    lines.before.push_back(ops.normalizes ? arg(2) : T(0));
    lines.after.push_back(arg(ops.normalizes ? 1 : 0));
    lines.scale.push_back(ops.normalizes ? arg(0) / std::sqrt(arg(3) + static_cast<T>(ops.epsilon))
                                         : T(1));
  }
  return lines;
}

template <typename T>
TAGFLOW_CLONES void FinishRow(const T* before, const T* scale, const T* after, int64_t count,
                              T* row) {
  TAGFLOW_INDEPENDENT
  for (int64_t i = 0; i < count; ++i) row[i] = (row[i] - before[i]) * scale[i] + after[i];
}
template <typename T>
TAGFLOW_CLONES void FinishPlane(T before, T scale, T after, int64_t count, T* plane) {
  TAGFLOW_INDEPENDENT
  for (int64_t i = 0; i < count; ++i) plane[i] = (plane[i] - before) * scale + after;
}

// NaN stays.
template <typename T>
TAGFLOW_CLONES void Activate(const FusedOps& ops, int64_t count, T* x) {
  const T alpha = static_cast<T>(ops.leakyrelu_alpha);
  switch (ops.activation) {
    case FusedActivation::kNone:
      break;
    case FusedActivation::kRelu:
      for (int64_t i = 0; i < count; ++i) x[i] = x[i] < 0 ? T(0) : x[i];
      break;
    case FusedActivation::kRelu6:
      for (int64_t i = 0; i < count; ++i) x[i] = x[i] < 0 ? T(0) : x[i] > 6 ? T(6) : x[i];
      break;
    case FusedActivation::kElu:
      for (int64_t i = 0; i < count; ++i) x[i] = x[i] < 0 ? std::expm1(x[i]) : x[i];
      break;
    case FusedActivation::kLeakyRelu:
      for (int64_t i = 0; i < count; ++i) x[i] = x[i] < 0 ? x[i] * alpha : x[i];
      break;
  }
}

// Runs of elements, channels side by side or one channel each, while they are in the first cache.
template <typename T>
void FinishAll(const FusedOps& ops, const ImageLayout& layout, const std::vector<Tensor>& args,
               Tensor& image) {
  const int64_t channels = image.dim(layout.channel()), elements = image.num_elements();
  if (elements == 0) return;
  const Lines<T> lines = LinesOf<T>(ops, args, channels);
  const int64_t run = layout.channels_second ? elements / (image.dim(0) * channels) : channels;
  T* x = image.mutable_data<T>();
  for (int64_t i = 0; i < elements / run; ++i, x += run) {
    if (layout.channels_second) {
      const auto channel = static_cast<size_t>(i % channels);
      FinishPlane(lines.before[channel], lines.scale[channel], lines.after[channel], run, x);
    } else {
      FinishRow(lines.before.data(), lines.scale.data(), lines.after.data(), run, x);
    }
    Activate(ops, run, x);
  }
}

}  // namespace

Status FinishChannels(const FusedOps& ops, const ImageLayout& layout,
                      const std::vector<Tensor>& args, Tensor& image) {
  TAGFLOW_RETURN_IF_ERROR(CheckFusedArgs(args, image.dim(layout.channel())));
  if (image.dtype() == DType::kFloat) {
    FinishAll<float>(ops, layout, args, image);
  } else {
    FinishAll<double>(ops, layout, args, image);
  }
  return Status();
}

}  // namespace tagflow::optimized
