// CTCBeamSearchDecoder: which labels are likeliest, all paths that spell them taken together.
//
// Source: Graves, "Supervised sequence labelling with recurrent neural networks", 2012,
// section 7.5: prefix search, of which only the `beam_width` likeliest texts are kept after each
// time.
//
// Texts are the nodes of a tree, each a label after the text that its parent is. A node lives as
// long as it is kept, was kept before this time, or has a child that lives: what a search takes
// hangs on how many texts it keeps, not on how many it looks at. Probabilities are logarithms in
// double. Of texts that are equally likely the one that was found first comes first.
//
// Tested by conformance/ops/ctc.ops.

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "optimized/kernels/computing.h"
#include "optimized/kernels/families.h"
#include "optimized/kernels/int_view.h"
#include "optimized/kernels/registration.h"
#include "optimized/kernels/sparse_input.h"

namespace tagflow::optimized {
namespace {

constexpr double kLogZero = -std::numeric_limits<double>::infinity();
// Labels of all texts of a search, which take some memory themselves: a width may be any number.
constexpr int64_t kMostLabels = int64_t{1} << 22, kLabelsOfText = 32;

double LogSum(double a, double b) {
  if (a == kLogZero) return b;
  if (b == kLogZero) return a;
  const double most = a > b ? a : b, least = a > b ? b : a;
  return most + std::log1p(std::exp(least - most));
}

class Search {
 public:
  explicit Search(int64_t width) : width_(width) {}

  void Begin(int64_t time) {
    most_kept_ = kMostLabels / (std::max<int64_t>(time, 0) + kLabelsOfText);
    nodes_.assign(1, Node());
    free_.clear();
    children_.clear();
    kept_.clear();
    nodes_[0].now = {0, kLogZero, 0};
    Keep(0);
  }

  // Another time. logs: of the probability of each class, the blank being the last.
  //   Errors: RESOURCE_EXHAUSTED
  Status Step(const std::vector<double>& logs) {
    InOrder(before_);
    kept_.clear();
    for (const int32_t id : before_) {
      nodes_[Index(id)].before = nodes_[Index(id)].now;
      nodes_[Index(id)].was_kept = true;
    }
    for (const int32_t id : before_) {
      Stay(id, logs);
      Keep(id);
    }
    for (const int32_t id : before_) {
      if (!IsBetter(nodes_[Index(id)].before.total)) continue;
      for (size_t label = 0; label + 1 < logs.size(); ++label) {
        Grow(id, static_cast<int32_t>(label), logs[label]);
        if (static_cast<int64_t>(kept_.size()) <= most_kept_) continue;
        return ResourceExhausted("a search of " + std::to_string(kept_.size()) + " texts");
      }
    }
    for (const int32_t id : before_) {
      nodes_[Index(id)].was_kept = false;
      Release(id);
    }
    return Status();
  }

  // From the likeliest on.
  void InOrder(std::vector<int32_t>& texts) const {
    texts.clear();
    for (const Place& place : kept_) texts.push_back(place.node);
  }
  double LikelihoodOf(int32_t id) const { return nodes_[Index(id)].now.total; }
  void Spell(int32_t id, bool merges, std::vector<int64_t>& labels) const {
    labels.clear();
    for (; id != 0; id = nodes_[Index(id)].parent) {
      const int64_t label = nodes_[Index(id)].label;
      if (!merges || labels.empty() || labels.back() != label) labels.push_back(label);
    }
    std::ranges::reverse(labels);
  }

 private:
  // How likely a text is: by paths that end with a blank, with its last label, and by either.
  struct Likelihood {
    double blank = kLogZero, label = kLogZero, total = kLogZero;
  };
  struct Node {
    int32_t parent = -1, label = -1, children = 0;
    bool is_kept = false, was_kept = false;
    uint64_t turn = 0;  // of those that are kept, when it came to them
    Likelihood now, before;
  };
  struct Place {
    double total;
    uint64_t turn;
    int32_t node;
    friend bool operator<(const Place& a, const Place& b) {
      if (a.total > b.total) return true;
      return !(b.total > a.total) && a.turn < b.turn;
    }
  };

  static size_t Index(int32_t id) { return static_cast<size_t>(id); }
  static uint64_t KeyOf(int32_t parent, int32_t label) {
    return static_cast<uint64_t>(parent) << 32 | static_cast<uint32_t>(label);
  }

  void Keep(int32_t id) {
    Node& node = nodes_[Index(id)];
    node.is_kept = true;
    node.turn = ++turns_;
    kept_.insert({node.now.total, node.turn, id});
  }
  void Drop(int32_t id) {
    Node& node = nodes_[Index(id)];
    kept_.erase({node.now.total, node.turn, id});
    node.is_kept = false;
    node.now = {};
  }
  // Forgets what nobody needs, up from a node.
  void Release(int32_t id) {
    while (id > 0) {
      const Node& node = nodes_[Index(id)];
      if (node.is_kept || node.was_kept || node.children > 0) return;
      children_.erase(KeyOf(node.parent, node.label));
      free_.push_back(id);
      id = node.parent;
      --nodes_[Index(id)].children;
    }
  }

  void Stay(int32_t id, const std::vector<double>& logs) {
    Node& node = nodes_[Index(id)];
    if (id != 0) {
      const Node& parent = nodes_[Index(node.parent)];
      if (parent.now.total != kLogZero) {
        node.now.label = LogSum(node.now.label, ToAdd(parent, node.label));
      }
      node.now.label += logs[Index(node.label)];
    }
    node.now.blank = node.before.total + logs.back();
    node.now.total = LogSum(node.now.blank, node.now.label);
  }

  // Of the paths before, to which a label can be added as one of its own: where the text ends with
  // the same label, there must be a blank between.
  static double ToAdd(const Node& text, int32_t label) {
    return text.label == label ? text.before.blank : text.before.total;
  }
  bool IsBetter(double total) const {
    if (!(total > kLogZero)) return false;
    return static_cast<int64_t>(kept_.size()) < width_ || total > kept_.rbegin()->total;
  }

  // A text with another label at its end, unless it is among the texts already.
  void Grow(int32_t id, int32_t label, double log) {
    const double total = log + ToAdd(nodes_[Index(id)], label);
    const bool is_better = IsBetter(total);
    int32_t child = -1;
    if (nodes_[Index(id)].children > 0) {
      const auto found = children_.find(KeyOf(id, label));
      if (found != children_.end()) child = found->second;
    }
    if (child >= 0 && nodes_[Index(child)].now.total != kLogZero) return;
    if (!is_better) {
      // It was dropped in favour of others at this time, and is not looked at again.
      if (child >= 0) nodes_[Index(child)].before = {};
      return;
    }
    if (child < 0) child = Make(id, label);
    if (nodes_[Index(child)].is_kept) {
      Drop(child);
    } else if (static_cast<int64_t>(kept_.size()) == width_) {
      const int32_t worst = kept_.rbegin()->node;
      Drop(worst);
      Release(worst);
    }
    nodes_[Index(child)].now = {kLogZero, total, total};
    Keep(child);
  }

  int32_t Make(int32_t parent, int32_t label) {
    int32_t id = static_cast<int32_t>(nodes_.size());
    if (free_.empty()) {
      nodes_.emplace_back();
    } else {
      id = free_.back();
      free_.pop_back();
      nodes_[Index(id)] = Node();
    }
    nodes_[Index(id)].parent = parent;
    nodes_[Index(id)].label = label;
    ++nodes_[Index(parent)].children;
    children_.emplace(KeyOf(parent, label), id);
    return id;
  }

  const int64_t width_;
  int64_t most_kept_ = 0;
  uint64_t turns_ = 0;
  std::vector<Node> nodes_;  // the first is the text without labels
  std::vector<int32_t> free_, before_;
  std::unordered_map<uint64_t, int32_t> children_;
  std::set<Place> kept_;
};

// The logarithms of the softmax of a row; all NaN where it has none.
void TakeLogSoftmax(const double* row, std::vector<double>& logs) {
  const auto classes = static_cast<std::ptrdiff_t>(logs.size());
  const double most = *std::max_element(row, row + classes);
  double sum = 0;
  for (std::ptrdiff_t c = 0; c < classes; ++c) sum += std::exp(row[c] - most);
  const double offset = most + std::log(sum);
  std::transform(row, row + classes, logs.begin(), [offset](double x) { return x - offset; });
}

// The paths of one rank, of all the batch.
struct Decoded {
  std::vector<int64_t> places, values;
  int64_t longest = 0;

  void Add(int64_t b, const std::vector<int64_t>& labels) {
    for (size_t i = 0; i < labels.size(); ++i) {
      places.insert(places.end(), {b, static_cast<int64_t>(i)});
      values.push_back(labels[i]);
    }
    longest = std::max(longest, static_cast<int64_t>(labels.size()));
  }
};

//   Errors: RESOURCE_EXHAUSTED
Status Store(KernelContext& context, int path, int paths, int64_t batch, const Decoded& decoded) {
  const auto count = static_cast<int64_t>(decoded.values.size());
  TAGFLOW_ASSIGN_OR_RETURN(int64_t * out, SetMatrix(context, path, count, 2));
  std::ranges::copy(decoded.places, out);
  TAGFLOW_RETURN_IF_ERROR(SetShape(context, paths + path, decoded.values));
  const int64_t shape[] = {batch, decoded.longest};
  return SetShape(context, 2 * paths + path, shape);
}

//   Errors: INVALID_ARGUMENT (shapes), FAILED_PRECONDITION (lengths)
Status Check(const Tensor& inputs, const Tensor& lengths_input, const IntView& lengths) {
  if (inputs.rank() != 3) return InvalidArgument("inputs is not a 3-Tensor");
  if (inputs.num_elements() == 0) return InvalidArgument("inputs must not be empty");
  if (lengths_input.rank() != 1) return InvalidArgument("sequence_length is not a vector");
  if (lengths.size() != inputs.dim(1)) {
    return FailedPrecondition("len(sequence_length) != batch_size.");
  }
  for (int64_t b = 0; b < lengths.size(); ++b) {
    if (lengths[b] <= inputs.dim(0)) continue;
    return FailedPrecondition("sequence_length(" + std::to_string(b) +
                              ") <= " + std::to_string(inputs.dim(0)));
  }
  if (inputs.dim(2) <= std::numeric_limits<int32_t>::max()) return Status();
  return InvalidArgument("there are more classes than an int32 counts");
}

struct Options {
  int64_t width = 1;
  int paths = 1;
  bool merges = true;
};

//   inputs: T [time, batch, classes]; sequence_length: int32 [batch], below 0 as 0
//   outputs: top_paths sparse matrices, the labels of each of the batch; log_probability: T
//   [batch, top_paths]
//   Errors: INVALID_ARGUMENT, also for more paths than were found; FAILED_PRECONDITION for lengths
//   that do not fit; RESOURCE_EXHAUSTED
Status CtcBeamSearchDecoder(KernelContext& context, const Options& options) {
  const Tensor& inputs = context.input(0);
  TAGFLOW_ASSIGN_OR_RETURN(const IntView lengths, IntView::Of(context.input(1)));
  TAGFLOW_RETURN_IF_ERROR(Check(inputs, context.input(1), lengths));
  if (options.paths > options.width) {
    return InvalidArgument("requested more paths than the beam width.");
  }
  TAGFLOW_ASSIGN_OR_RETURN(const auto scores, ElementsAs<double>::OfWidest(inputs));
  const int64_t batch = inputs.dim(1), classes = inputs.dim(2);
  SmallDims dims(1, batch);
  dims.push_back(options.paths);
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * sums,
                           context.Allocate(3 * options.paths, inputs.dtype(), dims));
  TAGFLOW_ASSIGN_OR_RETURN(auto likelihoods, ElementsFor<double>::OfWidest(*sums));
  std::vector<Decoded> decoded(static_cast<size_t>(options.paths));
  std::vector<double> logs(static_cast<size_t>(classes));
  std::vector<int32_t> texts;
  std::vector<int64_t> labels;
  Search search(options.width);
  for (int64_t b = 0; b < batch; ++b) {
    search.Begin(lengths[b]);
    for (int64_t t = 0; t < lengths[b]; ++t) {
      TakeLogSoftmax(scores.data() + (t * batch + b) * classes, logs);
      TAGFLOW_RETURN_IF_ERROR(search.Step(logs));
    }
    search.InOrder(texts);
    if (texts.size() < decoded.size()) {
      return InvalidArgument("Less leaves in the beam search than requested.");
    }
    for (size_t path = 0; path < decoded.size(); ++path) {
      search.Spell(texts[path], options.merges, labels);
      decoded[path].Add(b, labels);
      likelihoods[b * options.paths + static_cast<int64_t>(path)] =
          search.LikelihoodOf(texts[path]);
    }
  }
  likelihoods.Finish();
  for (int path = 0; path < options.paths; ++path) {
    TAGFLOW_RETURN_IF_ERROR(
        Store(context, path, options.paths, batch, decoded[static_cast<size_t>(path)]));
  }
  return Status();
}

Result<BoundKernel> BindBeamSearchDecoder(const Binding& binding) {
  Options options;
  TAGFLOW_ASSIGN_OR_RETURN(options.width, IntAttr(binding.node, "beam_width"));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t paths, IntAttr(binding.node, "top_paths"));
  TAGFLOW_ASSIGN_OR_RETURN(options.merges, BoolAttr(binding.node, "merge_repeated"));
  options.paths = static_cast<int>(paths);  // there are as many outputs
  return BoundKernel(
      [options](KernelContext& context) { return CtcBeamSearchDecoder(context, options); });
}

}  // namespace

Status RegisterCtcBeamKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"CTCBeamSearchDecoder", BindBeamSearchDecoder, Cost::kHeavy}});
}

}  // namespace tagflow::optimized
