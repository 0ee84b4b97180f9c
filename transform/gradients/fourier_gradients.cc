// Gradients of Fourier transforms. A transform is a matrix F of turns, and its adjoint is the
// inverse times the number of elements; that of real numbers is followed by taking half, and that
// of half a transform by mirroring, so that what is mirrored counts twice.

#include <string>
#include <utility>
#include <vector>

#include "transform/gradients/families.h"
#include "transform/gradients/gradient_ops.h"

namespace tagflow {
namespace {

std::string Named(const char* name, int rank) {
  return rank == 1 ? name : name + std::to_string(rank) + "D";
}

// The last `count` elements of a vector.
Output Last(const Scope& scope, const Output& vector, int32_t count) {
  return Op(scope, "StridedSlice",
            {vector, Const(scope, std::vector<int32_t>{-count}),
             Const(scope, std::vector<int32_t>{0}), Const(scope, std::vector<int32_t>{1})},
            {{"end_mask", int64_t{1}}});
}

// How many elements a transform has, whose lengths a vector spells, as one of `dtype`.
Output SizeOf(const Scope& scope, const Output& lengths, DType dtype) {
  return Cast(scope, Op(scope, "Prod", {lengths, Const(scope, int32_t{0})}), dtype);
}

// x cut off or filled up with zeros at the end of each of the last dimensions, so that they are
// those that a vector spells.
Output Fitted(const Scope& scope, const Output& x, const Output& x_dims, const Output& dims) {
  const Output common = Minimum(scope, x_dims, dims);
  const Output cut = Slice(scope, x, ZerosLike(scope, x_dims), common);
  const Output behind = Sub(scope, dims, common);
  return Op(scope, "Pad", {cut, Pack(scope, {ZerosLike(scope, behind), behind}, 1)});
}

// The vector `dims` with others for the last of them.
Output WithLast(const Scope& scope, const Output& dims, const Output& last, int rank) {
  const Output count = Sub(scope, Op(scope, "Size", {dims}), rank);
  const Output first = Slice(scope, dims, Const(scope, std::vector<int32_t>{0}),
                             Reshape(scope, count, Const(scope, std::vector<int32_t>{1})));
  return Concat(scope, {first, last}, 0);
}

GradientFunction OfComplex(const char* adjoint, int rank, bool is_inverse) {
  return [adjoint, rank, is_inverse](NodeGradient& node) {
    const Scope& scope = node.scope();
    const Output back = Op(scope, Named(adjoint, rank), {node.grad(0)});
    const Output size =
        SizeOf(scope, Last(scope, node.shape_of_input(0), rank), node.input_dtype(0));
    node.Give(0, is_inverse ? RealDiv(scope, back, size) : Mul(scope, back, size));
    return Status();
  };
}

// Of the gradients of half a transform, zeros for the other half, all goes back; what is real of it
// is the gradient.
GradientFunction OfReal(int rank) {
  return [rank](NodeGradient& node) {
    if (!node.wants(0)) return Status();
    const Scope& scope = node.scope();
    const Output lengths = node.input(1), dims = node.shape_of_input(0);
    const Output whole =
        Fitted(scope, node.grad(0), node.shape_of_output(0), WithLast(scope, dims, lengths, rank));
    const Output back = Op(scope, Named("IFFT", rank), {whole});
    const Output real = Op(scope, "Real", {back}, {{"Tout", node.input_dtype(0)}});
    const Output sums = Mul(scope, real, SizeOf(scope, lengths, node.input_dtype(0)));
    node.Give(0, Fitted(scope, sums, WithLast(scope, dims, lengths, rank), dims));
    return Status();
  };
}

// 1 for the elements of half a transform that are their own mirrors, which are the first and, of an
// even length, the last; 2 for all others.
Output Multiplicity(const Scope& scope, const Output& length, DType dtype) {
  const Output half = Add(scope, FloorDiv(scope, length, 2), 1);
  const Output k = Range(scope, 0, half, 1);
  const Output is_own =
      LogicalOr(scope, Equal(scope, k, 0), Equal(scope, Mul(scope, k, 2), length));
  return Cast(scope, Select(scope, is_own, 1, 2), dtype);
}

GradientFunction ToReal(int rank) {
  return [rank](NodeGradient& node) {
    if (!node.wants(0)) return Status();
    const Scope& scope = node.scope();
    const DType dtype = node.input_dtype(0);
    const Output lengths = node.input(1), dims = node.shape_of_input(0);
    const Output half =
        Op(scope, Named("RFFT", rank), {node.grad(0), lengths}, {{"Tcomplex", dtype}});
    const Output length = ElementAt(scope, lengths, rank - 1);
    const Output counted = Mul(scope, half, Multiplicity(scope, length, dtype));
    const Output shares = RealDiv(scope, counted, SizeOf(scope, lengths, dtype));
    node.Give(0, Fitted(scope, shares, Op(scope, "Shape", {shares}), dims));
    return Status();
  };
}

}  // namespace

Status RegisterFourierGradients(GradientRegistry& registry) {
  for (const int rank : {1, 2, 3}) {
    const std::pair<const char*, GradientFunction> entries[] = {
        {"FFT", OfComplex("IFFT", rank, false)},
        {"IFFT", OfComplex("FFT", rank, true)},
        {"RFFT", OfReal(rank)},
        {"IRFFT", ToReal(rank)},
    };
    for (const auto& [op, function] : entries) {
      TAGFLOW_RETURN_IF_ERROR(registry.Register(Named(op, rank), function));
    }
  }
  return Status();
}

}  // namespace tagflow
