// Gradients of the ops that fold dimensions away, and of scans. A maximum that several elements
// share is shared out among them equally, as in TensorFlow; a product needs no division, so that
// zeros get the product of the others.

#include <algorithm>
#include <vector>

#include "transform/gradients/families.h"
#include "transform/gradients/gradient_ops.h"
#include "transform/gradients/recurrence.h"

namespace tagflow {
namespace {

// The dimensions that are folded, ascending, where rank and axes are known.
bool KnownAxes(const NodeGradient& node, std::vector<int32_t>* axes) {
  const PartialShape shape = node.input_shape(0);
  const Tensor* named = node.constant_input(1);
  if (!shape.known_rank() || named == nullptr) return false;
  for (int64_t i = 0; i < named->num_elements(); ++i) {
    const auto axis =
        named->dtype() == DType::kInt32 ? named->data<int32_t>()[i] : named->data<int64_t>()[i];
    axes->push_back(static_cast<int32_t>(axis < 0 ? axis + shape.rank() : axis));
  }
  std::sort(axes->begin(), axes->end());
  axes->erase(std::unique(axes->begin(), axes->end()), axes->end());
  return true;
}

// The axes as a vector of int32, each counted from the first.
Output ComputedAxes(NodeGradient& node) {
  const Scope& scope = node.scope();
  const Output axes = Reshape(scope, Cast(scope, node.input(1), DType::kInt32),
                              Const(scope, std::vector<int32_t>{-1}));
  return FloorMod(scope, axes, RankOf(node, 0));
}

// A tensor of the output's shape with the folded dimensions back in their places, of size 1.
Output Unfolded(NodeGradient& node, const Output& folded) {
  const Scope& scope = node.scope();
  if (BoolAttrOf(node, "keep_dims")) return folded;
  std::vector<int32_t> axes;
  if (KnownAxes(node, &axes)) {
    Output unfolded = folded;
    for (const int32_t axis : axes) unfolded = ExpandDims(scope, unfolded, axis);
    return unfolded;
  }
  const Output dims = node.shape_of_input(0);
  const Output computed = ComputedAxes(node);
  const Output places = Range(scope, 0, RankOf(node, 0), 1);
  const Output kept =
      Op(scope, "DynamicStitch",
         {OutputList{places, computed}, OutputList{dims, OnesLike(scope, computed)}});
  return Reshape(scope, folded, kept);
}

Output Repeated(NodeGradient& node, const Output& folded) {
  return BroadcastTo(node.scope(), Unfolded(node, folded), node.shape_of_input(0));
}

Status SumGradient(NodeGradient& node) {
  node.Give(0, Repeated(node, node.grad(0)));
  return Status();
}

// How many elements of the input go into one of the output, in the output's dtype.
Output Count(NodeGradient& node) {
  const Scope& scope = node.scope();
  const PartialShape from = node.input_shape(0);
  const PartialShape to = node.output_shape(0);
  const DType dtype = node.output_dtype(0);
  if (from.fully_known() && to.fully_known()) {
    const int64_t all = *NumElements(from.dims());
    const int64_t left = *NumElements(to.dims());
    return Cast(scope, Const(scope, all / std::max<int64_t>(left, 1)), dtype);
  }
  const auto size = [&](const Output& dims) -> Output {
    return Op(scope, "Prod", {Cast(scope, dims, DType::kInt64), 0});
  };
  const Output left = Maximum(scope, size(node.shape_of_output(0)), int64_t{1});
  return Cast(scope, FloorDiv(scope, size(node.shape_of_input(0)), left), dtype);
}

Status MeanGradient(NodeGradient& node) {
  const Output share = RealDiv(node.scope(), node.grad(0), Count(node));
  node.Give(0, Repeated(node, share));
  return Status();
}

Status ExtremeGradient(NodeGradient& node) {
  const Scope& scope = node.scope();
  const Output x = node.input(0);
  const Output chosen =
      Cast(scope, Equal(scope, x, Unfolded(node, node.output(0))), node.output_dtype(0));
  const Output count = Sum(scope, chosen, node.input(1), true);
  node.Give(0, Mul(scope, RealDiv(scope, chosen, count), Unfolded(node, node.grad(0))));
  return Status();
}

// Of equal ones each has its share.
//   input, n -> values: one of each row
Status NthElementGradient(NodeGradient& node) {
  const Scope& scope = node.scope();
  const Output x = node.input(0);
  const auto column = [&](const Output& values) { return ExpandDims(scope, values, -1); };
  const Output chosen = Cast(scope, Equal(scope, x, column(node.output(0))), node.output_dtype(0));
  const Output count = Sum(scope, chosen, -1, true);
  node.Give(0, Mul(scope, RealDiv(scope, chosen, count), column(node.grad(0))));
  return Status();
}

Output ScanProduct(const Scope& scope, const Output& x, const Input& axis, bool reverse) {
  return Op(scope, "Cumprod", {x, axis}, {{"exclusive", true}, {"reverse", reverse}});
}
// For each element the product of the others along the axis.
Output ProductOfOthers(const Scope& scope, const Output& x, const Input& axis) {
  return Mul(scope, ScanProduct(scope, x, axis, false), ScanProduct(scope, x, axis, true));
}

// With the folded dimensions brought to the front and made one.
Output ProductOfOthersOverAxes(NodeGradient& node, const Output& x) {
  const Scope& scope = node.scope();
  const Output axes = ComputedAxes(node);
  const Output places = Range(scope, 0, RankOf(node, 0), 1);
  const Output rest = Op(scope, "ListDiff", {places, axes})[0];
  const Output folded = Op(scope, "Unique", {axes})[0];
  const Output order = Concat(scope, {folded, rest}, 0);
  const Output turned = Transpose(scope, x, order);
  const Output dims = node.shape_of_input(0);
  const auto size = [&](const Output& which) -> Output {
    return Op(scope, "Prod", {Gather(scope, dims, which, 0), 0});
  };
  const Output flat = Reshape(scope, turned, Pack(scope, {size(folded), size(rest)}));
  const Output others = Reshape(scope, ProductOfOthers(scope, flat, 0), Shape(scope, turned));
  return Transpose(scope, others, Op(scope, "InvertPermutation", {order}));
}

Status ProdGradient(NodeGradient& node) {
  const Scope& scope = node.scope();
  const Output x = Conjugate(scope, node.input(0));
  std::vector<int32_t> axes;
  Output others;
  if (KnownAxes(node, &axes) && axes.empty()) {
    others = OnesLike(scope, x);
  } else if (axes.size() == 1) {
    others = ProductOfOthers(scope, x, axes[0]);
  } else {
    others = ProductOfOthersOverAxes(node, x);
  }
  node.Give(0, Mul(scope, Unfolded(node, node.grad(0)), others));
  return Status();
}

// A norm is real, whatever its dtype.
Status EuclideanNormGradient(NodeGradient& node) {
  const Scope& scope = node.scope();
  const Output direction = RealDiv(scope, node.input(0), Unfolded(node, node.output(0)));
  node.Give(0, Mul(scope, Unfolded(node, RealPart(scope, node.grad(0))), direction));
  return Status();
}

Status L2LossGradient(NodeGradient& node) {
  node.Give(0, Mul(node.scope(), node.grad(0), node.input(0)));
  return Status();
}

Status CumsumGradient(NodeGradient& node) {
  const bool exclusive = BoolAttrOf(node, "exclusive");
  const bool reverse = BoolAttrOf(node, "reverse");
  node.Give(0, Op(node.scope(), "Cumsum", {node.grad(0), node.input(1)},
                  {{"exclusive", exclusive}, {"reverse", !reverse}}));
  return Status();
}

// With p the product of all before i, the derivative by x[i] is
//   p (g[i] + x[i+1] (g[i+1] + x[i+2] (...))),   or without the first g if i is excluded.
Status CumprodGradient(NodeGradient& node) {
  const Scope& scope = node.scope();
  const ScanAxis axis(node, BoolAttrOf(node, "reverse"));
  const Output x = axis.Flat(Conjugate(scope, node.input(0)));
  const Output g = axis.Flat(node.grad(0));
  const Output own = BoolAttrOf(node, "exclusive") ? axis.Shifted(g) : g;
  const Output sums = axis.Solve(axis.Shifted(x), own);
  node.Give(0, axis.Back(Mul(scope, ScanProduct(scope, x, 1, false), sums)));
  return Status();
}

// With y[j] = log(sum of exp(x[k]) up to j), the derivative by x[i] is the sum over j >= i of
//   g[j] exp(x[i] - y[j]) = exp(x[i] - y[i]) (g[i] + exp(y[i] - y[i+1]) (g[i+1] + ...))
// in which no exponent is above 0. If i is excluded from y[i], it begins with i + 1.
Status CumulativeLogsumexpGradient(NodeGradient& node) {
  const Scope& scope = node.scope();
  const ScanAxis axis(node, BoolAttrOf(node, "reverse"));
  const Output x = axis.Flat(node.input(0));
  const Output y = axis.Flat(node.output(0));
  const Output g = axis.Flat(node.grad(0));
  const Output decay = axis.WithZero(Exp(scope, Sub(scope, axis.AllButLast(y), axis.Next(y))));
  Output sums, own;
  if (BoolAttrOf(node, "exclusive")) {
    sums = axis.Solve(axis.Shifted(decay), axis.Shifted(g));
    own = axis.WithZero(Exp(scope, Sub(scope, axis.AllButLast(x), axis.Next(y))));
  } else {
    sums = axis.Solve(decay, g);
    own = Exp(scope, Sub(scope, x, y));
  }
  node.Give(0, axis.Back(Mul(scope, own, sums)));
  return Status();
}

const GradientEntry kEntries[] = {
    {"Sum", SumGradient},
    {"Mean", MeanGradient},
    {"Prod", ProdGradient},
    {"Max", ExtremeGradient},
    {"NthElement", NthElementGradient},
    {"Min", ExtremeGradient},
    {"EuclideanNorm", EuclideanNormGradient},
    {"L2Loss", L2LossGradient},
    {"Cumsum", CumsumGradient},
    {"Cumprod", CumprodGradient},
    {"CumulativeLogsumexp", CumulativeLogsumexpGradient},
};

const char* const kStops[] = {
    // Truth values and places.
    "All",
    "Any",
    "ArgMax",
    "ArgMin",
};

}  // namespace

Status RegisterReductionGradients(GradientRegistry& registry) {
  TAGFLOW_RETURN_IF_ERROR(RegisterAll(registry, kEntries));
  return RegisterStops(registry, kStops);
}

}  // namespace tagflow
