// Fourier transforms along the last dimensions.

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "graph/ops/families.h"
#include "graph/ops/shape_functions.h"

namespace tagflow {
namespace {

constexpr int64_t kUnknown = PartialShape::kUnknownDim;
constexpr char kComplex[] = "Tcomplex: {complex64, complex128} = DT_COMPLEX64";
constexpr char kReal[] = "Treal: {float, double} = DT_FLOAT";

template <int kRank>
Status SameShape(ShapeContext& context) {
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRankAtLeast(context, 0, kRank));
  context.set_output(0, context.input(0));
  return Status();
}

// Inputs: data, and how many elements each transform is of. Of real numbers transforms are
// symmetric, so that half of them is given, or taken.
template <int kRank, bool kGivesHalf>
Status LengthsShape(ShapeContext& context) {
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRankAtLeast(context, 0, kRank));
  TAGFLOW_RETURN_IF_ERROR(MergeShapes(context.input(1), PartialShape(Dims{kRank})).status());
  const PartialShape& input = context.input(0);
  if (!input.known_rank()) return Status();
  Dims lengths(kRank, kUnknown);
  const std::optional<Dims> constant = shapes::ConstantInts(context, 1);
  if (constant.has_value() && constant->size() == kRank) lengths = *constant;
  for (int64_t& length : lengths) {
    if (length < 0) length = kUnknown;  // the kernels refuse it
  }
  if (kGivesHalf && lengths.back() > 0) lengths.back() = lengths.back() / 2 + 1;
  Dims dims = input.dims();
  std::copy(lengths.begin(), lengths.end(), dims.end() - kRank);
  context.set_output(0, PartialShape(std::move(dims)));
  return Status();
}

// "", "2D" or "3D" behind a name.
std::string Named(const char* name, int rank) {
  return rank == 1 ? name : name + std::to_string(rank) + "D";
}
std::string OverDimensions(const char* what, int rank) {
  const std::string over =
      rank == 1 ? "the last dimension" : "the last " + std::to_string(rank) + " dimensions";
  return std::string(what) + " over " + over + ".";
}

template <int kRank>
std::vector<OpDefBuilder> TransformsOf() {
  const auto of_complex = [](const char* name, const char* what) {
    return OpDefBuilder(Named(name, kRank))
        .Input("input: Tcomplex")
        .Output("output: Tcomplex")
        .Attr(kComplex)
        .Rounds(Rounding::kOfManySteps)
        .Summary(OverDimensions(what, kRank))
        .Shape(SameShape<kRank>);
  };
  const auto of_real = [](const char* name, const char* input, const char* output,
                          const char* what) {
    return OpDefBuilder(Named(name, kRank))
        .Input(input)
        .Input("fft_length: int32", ArgRole::kShape)
        .Output(output)
        .Attr(kReal)
        .Attr(kComplex)
        .Rounds(Rounding::kOfManySteps)
        .Summary(OverDimensions(what, kRank));
  };
  return {
      of_complex("FFT", "The Fourier transform"),
      of_complex("IFFT", "The inverse Fourier transform"),
      of_real("RFFT", "input: Treal", "output: Tcomplex",
              "Half of the Fourier transform of real numbers")
          .Shape(LengthsShape<kRank, true>),
      of_real("IRFFT", "input: Tcomplex", "output: Treal",
              "The real numbers of half of a Fourier transform")
          .Shape(LengthsShape<kRank, false>),
  };
}

}  // namespace

Status RegisterFourierOps(OpRegistry& registry) {
  for (const auto& ops : {TransformsOf<1>(), TransformsOf<2>(), TransformsOf<3>()}) {
    TAGFLOW_RETURN_IF_ERROR(RegisterAll(registry, ops));
  }
  return Status();
}

}  // namespace tagflow
