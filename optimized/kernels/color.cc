// Colors of images: between red, green, blue and hue, saturation, value, and changed as a whole.
// Colors, and images, are independent of each other.
//
// All but means is computed step by step as in TensorFlow, in the dtype: hues jump where two parts
// of a color are equal, and where a circle ends.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "optimized/kernels/computing.h"
#include "optimized/kernels/families.h"
#include "optimized/kernels/formula.h"
#include "optimized/kernels/registration.h"

namespace tagflow::optimized {
namespace {

constexpr double kNsPerColor = 8;

// ---- Conversions ----

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
void ToHsv(const C* from, C* to) {
  const C red = from[0], green = from[1], blue = from[2];
  const C value = Larger(Larger(red, green), blue);
  const C range = value - Smaller(Smaller(red, green), blue);
  const C norm = C(1) / range * (C(1) / C(6));
  C hue(0);
  if (range > C(0)) {
    if (red == value) {
      hue = norm * (green - blue);
    } else if (green == value) {
      hue = norm * (blue - red) + C(2) / C(6);
    } else {
      hue = norm * (red - green) + C(4) / C(6);
    }
    if (hue < C(0)) hue = hue + C(1);
  }
  to[0] = hue;
  to[1] = value > C(0) ? range / value : C(0);
  to[2] = value;
}

template <typename C>
C DistanceFrom(C x, double y) {
  return x < C(y) ? C(y) - x : x - C(y);
}

template <typename C>
void ToRgb(const C* from, C* to) {
  const C angle = from[0] * C(6), saturation = from[1], value = from[2];
  const C white = C(1) - saturation;
  const auto part = [&](C share) {
    if (share < C(0)) share = C(0);
    if (share > C(1)) share = C(1);
    return (white + saturation * share) * value;
  };
  to[0] = part(DistanceFrom(angle, 3) - C(1));
  to[1] = part(C(2) - DistanceFrom(angle, 2));
  to[2] = part(C(2) - DistanceFrom(angle, 4));
}

//   images: floats [..., 3];  output: the same shape, one color made of another
//   Errors: INVALID_ARGUMENT (a scalar), FAILED_PRECONDITION (channels), RESOURCE_EXHAUSTED
template <typename C, void (*kChange)(const C*, C*)>
Status Convert(KernelContext& context) {
  const Tensor& images = context.input(0);
  if (images.rank() < 1) return InvalidArgument("input must be at least 1D");
  if (images.dims().back() != 3) {
    return FailedPrecondition("input must have 3 channels but input only has " +
                              std::to_string(images.dims().back()) + " channels.");
  }
  TAGFLOW_ASSIGN_OR_RETURN(const auto from, ElementsAs<C>::Of(images));
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, images.dtype(), images.dims(), {0}));
  TAGFLOW_ASSIGN_OR_RETURN(auto to, ElementsFor<C>::Of(*out));
  context.ForRanges(from.size() / 3, kNsPerColor, [&](int64_t begin, int64_t end) {
    for (int64_t i = 3 * begin; i < 3 * end; i += 3) kChange(from.data() + i, to.data() + i);
  });
  to.Finish();
  return Status();
}

template <typename C>
BoundKernel Conversion(bool to_hsv) {
  return to_hsv ? BoundKernel(Convert<C, ToHsv<C>>) : BoundKernel(Convert<C, ToRgb<C>>);
}

template <bool to_hsv>
Result<BoundKernel> BindConversion(const Binding& binding) {
  const DType dtype = binding.input_dtype(0);
  TAGFLOW_RETURN_IF_ERROR(RequireDType(binding, dtype, kFloats));
  if (dtype == DType::kHalf) return Conversion<RoundedHalf>(to_hsv);
  if (dtype == DType::kBFloat16) return Conversion<RoundedBFloat16>(to_hsv);
  return dtype == DType::kFloat ? Conversion<float>(to_hsv) : Conversion<double>(to_hsv);
}

// ---- Hues and saturations ----

// The circle of hues has six sectors. In each of them, where the greatest part of a color is, the
// one between, and the least.
struct Sector {
  int most, between, least;
};
constexpr Sector kSectors[] = {{0, 1, 2}, {1, 0, 2}, {1, 2, 0}, {2, 1, 0}, {2, 0, 1}, {0, 2, 1}};

int SectorOf(const float* color) {
  const float red = color[0], green = color[1], blue = color[2];
  if (red < green) {
    if (blue < red) return 1;
    return blue > green ? 3 : 2;
  }
  if (blue < green) return 0;
  return blue > red ? 4 : 5;
}

// by: in sectors. What is no number is taken for the last sector's.
void TurnHue(const float* from, float by, float* to) {
  const int number = SectorOf(from);
  const float most = from[kSectors[number].most], least = from[kSectors[number].least];
  const float range = most - least;
  float hue = 0;
  if (most != least) {
    const float share = (from[kSectors[number].between] - least) / range;
    hue = static_cast<float>(number) + (number % 2 == 0 ? share : 1 - share);
  }
  hue = std::fmod(hue + by, 6.0F);
  if (hue < 0) hue += 6;
  if (hue >= 6) hue = 0;
  const int turned = hue < 5 ? static_cast<int>(hue) : 5;
  const float share = hue - static_cast<float>(turned);
  const Sector& sector = kSectors[turned];
  to[sector.most] = most;
  to[sector.between] = least + (turned % 2 == 0 ? share : 1 - share) * range;
  to[sector.least] = least;
}

void Saturate(const float* from, float scale, float* to) {
  const float red = from[0], green = from[1], blue = from[2];
  const float value = std::max(red, std::max(green, blue));
  const float range = value - std::min(red, std::min(green, blue));
  const float norm = 1 / (6 * range);
  float hue = 0;
  if (!(range <= 0)) {
    if (red == value) {
      hue = norm * (green - blue);
    } else if (green == value) {
      hue = norm * (blue - red) + 2.0F / 6;
    } else {
      hue = norm * (red - green) + 4.0F / 6;
    }
    if (hue < 0) hue += 1;
  }
  const float saturation = value > 0 ? range / value : 0;
  const float chroma = std::min(1.0F, std::max(0.0F, saturation * scale)) * value;
  const float gray = value - chroma, angle = hue * 6;
  std::fill_n(to, 3, gray);
  // A hue of 1, which one just below 0 is rounded to, is in no sector.
  if (!(angle >= 0 && angle < 6)) return;
  const Sector& sector = kSectors[static_cast<int>(angle)];
  to[sector.most] = chroma + gray;
  to[sector.between] = chroma * (1 - std::abs(std::fmod(angle, 2.0F) - 1)) + gray;
}

//   Errors: INVALID_ARGUMENT
Status CheckAdjustment(const KernelContext& context) {
  const DimsView dims = context.input(0).dims();
  if (dims.size() < 3) {
    return InvalidArgument("input must be at least 3-D, got shape" + DimsString(dims));
  }
  if (context.input(1).rank() == 0) return Status();
  return InvalidArgument("what images are adjusted by must be a scalar: " +
                         DimsString(context.input(1).dims()));
}

//   images: floats [..., 3];  by: a float, times `unit`
//   Errors: INVALID_ARGUMENT (shapes), RESOURCE_EXHAUSTED
template <void (*kChange)(const float*, float, float*)>
Status AdjustColors(float unit, KernelContext& context) {
  TAGFLOW_RETURN_IF_ERROR(CheckAdjustment(context));
  const Tensor& images = context.input(0);
  if (images.dims().back() != 3) {
    return InvalidArgument("input must have 3 channels but instead has " +
                           std::to_string(images.dims().back()) + " channels.");
  }
  const float by = *context.input(1).data<float>() * unit;
  const float* from = images.data<float>();
  const int64_t count = images.num_elements() / 3;
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, DType::kFloat, images.dims(), {}));
  float* to = out->mutable_data<float>();
  context.ForRanges(count, kNsPerColor, [&](int64_t begin, int64_t end) {
    for (int64_t i = 3 * begin; i < 3 * end; i += 3) kChange(from + i, by, to + i);
  });
  return Status();
}

// ---- Contrast ----

// One image, in place or not; `means` has room for a number for each channel.
void AdjustImage(const float* from, int64_t size, float factor, std::vector<double>& means,
                 float* to) {
  const int64_t channels = std::ssize(means);
  std::ranges::fill(means, 0);
  for (int64_t i = 0; i < size; i += channels) {
    for (int64_t c = 0; c < channels; ++c) means[static_cast<size_t>(c)] += from[i + c];
  }
  for (double& mean : means) mean /= static_cast<double>(size / channels);
  for (int64_t i = 0; i < size; i += channels) {
    for (int64_t c = 0; c < channels; ++c) {
      const auto mean = static_cast<float>(means[static_cast<size_t>(c)]);
      to[i + c] = mean + (from[i + c] - mean) * factor;
    }
  }
}

//   images: floats [..., rows, columns, channels];  contrast_factor: a scalar
//   Errors: INVALID_ARGUMENT (shapes), RESOURCE_EXHAUSTED
Status AdjustContrast(KernelContext& context) {
  TAGFLOW_RETURN_IF_ERROR(CheckAdjustment(context));
  const Tensor& images = context.input(0);
  const float factor = *context.input(1).data<float>();
  const float* from = images.data<float>();
  const int64_t count = images.num_elements();
  const DimsView sides = images.dims().last(3);
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, DType::kFloat, images.dims(), {}));
  if (count == 0) return Status();
  float* to = out->mutable_data<float>();
  const int64_t size = sides[0] * sides[1] * sides[2];
  context.ForRanges(count / size, 2.0 * static_cast<double>(size), [&](int64_t begin, int64_t end) {
    std::vector<double> means(static_cast<size_t>(sides[2]));
    for (int64_t i = begin * size; i < end * size; i += size) {
      AdjustImage(from + i, size, factor, means, to + i);
    }
  });
  return Status();
}

template <void (*kChange)(const float*, float, float*), int unit>
Result<BoundKernel> BindColors(const Binding& binding) {
  TAGFLOW_RETURN_IF_ERROR(RequireDType(binding, binding.input_dtype(0), SetOf(DType::kFloat)));
  return BoundKernel([](KernelContext& context) { return AdjustColors<kChange>(unit, context); });
}
Result<BoundKernel> BindContrast(const Binding& binding) {
  TAGFLOW_RETURN_IF_ERROR(RequireDType(binding, binding.input_dtype(0), SetOf(DType::kFloat)));
  return BoundKernel(AdjustContrast);
}

}  // namespace

Status RegisterColorKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"RGBToHSV", BindConversion<true>},
                                {"HSVToRGB", BindConversion<false>},
                                {"AdjustContrastv2", BindContrast},
                                {"AdjustHue", BindColors<TurnHue, 6>},
                                {"AdjustSaturation", BindColors<Saturate, 1>}});
}

}  // namespace tagflow::optimized
