// Which boxes to keep of many that overlap: the best, and then each in turn that overlaps none of
// those kept by more than a share, or whose score survives what the overlaps take of it.
//
// All is computed step by step as in TensorFlow, because boxes at the threshold are kept or not by
// the last bit: overlaps in float, then rounded to the dtype of the scores.

#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>
#include <string>
#include <vector>

#include "reference/kernels/array_util.h"
#include "reference/kernels/broadcast.h"
#include "reference/kernels/doubles.h"
#include "reference/kernels/dtype_set.h"
#include "reference/kernels/element.h"
#include "reference/kernels/families.h"

namespace tagflow::reference {
namespace {

struct Box {
  float top, left, bottom, right;
};

// The smaller and the larger of two; of numbers of which one is NaN, the first.
float Smaller(float a, float b) { return b < a ? b : a; }
float Larger(float a, float b) { return a < b ? b : a; }

// Any two corners that lie across from each other say what a box is.
std::vector<Box> BoxesOf(const Tensor& corners) {
  const std::vector<double> numbers = LoadDoubles(corners);
  const std::vector<float> at(numbers.begin(), numbers.end());
  std::vector<Box> boxes;
  for (size_t i = 0; i < at.size(); i += 4) {
    boxes.push_back({Smaller(at[i], at[i + 2]), Smaller(at[i + 1], at[i + 3]),
                     Larger(at[i], at[i + 2]), Larger(at[i + 1], at[i + 3])});
  }
  return boxes;
}

float AreaOf(const Box& box) { return (box.bottom - box.top) * (box.right - box.left); }

// The share that two boxes have in common of all that they cover, nothing where one is empty.
float OverlapOf(const Box& a, const Box& b) {
  const float area_a = AreaOf(a), area_b = AreaOf(b);
  if (area_a <= 0 || area_b <= 0) return 0;
  const float rows = Smaller(a.bottom, b.bottom) - Larger(a.top, b.top);
  const float columns = Smaller(a.right, b.right) - Larger(a.left, b.left);
  const float common = Larger(rows, 0) * Larger(columns, 0);
  return common / (area_a + area_b - common);
}

template <typename C>
struct Limits {
  int64_t kept_max = 0;
  C overlap{};
  C score{};  // a box is kept if its score is above
  C sigma{};  // above 0: overlaps lower scores, the more the smaller it is, and drop no box
};

// What an overlap leaves of a score.
template <typename C>
C ShareLeft(const Limits<C>& limits, C overlap) {
  if (!(limits.sigma > C(0))) return overlap <= limits.overlap ? C(1) : C(0);
  const C scale = C(-0.5) / limits.sigma;
  const C exponent = scale * overlap * overlap;
  return InDouble(exponent, [](double x) { return std::exp(x); });
}

template <typename C>
struct Candidate {
  C score;
  size_t box;
  size_t kept_before = 0;  // how many of the boxes kept its score knows of

  // Whether it comes after another one: by score, then by number.
  bool operator<(const Candidate& other) const {
    return score == other.score ? box > other.box : score < other.score;
  }
};

template <typename C>
struct Kept {
  std::vector<int64_t> boxes;
  std::vector<C> scores;
};

// Whether nothing is left of a candidate; else lowers its score for the boxes it does not know of,
// from the last one.
template <typename C>
bool IsDropped(const Limits<C>& limits, const std::vector<Box>& boxes, const Kept<C>& kept,
               Candidate<C>& candidate) {
  for (size_t i = kept.boxes.size(); i > candidate.kept_before; --i) {
    const Box& other = boxes[static_cast<size_t>(kept.boxes[i - 1])];
    const C overlap(static_cast<double>(OverlapOf(boxes[candidate.box], other)));
    candidate.score = candidate.score * ShareLeft(limits, overlap);
    if (!(limits.sigma > C(0)) && overlap > limits.overlap) return true;
    if (candidate.score <= limits.score) return true;
  }
  candidate.kept_before = kept.boxes.size();
  return false;
}

template <typename C>
Kept<C> Suppress(const Limits<C>& limits, const std::vector<Box>& boxes,
                 const std::vector<C>& scores) {
  std::priority_queue<Candidate<C>> candidates;
  for (size_t i = 0; i < scores.size(); ++i) {
    if (scores[i] > limits.score) candidates.push({scores[i], i});
  }
  Kept<C> kept;
  while (std::ssize(kept.boxes) < limits.kept_max && !candidates.empty()) {
    Candidate<C> candidate = candidates.top();
    candidates.pop();
    const C score = candidate.score;
    if (IsDropped(limits, boxes, kept, candidate)) continue;
    if (candidate.score == score) {
      kept.boxes.push_back(static_cast<int64_t>(candidate.box));
      kept.scores.push_back(score);
    } else if (candidate.score > limits.score) {
      candidates.push(candidate);  // its turn may come later now
    }
  }
  return kept;
}

// ---- Calls ----

Status CheckBoxes(const KernelContext& context) {
  const Tensor& boxes = context.inputs[0];
  const Tensor& scores = context.inputs[1];
  if (boxes.rank() != 2) return InvalidArgument("boxes must be 2-D" + DimsString(boxes.dims()));
  if (boxes.dim(1) != 4) return InvalidArgument("boxes must have 4 columns");
  if (scores.rank() != 1) return InvalidArgument("scores must be 1-D" + DimsString(scores.dims()));
  if (scores.dim(0) != boxes.dim(0)) return InvalidArgument("scores has incompatible shape");
  for (size_t i = 2; i < context.inputs.size(); ++i) {
    if (context.inputs[i].rank() == 0) continue;
    return InvalidArgument(context.node.def->inputs[i].name + " must be 0-D, got shape " +
                           DimsString(context.inputs[i].dims()));
  }
  return Status();
}

// A scalar as C, whichever dtype of floats it has.
template <typename C>
C ScalarAs(const Tensor& tensor) {
  return WithComputingType(tensor.dtype(), [&]<typename X>(Computing<X>) {
    if constexpr (FloatElement<X>) return C(static_cast<double>(Load<X>(tensor)[0]));
    return C();
  });
}

// Of inputs that CheckBoxes has seen: the share and the scores' threshold where they are there.
template <typename C>
Result<Limits<C>> LimitsOf(const KernelContext& context) {
  Limits<C> limits;
  TAGFLOW_ASSIGN_OR_RETURN(limits.kept_max, SingleIndex(context.inputs[2], "max_output_size"));
  if (limits.kept_max < 0) return InvalidArgument("output size must be non-negative");
  if (context.inputs.size() > 3) {
    limits.overlap = ScalarAs<C>(context.inputs[3]);
  } else {
    TAGFLOW_ASSIGN_OR_RETURN(const float share, FloatAttr(context.node, "iou_threshold"));
    limits.overlap = C(share);
  }
  if (!(limits.overlap >= C(0) && limits.overlap <= C(1))) {
    return InvalidArgument("iou_threshold must be in [0, 1]");
  }
  constexpr bool kIsHalf = kIsShort<C>;
  limits.score = C(kIsHalf ? -65504.0 : static_cast<double>(std::numeric_limits<float>::lowest()));
  if (context.inputs.size() > 4) limits.score = ScalarAs<C>(context.inputs[4]);
  if (context.inputs.size() > 5) {
    limits.sigma = ScalarAs<C>(context.inputs[5]);
    if (!(limits.sigma >= C(0))) return InvalidArgument("soft_nms_sigma_val must be >= 0");
  }
  return limits;
}

//   boxes: floats [n, 4], two corners of each as row, column, row, column;  scores: floats [n];
//   max_output_size: the most boxes to keep;  iou_threshold: in [0, 1];  score_threshold,
//   soft_nms_sigma: scalars
//   selected_indices, selected_scores: of the boxes kept, in order; with pad_to_max_output_size
//   zeros follow up to that size;  valid_outputs: how many are kept
//   Errors: UNIMPLEMENTED (dtype), INVALID_ARGUMENT (shapes, limits), RESOURCE_EXHAUSTED
template <typename C>
Status NonMaxSuppression(KernelContext& context) {
  TAGFLOW_RETURN_IF_ERROR(CheckBoxes(context));
  TAGFLOW_ASSIGN_OR_RETURN(const Limits<C> limits, LimitsOf<C>(context));
  const Result<bool> pads = BoolAttr(context.node, "pad_to_max_output_size");
  const bool is_padded = pads.ok() && *pads;
  if (is_padded) TAGFLOW_RETURN_IF_ERROR(RequireRoom(Dims{limits.kept_max}));
  Kept<C> kept = Suppress(limits, BoxesOf(context.inputs[0]), Load<C>(context.inputs[1]));
  const auto count = static_cast<int32_t>(kept.boxes.size());
  if (is_padded) {
    kept.boxes.resize(static_cast<size_t>(limits.kept_max), 0);
    kept.scores.resize(static_cast<size_t>(limits.kept_max), C(0));
  }
  const Dims dims = {std::ssize(kept.boxes)};
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], IndexTensor(DType::kInt32, dims, kept.boxes));
  const size_t outputs = context.outputs.size();
  if (outputs > 2) {
    TAGFLOW_ASSIGN_OR_RETURN(context.outputs[1],
                             Store(context.inputs[1].dtype(), dims, kept.scores));
  }
  if (outputs > 1) context.outputs[outputs - 1] = Tensor::Scalar(count);
  return Status();
}

Status NonMaxSuppressionOfFloats(KernelContext& context) {
  const DType dtype = context.inputs[0].dtype();
  TAGFLOW_RETURN_IF_ERROR(RequireDType(context.node.op, dtype, {DType::kHalf, DType::kFloat}));
  return dtype == DType::kFloat ? NonMaxSuppression<float>(context)
                                : NonMaxSuppression<Short<Half>>(context);
}

}  // namespace

Status RegisterNonMaxSuppressionKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"NonMaxSuppression", NonMaxSuppressionOfFloats},
                                {"NonMaxSuppressionV2", NonMaxSuppressionOfFloats},
                                {"NonMaxSuppressionV3", NonMaxSuppressionOfFloats},
                                {"NonMaxSuppressionV4", NonMaxSuppressionOfFloats},
                                {"NonMaxSuppressionV5", NonMaxSuppressionOfFloats}});
}

}  // namespace tagflow::reference
