// Which boxes to keep of many that overlap: the best, and then each in turn that overlaps none of
// those kept by more than a share, or whose score survives what the overlaps take of it.
//
// Candidates are in a heap, so that of many boxes only those that are looked at get sorted. The
// edges of the boxes kept lie in rows of their own, and a candidate's overlaps with them are
// computed as vectors, a block at a time from the last one kept, until one drops it. For n boxes of
// which k are kept that is at most n log n + n k steps, and memory for n + k boxes.
//
// Overlaps are computed in float and rounded to the dtype of the scores, step by step as in
// TensorFlow: boxes at the threshold are kept or not by the last bit.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "optimized/kernels/clones.h"
#include "optimized/kernels/computing.h"
#include "optimized/kernels/families.h"
#include "optimized/kernels/formula.h"
#include "optimized/kernels/int_view.h"
#include "optimized/kernels/registration.h"

namespace tagflow::optimized {
namespace {

// Of two numbers of which one is NaN, the first.
float Smaller(float a, float b) { return b < a ? b : a; }
float Larger(float a, float b) { return a < b ? b : a; }

struct Box {
  float top, left, bottom, right;
  float area;

  // Any two corners that lie across from each other say what a box is.
  template <typename C>
  static Box Between(const C* corners) {
    float at[4];
    for (int i = 0; i < 4; ++i) at[i] = static_cast<float>(static_cast<double>(corners[i]));
    Box box = {Smaller(at[0], at[2]), Smaller(at[1], at[3]), Larger(at[0], at[2]),
               Larger(at[1], at[3]), 0};
    box.area = (box.bottom - box.top) * (box.right - box.left);
    return box;
  }
};

// The boxes kept, in order.
struct KeptBoxes {
  std::vector<float> tops, lefts, bottoms, rights, areas;

  void Add(const Box& box) {
    tops.push_back(box.top);
    lefts.push_back(box.left);
    bottoms.push_back(box.bottom);
    rights.push_back(box.right);
    areas.push_back(box.area);
  }
};

constexpr size_t kBlock = 64;
using Overlaps = std::array<float, kBlock>;

// The shares that a box and boxes [begin, begin + count) have in common of all that the two cover,
// nothing where one is empty.
TAGFLOW_CLONES void FindOverlaps(const Box& box, const KeptBoxes& kept, size_t begin, size_t count,
                                 float* overlaps) {
  const float* tops = kept.tops.data() + begin;
  const float* lefts = kept.lefts.data() + begin;
  const float* bottoms = kept.bottoms.data() + begin;
  const float* rights = kept.rights.data() + begin;
  const float* areas = kept.areas.data() + begin;
  const float area = box.area;
  TAGFLOW_INDEPENDENT
  for (size_t i = 0; i < count; ++i) {
    const float rows = Smaller(box.bottom, bottoms[i]) - Larger(box.top, tops[i]);
    const float columns = Smaller(box.right, rights[i]) - Larger(box.left, lefts[i]);
    const float common = Larger(rows, 0) * Larger(columns, 0);
    const float share = common / (area + areas[i] - common);
    overlaps[i] = area <= 0 || areas[i] <= 0 ? 0 : share;
  }
}

// Whether one of the overlaps is above the limit, and whether one is no number.
struct Extremes {
  bool is_above = false;
  bool has_nan = false;
};
TAGFLOW_CLONES Extremes ExtremesOf(const float* overlaps, size_t count, float limit) {
  int above = 0, nan = 0;
  for (size_t i = 0; i < count; ++i) {
    above |= overlaps[i] > limit ? 1 : 0;
    nan |= overlaps[i] == overlaps[i] ? 0 : 1;
  }
  return {above != 0, nan != 0};
}

template <typename C>
float RoundedTo(float x) {
  return std::is_same_v<C, float> || x == 0 ? x : static_cast<float>(static_cast<double>(C(x)));
}

// C is what scores are computed in.
template <typename C>
struct Limits {
  int64_t kept_max = 0;
  C overlap{};
  C score{};  // a box is kept if its score is above
  C sigma{};  // above 0: overlaps lower scores, the more the smaller it is, and drop no box
};

template <typename C>
struct Candidate {
  C score;
  int32_t box;
  int32_t kept_before = 0;  // how many of the boxes kept its score knows of

  bool operator<(const Candidate& other) const {  // whether it comes later
    return score == other.score ? box > other.box : score < other.score;
  }
};

template <typename C>
struct Kept {
  std::vector<int32_t> boxes;
  std::vector<C> scores;
};

template <typename C>
class Suppression {
 public:
  // corners: four numbers for each of n boxes;  scores: n
  Suppression(const Limits<C>& limits, const C* corners, const C* scores, int64_t n)
      : limits_(limits), is_soft_(limits.sigma > C(0)), corners_(corners) {
    if (is_soft_) scale_ = C(-0.5) / limits.sigma;
    for (int64_t i = 0; i < n; ++i) {
      if (scores[i] > limits.score) heap_.push_back({scores[i], static_cast<int32_t>(i)});
    }
    std::make_heap(heap_.begin(), heap_.end());
  }

  Kept<C> Run() {
    Kept<C> kept;
    while (std::ssize(kept.boxes) < limits_.kept_max && !heap_.empty()) {
      std::pop_heap(heap_.begin(), heap_.end());
      Candidate<C> candidate = heap_.back();
      heap_.pop_back();
      const C score = candidate.score;
      const Box box = Box::Between(corners_ + 4 * int64_t{candidate.box});
      if (IsDropped(box, candidate)) continue;
      if (candidate.score == score) {
        kept.boxes.push_back(candidate.box);
        kept.scores.push_back(score);
        boxes_.Add(box);
      } else if (candidate.score > limits_.score) {
        heap_.push_back(candidate);  // its turn may come later now
        std::push_heap(heap_.begin(), heap_.end());
      }
    }
    return kept;
  }

 private:
  // Whether nothing is left of a candidate; else lowers its score for the boxes kept that it does
  // not know of.
  bool IsDropped(const Box& box, Candidate<C>& candidate) {
    const auto first = static_cast<size_t>(candidate.kept_before);
    Overlaps overlaps;
    bool has_nan = false;
    for (size_t end = boxes_.tops.size(); end > first;) {
      const size_t count = std::min(kBlock, end - first);
      end -= count;
      FindOverlaps(box, boxes_, end, count, overlaps.data());
      for (size_t i = 0; i < count; ++i) overlaps[i] = RoundedTo<C>(overlaps[i]);
      if (is_soft_) {
        if (IsWornOut(overlaps, count, candidate.score)) return true;
        continue;
      }
      const auto limit = static_cast<float>(static_cast<double>(limits_.overlap));
      const Extremes extremes = ExtremesOf(overlaps.data(), count, limit);
      if (extremes.is_above) return true;
      has_nan |= extremes.has_nan;
    }
    candidate.kept_before = static_cast<int32_t>(boxes_.tops.size());
    if (!has_nan) return false;
    candidate.score = candidate.score * C(0);  // as TensorFlow, for what is not below the limit
    return candidate.score <= limits_.score;
  }

  // Takes of a score what the overlaps do, from the last; true where that is too much.
  bool IsWornOut(const Overlaps& overlaps, size_t count, C& score) const {
    for (size_t i = count; i-- > 0;) {
      const C overlap(overlaps[i]);
      score = score * ByDouble(scale_ * overlap * overlap, [](double x) { return std::exp(x); });
      if (score <= limits_.score) return true;
    }
    return false;
  }

  const Limits<C> limits_;
  const bool is_soft_;
  C scale_{};
  const C* corners_;
  std::vector<Candidate<C>> heap_;
  KeptBoxes boxes_;
};

// ---- Calls ----

//   Errors: INVALID_ARGUMENT
Status CheckBoxes(const KernelContext& context) {
  const DimsView boxes = context.input(0).dims(), scores = context.input(1).dims();
  if (boxes.size() != 2) return InvalidArgument("boxes must be 2-D" + DimsString(boxes));
  if (boxes[1] != 4) return InvalidArgument("boxes must have 4 columns");
  if (scores.size() != 1) return InvalidArgument("scores must be 1-D" + DimsString(scores));
  if (scores[0] != boxes[0]) return InvalidArgument("scores has incompatible shape");
  if (boxes[0] > std::numeric_limits<int32_t>::max()) {
    return InvalidArgument("there are more boxes than an int32 can count");
  }
  for (int i = 2; i < context.num_inputs(); ++i) {
    if (context.input(i).rank() == 0) continue;
    return InvalidArgument("input " + std::to_string(i) + " must be 0-D, got shape " +
                           DimsString(context.input(i).dims()));
  }
  return Status();
}

// A scalar of floats or halves as C.
template <typename C>
C ScalarAs(const Tensor& tensor) {
  if (tensor.dtype() == DType::kFloat) return C(FirstAs<float>(tensor));
  return C(static_cast<double>(FirstAs<RoundedHalf>(tensor)));
}

// What the node says, for what is no input.
struct SuppressionRule {
  float overlap = 0;
  bool is_padded = false;
  DType dtype = DType::kFloat;
  size_t num_outputs = 1;
};

//   Errors: INVALID_ARGUMENT
template <typename C>
Result<Limits<C>> LimitsOf(const SuppressionRule& rule, const KernelContext& context) {
  Limits<C> limits;
  TAGFLOW_ASSIGN_OR_RETURN(limits.kept_max, ScalarInt(context.input(2), "max_output_size"));
  if (limits.kept_max < 0) return InvalidArgument("output size must be non-negative");
  const int inputs = context.num_inputs();
  limits.overlap = inputs > 3 ? ScalarAs<C>(context.input(3)) : C(rule.overlap);
  if (!(limits.overlap >= C(0) && limits.overlap <= C(1))) {
    return InvalidArgument("iou_threshold must be in [0, 1]");
  }
  constexpr bool kIsFloat = std::is_same_v<C, float>;
  limits.score = inputs > 4 ? ScalarAs<C>(context.input(4))
                            : C(kIsFloat ? std::numeric_limits<float>::lowest() : -65504.0F);
  if (inputs > 5) limits.sigma = ScalarAs<C>(context.input(5));
  if (!(limits.sigma >= C(0))) return InvalidArgument("soft_nms_sigma_val must be >= 0");
  return limits;
}

// values, and zeros behind them.
template <typename C>
Status Write(KernelContext& context, int i, DType dtype, int64_t size,
             const std::vector<C>& values) {
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(i, dtype, Dims{size}));
  TAGFLOW_ASSIGN_OR_RETURN(auto elements, ElementsFor<C>::Of(*out));
  std::fill(std::ranges::copy(values, elements.data()).out, elements.data() + size, C(0));
  elements.Finish();
  return Status();
}

//   boxes: floats [n, 4], two corners of each as row, column, row, column;  scores: floats [n];
//   max_output_size: the most boxes to keep;  iou_threshold, score_threshold, soft_nms_sigma:
//   scalars
//   selected_indices, selected_scores: of the boxes kept, in order;  valid_outputs: their number
//   Errors: INVALID_ARGUMENT (shapes, limits), RESOURCE_EXHAUSTED
template <typename C>
Status NonMaxSuppression(const SuppressionRule& rule, KernelContext& context) {
  TAGFLOW_RETURN_IF_ERROR(CheckBoxes(context));
  TAGFLOW_ASSIGN_OR_RETURN(const Limits<C> limits, LimitsOf<C>(rule, context));
  TAGFLOW_ASSIGN_OR_RETURN(const auto corners, ElementsAs<C>::Of(context.input(0)));
  TAGFLOW_ASSIGN_OR_RETURN(const auto scores, ElementsAs<C>::Of(context.input(1)));
  Suppression<C> suppression(limits, corners.data(), scores.data(), scores.size());
  const Kept<C> kept = suppression.Run();
  const auto count = static_cast<int32_t>(kept.boxes.size());
  const int64_t size = rule.is_padded ? limits.kept_max : count;
  TAGFLOW_RETURN_IF_ERROR(Write(context, 0, DType::kInt32, size, kept.boxes));
  if (rule.num_outputs > 2) {
    TAGFLOW_RETURN_IF_ERROR(Write(context, 1, rule.dtype, size, kept.scores));
  }
  if (rule.num_outputs > 1) {
    context.output(static_cast<int>(rule.num_outputs) - 1).SetScalar(count);
  }
  return Status();
}

Result<BoundKernel> BindNonMaxSuppression(const Binding& binding) {
  SuppressionRule rule;
  rule.dtype = binding.input_dtype(0);
  rule.num_outputs = binding.signature.outputs.size();
  TAGFLOW_RETURN_IF_ERROR(RequireDType(binding, rule.dtype, SetOf(DType::kHalf, DType::kFloat)));
  if (FindAttr(binding.node, "iou_threshold") != nullptr) {
    TAGFLOW_ASSIGN_OR_RETURN(rule.overlap, FloatAttr(binding.node, "iou_threshold"));
  }
  if (FindAttr(binding.node, "pad_to_max_output_size") != nullptr) {
    TAGFLOW_ASSIGN_OR_RETURN(rule.is_padded, BoolAttr(binding.node, "pad_to_max_output_size"));
  }
  if (rule.dtype == DType::kFloat) {
    return BoundKernel(
        [rule](KernelContext& context) { return NonMaxSuppression<float>(rule, context); });
  }
  return BoundKernel(
      [rule](KernelContext& context) { return NonMaxSuppression<RoundedHalf>(rule, context); });
}

}  // namespace

Status RegisterNonMaxSuppressionKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"NonMaxSuppression", BindNonMaxSuppression, Cost::kHeavy},
                                {"NonMaxSuppressionV2", BindNonMaxSuppression, Cost::kHeavy},
                                {"NonMaxSuppressionV3", BindNonMaxSuppression, Cost::kHeavy},
                                {"NonMaxSuppressionV4", BindNonMaxSuppression, Cost::kHeavy},
                                {"NonMaxSuppressionV5", BindNonMaxSuppression, Cost::kHeavy}});
}

}  // namespace tagflow::optimized
