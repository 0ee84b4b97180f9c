#include "optimized/tokens/state.h"

#include <algorithm>
#include <cstring>
#include <new>

namespace tagflow::optimized::tokens {
namespace {

constexpr std::align_val_t kBlockAlignment{64};
constexpr int32_t kNeverIdle = 1 << 30;

// Lays arrays out behind one another.
class Layout {
 public:
  template <typename T>
  size_t Add(size_t count) {
    size_ = (size_ + alignof(T) - 1) / alignof(T) * alignof(T);
    const size_t at = size_;
    size_ += count * sizeof(T);
    return at;
  }
  size_t size() const { return size_; }

 private:
  size_t size_ = 0;
};

template <typename T>
T* MakeArray(std::byte* block, size_t at, size_t count) {
  T* const first = reinterpret_cast<T*>(block + at);
  std::uninitialized_value_construct_n(first, count);
  return first;
}

}  // namespace

template <typename Sync>
Iteration<Sync>* Iteration<Sync>::New(Frame<Sync>& frame) {
  const FramePlan& plan = frame.plan;
  const size_t num_merges = plan.merge_places.size();
  Layout layout;
  layout.Add<Iteration>(1);
  const size_t slots_at = layout.Add<Tensor>(plan.num_slots);
  const size_t merges_at = layout.Add<MergeState<Sync>>(num_merges);
  const size_t children_at = layout.Add<Cell<Frame<Sync>*>>(plan.num_children);
  const size_t counts_at = layout.Add<Cell<uint32_t>>(plan.counts[0].size());

  auto* const block = static_cast<std::byte*>(::operator new(layout.size(), kBlockAlignment));
  auto* const made = new (block) Iteration;
  made->nodes = frame.nodes;
  made->slots = MakeArray<Tensor>(block, slots_at, plan.num_slots);
  made->merges = MakeArray<MergeState<Sync>>(block, merges_at, num_merges);
  made->children = MakeArray<Cell<Frame<Sync>*>>(block, children_at, plan.num_children);
  made->words = MakeArray<Cell<uint32_t>>(block, counts_at, plan.counts[0].size());
  made->uses = made->words + plan.num_words;
  made->frame = &frame;
  made->is_in_loop = frame.static_frame != FrameTree::kRoot;
  return made;
}

template <typename Sync>
void Iteration<Sync>::Delete(Iteration* iteration) {
  // All else in the block is trivially destroyed.
  std::destroy_n(iteration->slots, iteration->frame->plan.num_slots);
  ::operator delete(iteration, kBlockAlignment);
}

template <typename Sync>
void Iteration<Sync>::Begin(int64_t begun_index, bool with_constants) {
  const FramePlan& plan = frame->plan;
  index = begun_index;
  busy.store(is_in_loop ? 0 : kNeverIdle);
  next.store(nullptr);
  const std::vector<uint32_t>& counts = plan.counts[with_constants ? 1 : 0];
  if constexpr (Sync::kShared) {
    for (size_t i = 0; i < counts.size(); ++i) words[i].store(counts[i]);
  } else if (!counts.empty()) {
    std::memcpy(static_cast<void*>(words), counts.data(), counts.size() * sizeof(uint32_t));
  }
  const std::vector<uint64_t>& initial = plan.merges[begun_index == 0 ? 0 : 1];
  const size_t num_merges = begun_index == 0 ? initial.size() : plan.num_later_merges;
  for (size_t i = 0; i < num_merges; ++i) {
    merges[i].word.store(initial[i]);
    merges[i].first_live.store(MergeState<Sync>::kNone);
  }
  for (size_t i = 0; i < plan.num_children; ++i) children[i].store(nullptr);
}

template <typename Sync>
bool Iteration<Sync>::IsHalfFed() const {
  const FramePlan& plan = frame->plan;
  const uint32_t* const initial = plan.counts[has_constants ? 1 : 0].data();
  bool any = false;
  constexpr size_t kChunk = 64;
  for (size_t begin = 0; begin < plan.num_words; begin += kChunk) {
    const size_t end = std::min<size_t>(begin + kChunk, plan.num_words);
    if constexpr (!Sync::kShared) {
      // Nothing came, as in a branch that died as a whole.
      const void* const chunk = words + begin;
      if (std::memcmp(chunk, initial + begin, (end - begin) * sizeof(uint32_t)) == 0) continue;
    }
    for (size_t i = begin; i < end; ++i) any |= Arrivals::HalfFed(words[i].load(), initial[i]);
  }
  for (size_t i = plan.first_class_word; i < plan.first_class_word + plan.classes.size(); ++i) {
    any |= Arrivals::HalfFed(words[i].load(), initial[i]);
  }
  const std::vector<uint64_t>& all = plan.merges[index == 0 ? 0 : 1];
  const size_t num_merges = index == 0 ? all.size() : plan.num_later_merges;
  for (size_t i = 0; i < num_merges; ++i) {
    any |= MergeArrivals::HalfFed(merges[i].word.load(), all[i]);
  }
  return any;
}

template <typename Sync>
void Iteration<Sync>::Clear() {
  for (Tensor* slot = slots; slot != slots + frame->plan.num_slots; ++slot) {
    if (!slot->is_inline()) *slot = Tensor();
  }
  has_constants = false;
}

template <typename Sync>
Frame<Sync>::~Frame() {
  for (Iteration<Sync>* list : {oldest, spare}) {
    while (list != nullptr) {
      Iteration<Sync>* const next = list->next.load();
      Iteration<Sync>::Delete(list);
      list = next;
    }
  }
}

template <typename Sync>
Iteration<Sync>& Frame<Sync>::Append() {
  Iteration<Sync>* made = spare;
  if (made == nullptr) {
    made = Iteration<Sync>::New(*this);
  } else {
    spare = made->next.load();
  }
  made->Begin(next_index++, begins_with_constants);
  // Before other threads see it: what waits for no more than one of them may fire at once.
  if (begins_with_constants && !made->has_constants) {
    for (const KeptToken& token : constants) made->slots[token.node->outputs[0]] = token.value;
    made->has_constants = true;
  }
  if (newest == nullptr) {
    oldest = made;
  } else {
    newest->next.store(made);
  }
  newest = made;
  ++live_iterations;
  return *made;
}

template <typename Sync>
void Frame<Sync>::DropOldest(bool is_half_fed) {
  Iteration<Sync>* const ended = oldest;
  oldest = ended->next.load();
  if (oldest == nullptr) newest = nullptr;
  --live_iterations;
  for (uint32_t unread : plan.unread_slots) {
    if (!ended->slots[unread].is_inline()) ended->slots[unread] = Tensor();
  }
  if (is_half_fed) ended->Clear();
  ended->next.store(spare);
  spare = ended;
}

template <typename Sync>
void Frame<Sync>::Reset(Iteration<Sync>* begun_in) {
  parent = begun_in;
  is_alive = true;
  next_index = 0;
  enters_missing.store(plan.num_enters);
  for (Cell<uint8_t>& exit : exits) exit.store(0);
  constants.clear();
  begins_with_constants = plan.num_constants == 0;
  deferred.clear();
}

template <typename Sync>
void Frame<Sync>::AddConstant(KeptToken token) {
  constants.push_back(std::move(token));
  begins_with_constants = plan.has_simple_constants && constants.size() == plan.num_constants &&
                          std::none_of(constants.begin(), constants.end(),
                                       [](const KeptToken& constant) { return constant.is_dead; });
}

template <typename Sync>
void Frame<Sync>::DropConstants() {
  constants.clear();
  if (plan.num_constants == 0) return;
  for (Iteration<Sync>* block = spare; block != nullptr; block = block->next.load()) {
    block->has_constants = false;
    for (uint32_t slot : plan.constant_slots) {
      if (!block->slots[slot].is_inline()) block->slots[slot] = Tensor();
    }
  }
}

template <typename Sync>
Frame<Sync>& FramePool<Sync>::Take(int static_frame) {
  const auto which = static_cast<size_t>(static_frame);
  std::lock_guard lock(mutex_);
  begun_[which] = true;
  if (idle_[which].empty()) {
    return *frames_.emplace_back(std::make_unique<Frame<Sync>>(plan_, static_frame));
  }
  Frame<Sync>& frame = *idle_[which].back();
  idle_[which].pop_back();
  return frame;
}

template <typename Sync>
void FramePool<Sync>::Release(Frame<Sync>& frame) {
  frame.DropConstants();
  std::lock_guard lock(mutex_);
  idle_[static_cast<size_t>(frame.static_frame)].push_back(&frame);
}

template <typename Sync>
Tag TagOf(const Iteration<Sync>& iteration) {
  Tag tag;
  for (const Iteration<Sync>* at = &iteration; at->is_in_loop; at = at->frame->parent) {
    tag.path.push_back({at->frame->plan.name, at->index});
  }
  std::reverse(tag.path.begin(), tag.path.end());
  return tag;
}

template struct Iteration<Sequential>;
template struct Iteration<Concurrent>;
template struct Frame<Sequential>;
template struct Frame<Concurrent>;
template class FramePool<Sequential>;
template class FramePool<Concurrent>;
template Tag TagOf(const Iteration<Sequential>&);
template Tag TagOf(const Iteration<Concurrent>&);

}  // namespace tagflow::optimized::tokens
