// Which boxes to keep where what they have in common is given, and where each of several classes
// has boxes of its own.
//
// Candidates are sorted by score; each is held against those kept, from the last one, until one
// drops it. For n candidates of which k are kept that is at most n log n + n k steps. Classes of an
// image are independent of each other. Overlaps are computed in float, step by step as in
// TensorFlow: boxes at the threshold are kept or not by the last bit.

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <queue>
#include <string>
#include <vector>

#include "optimized/kernels/families.h"
#include "optimized/kernels/int_view.h"
#include "optimized/kernels/registration.h"

namespace tagflow::optimized {
namespace {

struct Candidate {
  float score;
  int32_t box;
  int32_t kept_before = 0;  // how many of the boxes kept it was held against
};

// Which of two comes first.
bool IsBetter(const Candidate& a, const Candidate& b) {
  return a.score == b.score ? a.box < b.box : a.score > b.score;
}

struct Limits {
  int64_t kept_max = 0;
  float overlap = 0;
  float score = 0;  // a box is kept if its score is above
};

//   Errors: INVALID_ARGUMENT
Status CheckScalars(const KernelContext& context) {
  for (int i = 2; i < context.num_inputs(); ++i) {
    if (context.input(i).rank() == 0) continue;
    return InvalidArgument("input " + std::to_string(i) + " must be 0-D, got shape " +
                           DimsString(context.input(i).dims()));
  }
  return Status();
}

// Those of n boxes whose scores are above a limit; score_at(i) is the score of box i.
template <typename ScoreAt>
std::vector<Candidate> CandidatesOf(int64_t n, float above, ScoreAt score_at) {
  std::vector<Candidate> candidates;
  for (int64_t i = 0; i < n; ++i) {
    const float score = score_at(i);
    if (score > above) candidates.push_back({score, static_cast<int32_t>(i)});
  }
  return candidates;
}

// ---- Given overlaps ----

class GivenOverlaps {
 public:
  GivenOverlaps(const Limits& limits, const float* overlaps, int64_t n)
      : limits_(limits), overlaps_(overlaps), n_(n) {}

  std::vector<int32_t> Keep(const float* scores) {
    std::priority_queue queue(
        [](const Candidate& a, const Candidate& b) { return IsBetter(b, a); },
        CandidatesOf(n_, limits_.score, [scores](int64_t i) { return scores[i]; }));
    while (std::ssize(kept_) < limits_.kept_max && !queue.empty()) {
      Candidate candidate = queue.top();
      queue.pop();
      const float score = candidate.score;
      if (IsDropped(candidate)) continue;
      if (candidate.score == score) {
        kept_.push_back(candidate.box);
      } else {
        queue.push(candidate);  // its turn may come later now
      }
    }
    return kept_;
  }

 private:
  // What overlaps by no number has no score left, which may be enough.
  bool IsDropped(Candidate& candidate) const {
    const float* row = overlaps_ + candidate.box * n_;
    const auto first = static_cast<size_t>(candidate.kept_before);
    for (size_t i = kept_.size(); i-- > first;) {
      const float overlap = row[kept_[i]];
      if (overlap > limits_.overlap) return true;
      if (!(overlap <= limits_.overlap)) candidate.score *= 0;
      if (candidate.score <= limits_.score) return true;
    }
    candidate.kept_before = static_cast<int32_t>(kept_.size());
    return !(candidate.score > limits_.score);
  }

  const Limits limits_;
  const float* overlaps_;
  const int64_t n_;
  std::vector<int32_t> kept_;
};

//   overlaps: floats [n, n];  scores: floats [n];  max_output_size, overlap_threshold,
//   score_threshold: scalars
//   selected_indices: int32, of the boxes kept, in order
//   Errors: INVALID_ARGUMENT (shapes, sizes), RESOURCE_EXHAUSTED
Status NonMaxSuppressionWithOverlaps(KernelContext& context) {
  const DimsView overlaps = context.input(0).dims(), scores = context.input(1).dims();
  if (overlaps.size() != 2) return InvalidArgument("overlaps must be 2-D");
  if (overlaps[0] != overlaps[1]) return InvalidArgument("overlaps must be square");
  if (scores.size() != 1) return InvalidArgument("scores must be 1-D");
  if (scores[0] != overlaps[0]) return InvalidArgument("scores has incompatible shape");
  if (scores[0] > std::numeric_limits<int32_t>::max()) {
    return InvalidArgument("there are more boxes than an int32 can count");
  }
  TAGFLOW_RETURN_IF_ERROR(CheckScalars(context));
  Limits limits;
  TAGFLOW_ASSIGN_OR_RETURN(limits.kept_max, ScalarInt(context.input(2), "max_output_size"));
  if (limits.kept_max < 0) return InvalidArgument("output size must be non-negative");
  limits.overlap = *context.input(3).data<float>();
  limits.score = *context.input(4).data<float>();
  GivenOverlaps given(limits, context.input(0).data<float>(), scores[0]);
  const std::vector<int32_t> kept = given.Keep(context.input(1).data<float>());
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * out,
                           context.Allocate(0, DType::kInt32, Dims{std::ssize(kept)}));
  std::ranges::copy(kept, out->mutable_data<int32_t>());
  return Status();
}

// ---- Boxes of several classes ----

// Of two numbers of which one is NaN, the first.
float Smaller(float a, float b) { return b < a ? b : a; }
float Larger(float a, float b) { return a < b ? b : a; }

struct Box {
  float top, left, bottom, right, area;

  explicit Box(const float* at)
      : top(Smaller(at[0], at[2])),
        left(Smaller(at[1], at[3])),
        bottom(Larger(at[0], at[2])),
        right(Larger(at[1], at[3])),
        area((bottom - top) * (right - left)) {}

  // The share that two have in common of all that they cover.
  float OverlapWith(const Box& other) const {
    if (area <= 0 || other.area <= 0) return 0;
    const float rows = Smaller(bottom, other.bottom) - Larger(top, other.top);
    const float columns = Smaller(right, other.right) - Larger(left, other.left);
    const float common = Larger(rows, 0) * Larger(columns, 0);
    return common / (area + other.area - common);
  }
};

struct Detection {
  float score;
  int32_t kind;  // the class
  const float* corners;
};

// What one call asks for.
struct Detector {
  int64_t images, boxes, boxes_per_place, kinds;
  Limits limits;      // of each class
  int64_t total_max;  // of all classes of an image
  const float* corners;
  const float* scores;

  // The boxes kept of a class, best first.
  std::vector<Detection> OfKind(int64_t image, int64_t kind) const {
    const float* from = scores + image * boxes * kinds + kind;
    const auto score_at = [&](int64_t i) { return from[i * kinds]; };
    std::vector<Candidate> candidates = CandidatesOf(boxes, limits.score, score_at);
    std::ranges::sort(candidates, IsBetter);
    std::vector<Detection> found;
    std::vector<Box> kept;
    for (const Candidate& candidate : candidates) {
      if (std::ssize(kept) >= limits.kept_max) break;
      const int64_t place = (image * boxes + candidate.box) * boxes_per_place;
      const float* at = corners + 4 * (place + (boxes_per_place > 1 ? kind : 0));
      const Box box(at);
      const auto drops = [&](const Box& other) { return box.OverlapWith(other) > limits.overlap; };
      if (std::any_of(kept.rbegin(), kept.rend(), drops)) continue;
      kept.push_back(box);
      found.push_back({candidate.score, static_cast<int32_t>(kind), at});
    }
    return found;
  }

  // Those of all classes, of equal scores the ones of the first class.
  std::vector<Detection> OfImage(int64_t image) const {
    std::vector<Detection> all;
    for (int64_t kind = 0; kind < kinds; ++kind) {
      const std::vector<Detection> found = OfKind(image, kind);
      all.insert(all.end(), found.begin(), found.end());
    }
    std::ranges::stable_sort(all, std::greater(), &Detection::score);
    if (std::ssize(all) > total_max) all.resize(static_cast<size_t>(total_max));
    return all;
  }
};

struct CombinedRule {
  bool pads_per_class = false;
  bool clips = true;
};

//   Errors: INVALID_ARGUMENT (shapes, sizes, the threshold)
Result<Detector> DetectorOf(const CombinedRule& rule, const KernelContext& context) {
  const DimsView boxes = context.input(0).dims(), scores = context.input(1).dims();
  if (boxes.size() != 4) return InvalidArgument("boxes must be 4-D [batch, num_boxes, q, 4]");
  if (scores.size() != 3) return InvalidArgument("scores must be 3-D [batch, num_boxes, classes]");
  if (boxes[2] != 1 && boxes[2] != scores[2]) {
    return InvalidArgument("third dimension of boxes must be either 1 or num classes");
  }
  if (boxes[3] != 4) return InvalidArgument("boxes must have 4 columns");
  if (scores[1] != boxes[1]) return InvalidArgument("scores has incompatible shape");
  if (scores[0] != boxes[0]) return InvalidArgument("boxes and scores must have same batch size");
  if (std::max(boxes[1], scores[2]) > std::numeric_limits<int32_t>::max()) {
    return InvalidArgument("there are more boxes or classes than an int32 can count");
  }
  TAGFLOW_RETURN_IF_ERROR(CheckScalars(context));
  Detector detector = {boxes[0],
                       boxes[1],
                       boxes[2],
                       scores[2],
                       {},
                       0,
                       context.input(0).data<float>(),
                       context.input(1).data<float>()};
  Limits& limits = detector.limits;
  TAGFLOW_ASSIGN_OR_RETURN(limits.kept_max, ScalarInt(context.input(2), "max_output_size"));
  if (limits.kept_max <= 0) return InvalidArgument("max_size_per_class must be positive");
  TAGFLOW_ASSIGN_OR_RETURN(detector.total_max, ScalarInt(context.input(3), "max_total_size"));
  if (detector.total_max <= 0) return InvalidArgument("max_total_size must be > 0");
  if (rule.pads_per_class) {
    detector.total_max = std::min(detector.total_max, limits.kept_max * detector.kinds);
  }
  limits.overlap = *context.input(4).data<float>();
  if (!(limits.overlap >= 0 && limits.overlap <= 1)) {
    return InvalidArgument("iou_threshold must be in [0, 1]");
  }
  limits.score = *context.input(5).data<float>();
  return detector;
}

// Where the boxes of all images go, each at its place.
struct DetectionTensors {
  float* boxes;
  float* scores;
  float* classes;
  int32_t* counts;

  void Write(int64_t image, int64_t room, const std::vector<Detection>& found, bool clips) const {
    int64_t place = image * room;
    for (const Detection& detection : found) {
      scores[place] = detection.score;
      classes[place] = static_cast<float>(detection.kind);
      for (int i = 0; i < 4; ++i) {
        const float at = detection.corners[i];
        boxes[4 * place + i] = clips ? std::max(std::min(at, 1.0F), 0.0F) : at;
      }
      ++place;
    }
    const int64_t end = (image + 1) * room;
    std::fill(scores + place, scores + end, 0.0F);
    std::fill(classes + place, classes + end, 0.0F);
    std::fill(boxes + 4 * place, boxes + 4 * end, 0.0F);
    counts[image] = static_cast<int32_t>(found.size());
  }
};

//   boxes: floats [batch, n, 1 or classes, 4];  scores: floats [batch, n, classes];  scalars: the
//   most boxes of a class and of an image, the share and the score that are the limits
//   nmsed_boxes, nmsed_scores, nmsed_classes: floats [batch, most boxes of an image, 4 of boxes];
//   valid_detections: int32 [batch]
//   Errors: INVALID_ARGUMENT, RESOURCE_EXHAUSTED
Status CombinedNonMaxSuppression(const CombinedRule& rule, KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const Detector detector, DetectorOf(rule, context));
  const int64_t room = detector.total_max;
  const Dims dims = {detector.images, room};
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * boxes,
                           context.Allocate(0, DType::kFloat, Dims{detector.images, room, 4}));
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * scores, context.Allocate(1, DType::kFloat, dims));
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * classes, context.Allocate(2, DType::kFloat, dims));
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * counts,
                           context.Allocate(3, DType::kInt32, Dims{detector.images}));
  const DetectionTensors tensors = {boxes->mutable_data<float>(), scores->mutable_data<float>(),
                                    classes->mutable_data<float>(),
                                    counts->mutable_data<int32_t>()};
  const double ns_each = 100.0 * static_cast<double>(detector.boxes * detector.kinds);
  context.ForRanges(detector.images, ns_each, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) tensors.Write(i, room, detector.OfImage(i), rule.clips);
  });
  return Status();
}

Result<BoundKernel> BindCombined(const Binding& binding) {
  CombinedRule rule;
  TAGFLOW_ASSIGN_OR_RETURN(rule.pads_per_class, BoolAttr(binding.node, "pad_per_class"));
  TAGFLOW_ASSIGN_OR_RETURN(rule.clips, BoolAttr(binding.node, "clip_boxes"));
  return BoundKernel(
      [rule](KernelContext& context) { return CombinedNonMaxSuppression(rule, context); });
}

}  // namespace

Status RegisterBoxSelectionKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"NonMaxSuppressionWithOverlaps",
                                 Bind<NonMaxSuppressionWithOverlaps>, Cost::kHeavy},
                                {"CombinedNonMaxSuppression", BindCombined, Cost::kHeavy}});
}

}  // namespace tagflow::optimized
