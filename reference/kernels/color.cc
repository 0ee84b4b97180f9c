// Colors of images: between red, green, blue and hue, saturation, value, and changed as a whole.
//
// All but means is computed step by step as in TensorFlow, in the dtype: hues jump where two parts
// of a color are equal, and where a circle ends.

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "reference/kernels/array_util.h"
#include "reference/kernels/dtype_set.h"
#include "reference/kernels/element.h"
#include "reference/kernels/families.h"

namespace tagflow::reference {
namespace {

template <typename C>
using Color = std::array<C, 3>;

// Of two numbers of which one is NaN, the second.
template <typename C>
C Larger(C a, C b) {
  return a > b ? a : b;
}
template <typename C>
C Smaller(C a, C b) {
  return a < b ? a : b;
}

template <typename C>
C Magnitude(C x) {
  return x < C(0) ? -x : x;
}

// Red, green and blue to hue, saturation and value, each in [0, 1] where the parts are.
template <typename C>
Color<C> ToHsv(const Color<C>& color) {
  const auto [red, green, blue] = color;
  const C value = Larger(Larger(red, green), blue);
  const C range = value - Smaller(Smaller(red, green), blue);
  const C saturation = value > C(0) ? range / value : C(0);
  const C norm = C(1) / range * (C(1) / C(6));
  C hue = red == value     ? norm * (green - blue)
          : green == value ? norm * (blue - red) + C(2) / C(6)
                           : norm * (red - green) + C(4) / C(6);
  if (!(range > C(0))) hue = C(0);
  if (hue < C(0)) hue = hue + C(1);
  return {hue, saturation, value};
}

// A part of a color is what the hue's distance from the part's own says, between 0 and 1, mixed
// with white.
template <typename C>
Color<C> ToRgb(const Color<C>& color) {
  const auto [hue, saturation, value] = color;
  const auto part = [s = saturation, v = value](C share) {
    const C within = share < C(0) ? C(0) : share > C(1) ? C(1) : share;
    return ((C(1) - s) + s * within) * v;
  };
  const C angle = hue * C(6);
  return {part(Magnitude(angle - C(3)) - C(1)), part(C(2) - Magnitude(angle - C(2))),
          part(C(2) - Magnitude(angle - C(4)))};
}

// ---- The wheel of hues, of six sectors ----

// In each sector the numbers of a color's greatest part, of the one between, and of the least.
constexpr std::array<size_t, 3> kSectors[] = {{0, 1, 2}, {1, 0, 2}, {1, 2, 0},
                                              {2, 1, 0}, {2, 0, 1}, {0, 2, 1}};

size_t SectorOf(const Color<float>& color) {
  const auto [red, green, blue] = color;
  if (red < green) return blue < red ? 1 : blue > green ? 3 : 2;
  return blue < green ? 0 : blue > red ? 4 : 5;
}

// x - 6 n in [0, 6)
float Turned(float hue) {
  hue = std::fmod(hue, 6.0F);
  if (hue < 0) hue += 6;
  return hue >= 6 ? 0 : hue;
}

// The color whose greatest and least part are those of `color`, a sixth of a circle further for
// each 1 of `by`.
Color<float> TurnHue(const Color<float>& color, float by) {
  const auto& from = kSectors[SectorOf(color)];
  const float most = color[from[0]], least = color[from[2]];
  float hue = 0;
  if (most != least) {
    const float share = (color[from[1]] - least) / (most - least);
    const auto sector = static_cast<float>(SectorOf(color));
    hue = sector + (SectorOf(color) % 2 == 0 ? share : 1 - share);
  }
  hue = Turned(hue + by);
  const size_t sector = hue < 5 ? static_cast<size_t>(hue) : 5;
  const float share = hue - static_cast<float>(sector);
  const auto& to = kSectors[sector];
  Color<float> turned;
  turned[to[0]] = most;
  turned[to[1]] = least + (sector % 2 == 0 ? share : 1 - share) * (most - least);
  turned[to[2]] = least;
  return turned;
}

// A color whose saturation is `scale` times as much, but in [0, 1].
Color<float> Saturate(const Color<float>& color, float scale) {
  const auto [red, green, blue] = color;
  const float value = std::max(red, std::max(green, blue));
  const float range = value - std::min(red, std::min(green, blue));
  float saturation = value > 0 ? range / value : 0;
  const float norm = 1 / (6 * range);
  float hue = red == value     ? norm * (green - blue)
              : green == value ? norm * (blue - red) + 2.0F / 6
                               : norm * (red - green) + 4.0F / 6;
  if (range <= 0) hue = 0;
  if (hue < 0) hue += 1;
  saturation = std::min(1.0F, std::max(0.0F, saturation * scale));
  const float chroma = saturation * value, gray = value - chroma, angle = hue * 6;
  Color<float> saturated = {gray, gray, gray};
  // A hue of 1, which one just below 0 is rounded to, is in no sector.
  if (!(angle >= 0 && angle < 6)) return saturated;
  const auto& to = kSectors[static_cast<size_t>(angle)];
  saturated[to[0]] += chroma;
  saturated[to[1]] += chroma * (1 - std::abs(std::fmod(angle, 2.0F) - 1));
  return saturated;
}

// ---- Calls ----

//   input: [..., 3]
//   output: change(color) of each
//   Errors: INVALID_ARGUMENT (rank), `wrong_size` (channels), RESOURCE_EXHAUSTED
template <typename C, typename Change>
Result<Tensor> ForEachColor(const Tensor& input, Change change) {
  std::vector<C> values = Load<C>(input);
  for (size_t i = 0; i < values.size(); i += 3) {
    const Color<C> changed = change(Color<C>{values[i], values[i + 1], values[i + 2]});
    std::ranges::copy(changed, values.begin() + static_cast<std::ptrdiff_t>(i));
  }
  return Store(input.dtype(), input.dims(), values);
}

//   images: floats [..., 3];  output: the same shape
//   Errors: UNIMPLEMENTED (dtype), INVALID_ARGUMENT (a scalar), FAILED_PRECONDITION (channels)
template <bool to_hsv>
Status Convert(KernelContext& context) {
  const Tensor& images = context.inputs[0];
  TAGFLOW_RETURN_IF_ERROR(RequireDType(context.node.op, images.dtype(), kFloating));
  if (images.rank() < 1) return InvalidArgument("input must be at least 1D");
  if (images.dims().back() != 3) {
    return FailedPrecondition("input must have 3 channels but input only has " +
                              std::to_string(images.dims().back()) + " channels.");
  }
  return WithComputingType(images.dtype(), [&]<typename C>(Computing<C>) -> Status {
    if constexpr (FloatElement<C>) {
      const auto change = [](const Color<C>& c) { return to_hsv ? ToHsv(c) : ToRgb(c); };
      TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], ForEachColor<C>(images, change));
    }
    return Status();
  });
}

// The scalar that images change by.
//   Errors: UNIMPLEMENTED (dtype), INVALID_ARGUMENT (shapes)
Result<float> AdjustedBy(const KernelContext& context, bool of_colors) {
  const Tensor& images = context.inputs[0];
  TAGFLOW_RETURN_IF_ERROR(RequireDType(context.node.op, images.dtype(), {DType::kFloat}));
  if (images.rank() < 3) {
    return InvalidArgument("input must be at least 3-D, got shape" + DimsString(images.dims()));
  }
  TAGFLOW_RETURN_IF_ERROR(RequireScalar(context.inputs[1], context.node.def->inputs[1].name));
  if (of_colors && images.dims().back() != 3) {
    return InvalidArgument("input must have 3 channels but instead has " +
                           std::to_string(images.dims().back()) + " channels.");
  }
  return Load<float>(context.inputs[1])[0];
}

//   images: floats [..., 3];  delta: a scalar, 1 for all of the circle
Status AdjustHue(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const float delta, AdjustedBy(context, /*of_colors=*/true));
  const auto turn = [by = delta * 6](const Color<float>& color) { return TurnHue(color, by); };
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], ForEachColor<float>(context.inputs[0], turn));
  return Status();
}

//   images: floats [..., 3];  scale: a scalar
Status AdjustSaturation(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const float scale, AdjustedBy(context, /*of_colors=*/true));
  const auto saturate = [scale](const Color<float>& color) { return Saturate(color, scale); };
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], ForEachColor<float>(context.inputs[0], saturate));
  return Status();
}

//   images: floats [..., rows, columns, channels];  contrast_factor: a scalar
//   output: mean + (x - mean) * factor, with the mean of each channel of each image
Status AdjustContrast(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const float factor, AdjustedBy(context, /*of_colors=*/false));
  const Tensor& images = context.inputs[0];
  std::vector<float> values = Load<float>(images);
  const DimsView dims = images.dims();
  const auto channels = static_cast<size_t>(dims.back());
  const auto size = static_cast<size_t>(ProductOf(dims, dims.size() - 3, dims.size()));
  for (size_t begin = 0; begin < values.size(); begin += size) {
    for (size_t channel = begin; channel < begin + channels; ++channel) {
      double sum = 0;
      for (size_t i = channel; i < begin + size; i += channels) sum += values[i];
      const auto mean = static_cast<float>(sum / static_cast<double>(size / channels));
      for (size_t i = channel; i < begin + size; i += channels) {
        values[i] = mean + (values[i] - mean) * factor;
      }
    }
  }
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], Store(DType::kFloat, dims, values));
  return Status();
}

}  // namespace

Status RegisterColorKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"RGBToHSV", Convert<true>},
                                {"HSVToRGB", Convert<false>},
                                {"AdjustContrastv2", AdjustContrast},
                                {"AdjustHue", AdjustHue},
                                {"AdjustSaturation", AdjustSaturation}});
}

}  // namespace tagflow::reference
