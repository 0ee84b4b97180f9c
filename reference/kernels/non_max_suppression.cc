// Which boxes to keep of many that overlap: the best, and then each in turn that overlaps none of
// those kept by more than a share, or whose score survives what the overlaps take of it.
//
// All is computed step by step as in TensorFlow, because boxes at the threshold are kept or not by
// the last bit: overlaps in float, then rounded to the dtype of the scores.

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
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

// What boxes i and j have in common.
using OverlapBetween = std::function<float(size_t i, size_t j)>;
OverlapBetween OverlapOfBoxes(std::vector<Box> boxes) {
  return [boxes = std::move(boxes)](size_t i, size_t j) { return OverlapOf(boxes[i], boxes[j]); };
}

// Whether nothing is left of a candidate; else lowers its score for the boxes it does not know of,
// from the last one.
template <typename C>
bool IsDropped(const Limits<C>& limits, const OverlapBetween& overlap_between, const Kept<C>& kept,
               Candidate<C>& candidate) {
  for (size_t i = kept.boxes.size(); i > candidate.kept_before; --i) {
    const auto other = static_cast<size_t>(kept.boxes[i - 1]);
    const C overlap(static_cast<double>(overlap_between(candidate.box, other)));
    candidate.score = candidate.score * ShareLeft(limits, overlap);
    if (!(limits.sigma > C(0)) && overlap > limits.overlap) return true;
    if (candidate.score <= limits.score) return true;
  }
  candidate.kept_before = kept.boxes.size();
  return false;
}

template <typename C>
Kept<C> Suppress(const Limits<C>& limits, const OverlapBetween& overlap_between,
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
    if (IsDropped(limits, overlap_between, kept, candidate)) continue;
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

Status CheckScalars(const KernelContext& context) {
  for (size_t i = 2; i < context.inputs.size(); ++i) {
    if (context.inputs[i].rank() == 0) continue;
    return InvalidArgument(context.node.def->inputs[i].name + " must be 0-D, got shape " +
                           DimsString(context.inputs[i].dims()));
  }
  return Status();
}

// Of `columns` numbers for each box, and a score for each.
Status CheckBoxes(const KernelContext& context, int64_t columns) {
  const Tensor& boxes = context.inputs[0];
  const Tensor& scores = context.inputs[1];
  if (boxes.rank() != 2) return InvalidArgument("boxes must be 2-D" + DimsString(boxes.dims()));
  if (boxes.dim(1) != columns) {
    return InvalidArgument("boxes must have " + std::to_string(columns) + " columns");
  }
  if (scores.rank() != 1) return InvalidArgument("scores must be 1-D" + DimsString(scores.dims()));
  if (scores.dim(0) != boxes.dim(0)) return InvalidArgument("scores has incompatible shape");
  return CheckScalars(context);
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
  TAGFLOW_RETURN_IF_ERROR(CheckBoxes(context, 4));
  TAGFLOW_ASSIGN_OR_RETURN(const Limits<C> limits, LimitsOf<C>(context));
  const Result<bool> pads = BoolAttr(context.node, "pad_to_max_output_size");
  const bool is_padded = pads.ok() && *pads;
  if (is_padded) TAGFLOW_RETURN_IF_ERROR(RequireRoom(Dims{limits.kept_max}));
  Kept<C> kept =
      Suppress(limits, OverlapOfBoxes(BoxesOf(context.inputs[0])), Load<C>(context.inputs[1]));
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

//   overlaps: floats [n, n], what each two boxes have in common;  scores: floats [n];
//   max_output_size: the most boxes to keep;  overlap_threshold, score_threshold: scalars
//   selected_indices: of the boxes kept, in order
//   Errors: INVALID_ARGUMENT (shapes, sizes), RESOURCE_EXHAUSTED
Status NonMaxSuppressionWithOverlaps(KernelContext& context) {
  const Tensor& overlaps = context.inputs[0];
  if (overlaps.rank() != 2) return InvalidArgument("overlaps must be 2-D");
  TAGFLOW_RETURN_IF_ERROR(CheckBoxes(context, overlaps.dim(0)));
  Limits<float> limits;
  TAGFLOW_ASSIGN_OR_RETURN(limits.kept_max, SingleIndex(context.inputs[2], "max_output_size"));
  if (limits.kept_max < 0) return InvalidArgument("output size must be non-negative");
  limits.overlap = Load<float>(context.inputs[3])[0];
  limits.score = Load<float>(context.inputs[4])[0];
  const auto n = static_cast<size_t>(overlaps.dim(0));
  const auto between = [&, all = Load<float>(overlaps)](size_t i, size_t j) {
    return all[i * n + j];
  };
  const Kept<float> kept = Suppress<float>(limits, between, Load<float>(context.inputs[1]));
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0],
                           IndexTensor(DType::kInt32, Dims{std::ssize(kept.boxes)}, kept.boxes));
  return Status();
}

// ---- Boxes of several classes ----

// A box that was kept of a class.
struct Detection {
  float score;
  int64_t kind;  // the class
  std::array<float, 4> corners;
};

struct Detections {
  int64_t batch, boxes, boxes_per_place, kinds;  // of the inputs
  Limits<float> limits;                          // of each class
  int64_t kept_max;                              // of all classes
  bool clips;
};

//   Errors: INVALID_ARGUMENT (shapes, sizes, the threshold)
Result<Detections> DetectionsOf(const KernelContext& context) {
  const Tensor& boxes = context.inputs[0];
  const Tensor& scores = context.inputs[1];
  if (boxes.rank() != 4) return InvalidArgument("boxes must be 4-D [batch, num_boxes, q, 4]");
  if (scores.rank() != 3) return InvalidArgument("scores must be 3-D [batch, num_boxes, classes]");
  Detections all = {boxes.dim(0), boxes.dim(1), boxes.dim(2), scores.dim(2), {}, 0, true};
  if (all.boxes_per_place != 1 && all.boxes_per_place != all.kinds) {
    return InvalidArgument("third dimension of boxes must be either 1 or num classes");
  }
  if (boxes.dim(3) != 4) return InvalidArgument("boxes must have 4 columns");
  if (scores.dim(1) != all.boxes) return InvalidArgument("scores has incompatible shape");
  if (scores.dim(0) != all.batch) {
    return InvalidArgument("boxes and scores must have same batch size");
  }
  TAGFLOW_RETURN_IF_ERROR(CheckScalars(context));
  TAGFLOW_ASSIGN_OR_RETURN(all.limits.kept_max, SingleIndex(context.inputs[2], "max_output_size"));
  TAGFLOW_ASSIGN_OR_RETURN(all.kept_max, SingleIndex(context.inputs[3], "max_total_size"));
  if (all.limits.kept_max <= 0) return InvalidArgument("max_size_per_class must be positive");
  if (all.kept_max <= 0) return InvalidArgument("max_total_size must be > 0");
  all.limits.overlap = Load<float>(context.inputs[4])[0];
  all.limits.score = Load<float>(context.inputs[5])[0];
  if (!(all.limits.overlap >= 0 && all.limits.overlap <= 1)) {
    return InvalidArgument("iou_threshold must be in [0, 1]");
  }
  TAGFLOW_ASSIGN_OR_RETURN(all.clips, BoolAttr(context.node, "clip_boxes"));
  TAGFLOW_ASSIGN_OR_RETURN(const bool pads_per_class, BoolAttr(context.node, "pad_per_class"));
  if (pads_per_class) all.kept_max = std::min(all.kept_max, all.limits.kept_max * all.kinds);
  return all;
}

// The boxes that image `image` keeps, best first; of equal scores those of the first class, and in
// a class the first.
std::vector<Detection> Detect(const Detections& all, const Tensor& boxes,
                              const std::vector<float>& scores, int64_t image) {
  const std::vector<float> corners = Load<float>(boxes);
  std::vector<Detection> found;
  for (int64_t kind = 0; kind < all.kinds; ++kind) {
    std::vector<float> of_kind;
    std::vector<std::array<float, 4>> places;
    std::vector<Box> at;
    for (int64_t i = 0; i < all.boxes; ++i) {
      const int64_t number = image * all.boxes + i;
      of_kind.push_back(scores[static_cast<size_t>(number * all.kinds + kind)]);
      const int64_t which = all.boxes_per_place > 1 ? kind : 0;
      const float* box = corners.data() + 4 * (number * all.boxes_per_place + which);
      places.push_back({box[0], box[1], box[2], box[3]});
      at.push_back({Smaller(box[0], box[2]), Smaller(box[1], box[3]), Larger(box[0], box[2]),
                    Larger(box[1], box[3])});
    }
    // All that counts here is whether an overlap is above the limit: NaN, of boxes without bounds,
    // is not. (Scores that overlaps lower become NaN of it.)
    const auto overlap_of = [&at](size_t i, size_t j) {
      const float overlap = OverlapOf(at[i], at[j]);
      return overlap == overlap ? overlap : 0;
    };
    const Kept<float> kept = Suppress<float>(all.limits, overlap_of, of_kind);
    for (size_t i = 0; i < kept.boxes.size(); ++i) {
      found.push_back({kept.scores[i], kind, places[static_cast<size_t>(kept.boxes[i])]});
    }
  }
  std::ranges::stable_sort(found, std::greater(), &Detection::score);
  return found;
}

//   boxes: floats [batch, n, 1 or classes, 4];  scores: floats [batch, n, classes]; scalars: the
//   most boxes of a class and of an image, the share and the score as of NonMaxSuppressionV3
//   nmsed_boxes, nmsed_scores, nmsed_classes: floats [batch, most boxes of an image, 4 of boxes],
//   zeros behind the last;  valid_detections: int32 [batch], how many there are
//   Errors: INVALID_ARGUMENT, RESOURCE_EXHAUSTED
Status CombinedNonMaxSuppression(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const Detections all, DetectionsOf(context));
  const Dims dims = {all.batch, all.kept_max}, box_dims = {all.batch, all.kept_max, 4};
  TAGFLOW_RETURN_IF_ERROR(RequireRoom(box_dims));
  const auto total = static_cast<size_t>(*NumElements(dims));
  const auto per_image = static_cast<size_t>(all.kept_max);
  std::vector<float> boxes(4 * total), scores(total), classes(total);
  std::vector<int64_t> counts;
  const std::vector<float> given = Load<float>(context.inputs[1]);
  for (int64_t image = 0; image < all.batch; ++image) {
    std::vector<Detection> found = Detect(all, context.inputs[0], given, image);
    if (found.size() > per_image) found.resize(per_image);
    for (size_t i = 0; i < found.size(); ++i) {
      const size_t to = static_cast<size_t>(image) * per_image + i;
      scores[to] = found[i].score;
      classes[to] = static_cast<float>(found[i].kind);
      for (size_t corner = 0; corner < 4; ++corner) {
        const float place = found[i].corners[corner];
        boxes[4 * to + corner] = all.clips ? std::max(std::min(place, 1.0F), 0.0F) : place;
      }
    }
    counts.push_back(std::ssize(found));
  }
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], Store(DType::kFloat, box_dims, boxes));
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[1], Store(DType::kFloat, dims, scores));
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[2], Store(DType::kFloat, dims, classes));
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[3], IndexTensor(DType::kInt32, Dims{all.batch}, counts));
  return Status();
}

}  // namespace

Status RegisterNonMaxSuppressionKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"NonMaxSuppression", NonMaxSuppressionOfFloats},
                                {"NonMaxSuppressionV2", NonMaxSuppressionOfFloats},
                                {"NonMaxSuppressionV3", NonMaxSuppressionOfFloats},
                                {"NonMaxSuppressionV4", NonMaxSuppressionOfFloats},
                                {"NonMaxSuppressionV5", NonMaxSuppressionOfFloats},
                                {"NonMaxSuppressionWithOverlaps", NonMaxSuppressionWithOverlaps},
                                {"CombinedNonMaxSuppression", CombinedNonMaxSuppression}});
}

}  // namespace tagflow::reference
