// Dilation of images, and its gradients: each element of the output comes from one element of the
// image and one of the window, the first of those whose sum is the greatest.
//
// The channels of a place lie side by side, so that a step of a window is one pass over them: sums
// are compared with the greatest so far, and for gradients the numbers of the steps that gave them
// are kept. Places of the output are independent; gradients are added up in their order.

#include <algorithm>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "graph/ops/window_geometry.h"
#include "optimized/kernels/clones.h"
#include "optimized/kernels/computing.h"
#include "optimized/kernels/families.h"
#include "optimized/kernels/formula.h"
#include "optimized/kernels/registration.h"

namespace tagflow::optimized {
namespace {

// What the node says.
struct DilationRule {
  Dims strides, rates;  // of four dimensions
  WindowPadding padding = WindowPadding::kValid;
  DType dtype = DType::kFloat;
  int unused_bits = 0;  // of the computing type, where the dtype is of narrower integers
};

// What one call is about.
struct Dilation {
  WindowDim rows, columns;
  int64_t batch, depth;

  Dims output() const { return {batch, rows.count, columns.count, depth}; }
  int64_t places() const { return batch * rows.count * columns.count; }
};

//   Errors: INVALID_ARGUMENT (shapes, windows)
Result<Dilation> DilationOf(const DilationRule& rule, const KernelContext& context) {
  const DimsView input = context.input(0).dims(), filter = context.input(1).dims();
  if (input.size() != 4) return InvalidArgument("input must be 4-dimensional");
  if (filter.size() != 3) return InvalidArgument("filter must be 3-dimensional");
  if (input[3] != filter[2]) return InvalidArgument("input and filter must have the same depth");
  Dilation dilation = {{}, {}, input[0], input[3]};
  const auto windows = [&](size_t i) {
    return PlaceWindows({.image = input[i + 1],
                         .window = filter[i],
                         .stride = rule.strides[i + 1],
                         .dilation = rule.rates[i + 1]},
                        rule.padding);
  };
  TAGFLOW_ASSIGN_OR_RETURN(dilation.rows, windows(0));
  TAGFLOW_ASSIGN_OR_RETURN(dilation.columns, windows(1));
  return dilation;
}

// The least finite number of the rule's dtype.
template <typename C>
C Lowest(const DilationRule& rule) {
  if constexpr (Integer<C>) {
    return std::numeric_limits<C>::lowest() >> rule.unused_bits;
  } else if constexpr (std::is_same_v<C, RoundedHalf>) {
    return C(-65504.0);
  } else if constexpr (std::is_same_v<C, RoundedBFloat16>) {
    return C(-0x1.FEp127);
  } else {
    return std::numeric_limits<C>::lowest();
  }
}

// The sum in a dtype of that many fewer bits.
template <typename C>
C Sum(C x, C y, int unused_bits) {
  if constexpr (Integer<C>) {
    using Bits = std::make_unsigned_t<C>;
    return static_cast<C>(static_cast<Bits>(Plus(x, y)) << unused_bits) >> unused_bits;
  } else {
    return x + y;
  }
}

// A step of a window: `best` becomes the greater of itself and the sums.
template <typename C>
TAGFLOW_CLONES void Raise(const C* input, const C* filter, int64_t depth, int unused_bits,
                          C* best) {
  TAGFLOW_INDEPENDENT
  for (int64_t c = 0; c < depth; ++c) {
    const C sum = Sum(input[c], filter[c], unused_bits);
    best[c] = sum > best[c] ? sum : best[c];
  }
}

// The same; `steps` are the numbers of the steps that gave the greatest.
template <typename C>
void RaiseAndNote(const C* input, const C* filter, int64_t depth, int unused_bits, int64_t step,
                  C* best, int64_t* steps) {
  for (int64_t c = 0; c < depth; ++c) {
    const C sum = Sum(input[c], filter[c], unused_bits);
    if (!(sum > best[c])) continue;
    best[c] = sum;
    steps[c] = step;
  }
}

// Where a window lies for a place of the output.
struct Placed {
  int64_t image, top, left;
};
Placed PlaceOf(const Dilation& dilation, int64_t place) {
  const int64_t column = place % dilation.columns.count, above = place / dilation.columns.count;
  return {above / dilation.rows.count,
          above % dilation.rows.count * dilation.rows.stride - dilation.rows.padding_before,
          column * dilation.columns.stride - dilation.columns.padding_before};
}

// Calls visit(input, filter, step) for each step of a window within the image: where the channels
// of both lie.
template <typename C, typename Visit>
void ForEachStep(const Dilation& d, const Placed& at, const C* input, const C* filter,
                 Visit visit) {
  for (int64_t i = 0; i < d.rows.window; ++i) {
    const int64_t row = at.top + i * d.rows.dilation;
    if (row < 0 || row >= d.rows.image) continue;
    const C* line = input + (at.image * d.rows.image + row) * d.columns.image * d.depth;
    for (int64_t j = 0; j < d.columns.window; ++j) {
      const int64_t column = at.left + j * d.columns.dilation;
      if (column < 0 || column >= d.columns.image) continue;
      const int64_t step = i * d.columns.window + j;
      visit(line + column * d.depth, filter + step * d.depth, step);
    }
  }
}

double CostOf(const Dilation& dilation) {
  return 0.5 * static_cast<double>(dilation.rows.window) *
         static_cast<double>(dilation.columns.window) * static_cast<double>(dilation.depth);
}

//   input: [batch, rows, columns, channels];  filter: [rows, columns, channels]
//   output: [batch, windows along rows, … along columns, channels]
//   Errors: INVALID_ARGUMENT (shapes, windows), RESOURCE_EXHAUSTED
template <typename C>
Status Dilate(const DilationRule& rule, KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const Dilation dilation, DilationOf(rule, context));
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, rule.dtype, dilation.output()));
  if (out->num_elements() == 0) return Status();
  TAGFLOW_ASSIGN_OR_RETURN(const auto input, ElementsAs<C>::Of(context.input(0)));
  TAGFLOW_ASSIGN_OR_RETURN(const auto filter, ElementsAs<C>::Of(context.input(1)));
  TAGFLOW_ASSIGN_OR_RETURN(auto elements, ElementsFor<C>::Of(*out));
  context.ForRanges(dilation.places(), CostOf(dilation), [&](int64_t begin, int64_t end) {
    for (int64_t place = begin; place < end; ++place) {
      C* best = elements.data() + place * dilation.depth;
      std::fill_n(best, dilation.depth, Lowest<C>(rule));
      ForEachStep(dilation, PlaceOf(dilation, place), input.data(), filter.data(),
                  [&](const C* x, const C* y, int64_t) {
                    Raise(x, y, dilation.depth, rule.unused_bits, best);
                  });
    }
  });
  elements.Finish();
  return Status();
}

// The element of the image, or of the window, that a step is about; below 0 where there is none.
// The step -1 is of a window without a sum above the lowest number.
int64_t SourceOf(const Dilation& d, const Placed& at, int64_t step, bool of_input) {
  if (!of_input) return std::max<int64_t>(step, 0);
  int64_t row = std::max<int64_t>(at.top, 0), column = std::max<int64_t>(at.left, 0);
  if (step >= 0) {
    row = at.top + step / d.columns.window * d.rows.dilation;
    column = at.left + step % d.columns.window * d.columns.dilation;
  }
  if (row >= d.rows.image || column >= d.columns.image) return -1;
  return (at.image * d.rows.image + row) * d.columns.image + column;
}

//   input, filter: as of Dilate;  out_backprop: as its output
//   output: like input, or like filter
//   Errors: INVALID_ARGUMENT (shapes, windows), RESOURCE_EXHAUSTED
template <typename C, bool by_input>
Status Backprop(const DilationRule& rule, KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const Dilation dilation, DilationOf(rule, context));
  const Tensor& gradients = context.input(2);
  if (!std::ranges::equal(gradients.dims(), dilation.output())) {
    return InvalidArgument("out_backprop has incompatible size.");
  }
  const Tensor& like = context.input(by_input ? 0 : 1);
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, rule.dtype, like.dims()));
  TAGFLOW_ASSIGN_OR_RETURN(const auto input, ElementsAs<C>::Of(context.input(0)));
  TAGFLOW_ASSIGN_OR_RETURN(const auto filter, ElementsAs<C>::Of(context.input(1)));
  TAGFLOW_ASSIGN_OR_RETURN(const auto given, ElementsAs<C>::Of(gradients));
  TAGFLOW_ASSIGN_OR_RETURN(auto sums, ElementsFor<C>::Of(*out));
  std::fill_n(sums.data(), out->num_elements(), C(0));
  const int64_t depth = dilation.depth;
  std::vector<C> best(static_cast<size_t>(depth));
  std::vector<int64_t> steps(static_cast<size_t>(depth));
  const int64_t places = given.size() == 0 ? 0 : dilation.places();
  for (int64_t place = 0; place < places; ++place) {
    std::ranges::fill(best, Lowest<C>(rule));
    std::ranges::fill(steps, -1);
    const Placed at = PlaceOf(dilation, place);
    ForEachStep(dilation, at, input.data(), filter.data(),
                [&](const C* x, const C* y, int64_t step) {
                  RaiseAndNote(x, y, depth, rule.unused_bits, step, best.data(), steps.data());
                });
    for (int64_t c = 0; c < depth; ++c) {
      const int64_t source = SourceOf(dilation, at, steps[static_cast<size_t>(c)], by_input);
      if (source < 0) continue;
      C& sum = sums[source * depth + c];
      sum = Plus(sum, given[place * depth + c]);
    }
  }
  sums.Finish();
  return Status();
}

//   Errors: INVALID_ARGUMENT for another length, UNIMPLEMENTED for moves across batch and channels
Result<Dims> MovesOf(const Node& node, const char* name) {
  TAGFLOW_ASSIGN_OR_RETURN(const AttrList list, ListAttr(node, name));
  if (list.ints.size() != 4) return InvalidArgument(std::string(name) + " must have 4 elements");
  if (list.ints[0] == 1 && list.ints[3] == 1) return list.ints;
  return Unimplemented(std::string(name) + " are only supported across spatial dimensions.");
}

enum class Kind { kForward, kByInput, kByFilter };

template <Kind kind>
Result<BoundKernel> BindDilation(const Binding& binding) {
  DilationRule rule;
  rule.dtype = binding.input_dtype(0);
  TAGFLOW_RETURN_IF_ERROR(RequireDType(binding, rule.dtype, kReals));
  TAGFLOW_ASSIGN_OR_RETURN(rule.strides, MovesOf(binding.node, "strides"));
  TAGFLOW_ASSIGN_OR_RETURN(rule.rates, MovesOf(binding.node, "rates"));
  TAGFLOW_ASSIGN_OR_RETURN(const std::string padding, StringAttr(binding.node, "padding"));
  if (padding == "SAME") rule.padding = WindowPadding::kSame;
  return ForComputingType(rule.dtype, [&]<typename C>(Computing<C>) -> BoundKernel {
    if constexpr (Real<C>) {
      if (Integer<C>) {
        rule.unused_bits = static_cast<int>(8 * (sizeof(C) - DTypeSize(rule.dtype)));
      }
      if constexpr (kind == Kind::kForward) {
        return [rule](KernelContext& context) { return Dilate<C>(rule, context); };
      } else {
        return [rule](KernelContext& context) {
          return Backprop<C, kind == Kind::kByInput>(rule, context);
        };
      }
    } else {
      return BoundKernel();
    }
  });
}

}  // namespace

Status RegisterDilationKernels(KernelRegistry& registry) {
  return RegisterAll(registry,
                     {{"Dilation2D", BindDilation<Kind::kForward>, Cost::kHeavy},
                      {"Dilation2DBackpropInput", BindDilation<Kind::kByInput>, Cost::kHeavy},
                      {"Dilation2DBackpropFilter", BindDilation<Kind::kByFilter>, Cost::kHeavy}});
}

}  // namespace tagflow::optimized
