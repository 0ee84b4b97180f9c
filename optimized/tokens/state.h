#ifndef TAGFLOW_OPTIMIZED_TOKENS_STATE_H_
#define TAGFLOW_OPTIMIZED_TOKENS_STATE_H_

// The state of a step: frames, and the iterations that live in them.
//
// An iteration is one block of memory: this header, then slots, counters and words as the plan of
// its static frame lays them out. A frame keeps the blocks of ended iterations, and the step keeps
// ended frames: so a loop of a million trips allocates what parallel_iterations of them need.
//
// Invariants, of a frame:
//   1. Its iterations are a list from the oldest to the newest, linked by `next`; they end in that
//      order.
//   2. A frame object stays a frame object until the step is destroyed. Who found an iteration idle
//      may look at its frame without knowing whether another thread has ended it since, or begun
//      it anew for another loop: is_alive, under the lock, says whether there is anything to end.
//   3. `busy` of an iteration counts its instances that are ready, running or waiting for a Recv,
//      and the frames begun in it. That of the root means nothing, and is never 0.
//   4. At the end of an iteration its slots hold what nobody reads, constants, and what a half-fed
//      instance waited with: the rest was taken by its last reader.
//
// Locks: the mutex of a frame guards what says so. Inside it that of a frame begun in it may be
// taken, inside that FramePool's, and nothing inside that.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "graph/tag.h"
#include "graph/tensor.h"
#include "optimized/tokens/plan.h"
#include "optimized/tokens/sync.h"

namespace tagflow::optimized::tokens {

template <typename Sync>
struct Frame;

template <typename Sync>
struct MergeState {
  static constexpr int32_t kNone = -1;
  typename Sync::template Cell<uint64_t> word;       // MergeArrivals
  typename Sync::template Cell<int32_t> first_live;  // data input, or kNone
  uint32_t num_live;  // inputs that came live, from the first on; of one that keeps its first
};

template <typename Sync>
struct Iteration {
  template <typename T>
  using Cell = typename Sync::template Cell<T>;

  // What a firing needs of the plan and of the block.
  const PlanNode* nodes = nullptr;  // by place
  Tensor* slots = nullptr;
  Cell<uint32_t>* words = nullptr;         // by place: Arrivals
  Cell<uint32_t>* uses = nullptr;          // by counter
  MergeState<Sync>* merges = nullptr;      // by ordinal
  Cell<Frame<Sync>*>* children = nullptr;  // by child of the static frame
  Frame<Sync>* frame = nullptr;
  Cell<int32_t> busy;
  bool is_in_loop = false;
  bool has_constants = false;  // the slots of all constants are filled
  int64_t index = 0;
  Cell<Iteration*> next;  // once that has begun

  // A block for iterations of this frame, not begun.
  static Iteration* New(Frame<Sync>& frame);
  static void Delete(Iteration* iteration);
  // As the plan says; `with_constants` as if all constants had come.
  void Begin(int64_t begun_index, bool with_constants);
  // Some inputs of an instance came and others did not: it starves, or its class has died.
  bool IsHalfFed() const;
  // Lets go of all values.
  void Clear();
};

// Whether the class of the node, if it has one, has died in this iteration: the node is dead, and
// never fires.
template <typename Sync>
bool DiedInClass(const TokenPlan& plan, const Iteration<Sync>& at, const PlanNode& node) {
  const uint32_t dead_class = plan.info(node).dead_class;
  return dead_class != NodeInfo::kNoClass &&
         at.words[plan.nodes[dead_class].detail].load() == Arrivals::kDead;
}

// A token for iterations to come: of a constant Enter for each, of a NextIteration for the next.
struct KeptToken {
  const PlanNode* node = nullptr;
  Tensor value;
  bool is_dead = false;
};

template <typename Sync>
struct Frame {
  template <typename T>
  using Cell = typename Sync::template Cell<T>;

  Frame(const TokenPlan& token_plan, int index)
      : plan(token_plan.frames[static_cast<size_t>(index)]),
        nodes(token_plan.nodes.data() + plan.first_node),
        static_frame(index),
        exits(plan.exits.size()) {}
  Frame(const Frame&) = delete;
  Frame& operator=(const Frame&) = delete;
  ~Frame();

  const FramePlan& plan;
  const PlanNode* const nodes;  // by place
  const int static_frame;
  Iteration<Sync>* parent = nullptr;  // that it was begun in; null for the root
  // Iteration 0; may be used while an Enter that has not fired keeps it.
  Iteration<Sync>* first = nullptr;
  Cell<int32_t> enters_missing;
  std::vector<Cell<uint8_t>> exits;  // ExitState, by ordinal

  typename Sync::Mutex mutex;
  // Guarded by mutex:
  bool is_alive = false;
  Iteration<Sync>* oldest = nullptr;
  Iteration<Sync>* newest = nullptr;
  int64_t next_index = 0;  // of the iteration that begins next
  int64_t live_iterations = 0;
  std::vector<KeptToken> constants;
  bool begins_with_constants = false;  // all have come, live, and the plan can count them in
  std::vector<KeptToken> deferred;
  Iteration<Sync>* spare = nullptr;  // blocks to be used again, linked by next

  // An iteration at the end of the list, with the values of the constants if it begins with them:
  // a block that was used before in this frame has them. REQUIRES: the mutex
  Iteration<Sync>& Append();
  // Takes the oldest off the list. REQUIRES: the mutex
  void DropOldest(bool is_half_fed);
  // REQUIRES: the mutex
  void AddConstant(KeptToken token);
  // Makes it a frame that was just begun, with no iteration yet. REQUIRES: the mutex
  void Reset(Iteration<Sync>* begun_in);
  // Lets go of the constants. REQUIRES: no iteration lives
  void DropConstants();
};

// All frames of a step, live and ended.
template <typename Sync>
class FramePool {
 public:
  explicit FramePool(const TokenPlan& plan) : plan_(plan), idle_(plan.frames.size()) {}

  // A frame to be Reset.
  Frame<Sync>& Take(int static_frame);
  // For the next Take of its static frame.
  void Release(Frame<Sync>& frame);

  // When no thread runs the step:
  const std::vector<std::unique_ptr<Frame<Sync>>>& frames() const { return frames_; }
  bool HasBegun(int static_frame) const { return begun_[static_cast<size_t>(static_frame)]; }
  // Whether no frame is left that has begun and not ended, as one that starves.
  bool AllEnded() const {
    return std::ranges::none_of(frames_, [](const auto& frame) { return frame->is_alive; });
  }
  // Forgets what has begun, for another step. REQUIRES: AllEnded()
  void Clear() { begun_.assign(plan_.frames.size(), false); }

 private:
  const TokenPlan& plan_;
  typename Sync::Mutex mutex_;
  std::vector<std::unique_ptr<Frame<Sync>>> frames_;  // guarded by mutex_
  std::vector<std::vector<Frame<Sync>*>> idle_;       // by static frame; guarded by mutex_
  std::vector<bool> begun_ = std::vector<bool>(plan_.frames.size());  // guarded by mutex_
};

// The tag of the instances of an iteration.
template <typename Sync>
Tag TagOf(const Iteration<Sync>& iteration);

}  // namespace tagflow::optimized::tokens

#endif  // TAGFLOW_OPTIMIZED_TOKENS_STATE_H_
