#include "transform/simplify/survey.h"

#include <algorithm>
#include <bit>
#include <vector>

#include "transform/simplify/call_view.h"
#include "transform/simplify/merge_equal_nodes.h"

namespace tagflow {
namespace {

// Hashes seen so far: open addressing, half full at most.
class HashSet {
 public:
  explicit HashSet(size_t most) : slots_(std::bit_ceil(2 * most + 2)) {}

  // Returns whether it is new.
  bool Insert(uint64_t hash) {
    hash |= 1;  // 0 is a free slot
    const size_t mask = slots_.size() - 1;
    for (size_t place = (hash >> 20) & mask;; place = (place + 1) & mask) {
      if (slots_[place] == hash) return false;
      if (slots_[place] != 0) continue;
      slots_[place] = hash;
      return true;
    }
  }

 private:
  std::vector<uint64_t> slots_;
};

class Survey {
 public:
  Survey(const Graph& graph, const CallSpec& call, const ValidatedCall& valid, Passes passes)
      : graph_(graph),
        frames_(valid.frames),
        passes_(passes),
        view_(graph, call, valid.needed),
        seen_(passes.Has(Pass::kDuplicates) ? view_.needed().size() : 0) {}

  int64_t Count() {
    int64_t savings = 0;
    for (const NodeId id : view_.needed()) {
      if (Saves(id)) savings += frames_.frame_of[Index(id)] > FrameTree::kRoot ? kTripsGuessed : 1;
    }
    return savings;
  }

  size_t num_needed() const { return view_.needed().size(); }

 private:
  bool Saves(NodeId id) {
    if (view_.Has(id, kSwitch)) {
      if (passes_.Has(Pass::kSwitches) && IsConstant(graph_.node(id).inputs[1])) return true;
    } else if (view_.Has(id, kPure) && !view_.Has(id, kFed)) {
      if (TakesInvariants(graph_.node(id))) return true;
    }
    return passes_.Has(Pass::kDuplicates) && IsMergeable(view_, id) &&
           !seen_.Insert(HashOfNode(graph_.node(id)));
  }

  bool IsConstant(OutputRef output) const {
    return view_.Has(output.node, kConst | kForwards | kConstantEnter) &&
           view_.ConstantOf(output) != nullptr;
  }

  // Whether it can be folded, or moved out of a loop.
  bool TakesInvariants(const Node& node) const {
    bool foldable = passes_.Has(Pass::kConstants) && !node.inputs.empty();
    bool movable = passes_.Has(Pass::kInvariants) && !node.inputs.empty();
    bool enters = false;
    for (const OutputRef& input : node.inputs) {
      if (!foldable && !movable) return false;
      enters |= view_.Has(input.node, kConstantEnter);
      movable &= view_.Has(input.node, kConstantEnter | kConst);
      foldable &= IsConstant(input);
    }
    return foldable || (movable && enters);
  }

  const Graph& graph_;
  const FrameTree& frames_;
  const Passes passes_;
  const CallView view_;
  HashSet seen_;
};

}  // namespace

int64_t CountSavings(const Graph& graph, const CallSpec& call, const ValidatedCall& valid,
                     Passes passes) {
  return Survey(graph, call, valid, passes).Count();
}

bool IsWorthwhile(const Graph& graph, const CallSpec& call, const ValidatedCall& valid,
                  Passes passes) {
  Survey survey(graph, call, valid, passes);
  return survey.Count() * kFairPart >=
         static_cast<int64_t>(std::max<size_t>(survey.num_needed(), 1));
}

}  // namespace tagflow
