#include "graph/tensor_list.h"

#include <algorithm>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <typeinfo>

#include "graph/host_blocks.h"
#include "graph/take_down.h"

namespace tagflow {
namespace {

const Tensor kNoValue;

// Without a branch in the loop.
bool HasValues(std::span<const Tensor> elements) {
  bool has_values = false;
#pragma GCC unroll 8
  for (const Tensor& element : elements) has_values |= element.has_value();
  return has_values;
}

}  // namespace

struct TensorList::Node {
  explicit Node(bool leaf) : is_leaf(leaf) {}

  // A loop that fills lists and empties them works in a few blocks (bench: gradscalar2000).
  static void* operator new(size_t bytes) {
    void* const block = TakeBlock(bytes);
    if (block == nullptr) throw std::bad_alloc();
    return block;
  }
  static void operator delete(void* block, size_t bytes) { GiveBlock(block, bytes); }

  // Relaxed on copy (the copier holds a reference); acq_rel on release, paired with the acquire in
  // Own: who finds itself the only owner sees all that the others did.
  std::atomic<int32_t> owners{1};
  const bool is_leaf;
};

struct TensorList::Inner : Node {
  Inner() : Node(false) {}
  Inner(const Inner& other) : Node(false), children(other.children) {}

  std::array<NodePtr, kWidth> children;
};

struct TensorList::Leaf : Node {
  Leaf() : Node(true), elements() {}
  Leaf(const Leaf& other) : Node(true), elements(other.elements) {}
  ~Leaf() {
    // A loop takes its elements out again, one by one: then there is nothing to destroy.
    if (!HasValues(elements)) return;
    TakeDown(elements);
    std::ranges::destroy(elements);
  }

  union {
    std::array<Tensor, kWidth> elements;
  };
};

TensorList::NodePtr::NodePtr(const NodePtr& other) : node_(other.node_) {
  if (node_ != nullptr) node_->owners.fetch_add(1, std::memory_order_relaxed);
}

TensorList::NodePtr::~NodePtr() {
  if (node_ == nullptr) return;
  // Nobody can become a second owner of a node that this pointer alone has: its count need not be
  // changed atomically.
  const bool is_only = node_->owners.load(std::memory_order_acquire) == 1;
  if (!is_only && node_->owners.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  if (node_->is_leaf) {
    delete static_cast<Leaf*>(node_);
  } else {
    delete static_cast<Inner*>(node_);
  }
}

template <typename Kind>
Kind& TensorList::NodePtr::Own() {
  if (node_ == nullptr) {
    node_ = new Kind;
  } else if (node_->owners.load(std::memory_order_acquire) != 1) {
    *this = NodePtr(new Kind(*static_cast<const Kind*>(node_)));
  }
  return *static_cast<Kind*>(node_);
}

const TensorList* TensorList::In(const Tensor& tensor) {
  if (tensor.dtype() != DType::kVariant || tensor.num_elements() != 1) return nullptr;
  const VariantValue* const value = tensor.scalar<Variant>().value().get();
  // Quicker than a dynamic_cast, and enough for a final class.
  static_assert(std::is_final_v<TensorList>);
  if (value == nullptr || typeid(*value) != typeid(TensorList)) return nullptr;
  return static_cast<const TensorList*>(value);
}

TensorList TensorList::Take(Tensor tensor) {
  // With the tensor gone before the caller changes the list, its nodes may have one owner.
  return *In(tensor);
}

Tensor TensorList::Wrap(TensorList list) {
  return Tensor::Scalar(Variant(std::make_shared<TensorList>(std::move(list))));
}

std::string TensorList::DebugString() const {
  return "TensorList of " + std::to_string(size_) + " " + DTypeName(dtype_) + " tensors of shape " +
         element_shape_.ToString();
}

TensorList::NodePtr& TensorList::LeafSlot(int64_t begin) {
  while (begin >= capacity()) {
    // An empty tree needs no root above it.
    if (root_.get() != nullptr) {
      NodePtr higher;
      higher.Own<Inner>().children[0] = std::move(root_);
      root_ = std::move(higher);
    }
    ++depth_;
  }
  NodePtr* slot = &root_;
  for (int level = depth_; level > 0; --level) {
    slot = &slot->Own<Inner>().children[static_cast<size_t>((begin >> (kBits * level)) % kWidth)];
  }
  return *slot;
}

TensorList::NodePtr TensorList::TakeLeaf(int64_t begin) {
  if (begin >= capacity() || root_.get() == nullptr) return NodePtr();
  return std::exchange(LeafSlot(begin), NodePtr());
}

const Tensor& TensorList::Get(int64_t i) const {
  TAGFLOW_CHECK(i >= 0 && i < size_);
  const Node* node = tail_.get();
  if (i < tail_begin()) {
    node = i < capacity() ? root_.get() : nullptr;
    for (int level = depth_; level > 0 && node != nullptr; --level) {
      const auto place = static_cast<size_t>((i >> (kBits * level)) % kWidth);
      node = static_cast<const Inner*>(node)->children[place].get();
    }
  }
  if (node == nullptr) return kNoValue;
  return static_cast<const Leaf*>(node)->elements[static_cast<size_t>(i % kWidth)];
}

Tensor* TensorList::OwnElements(int64_t i) {
  TAGFLOW_CHECK(i >= 0 && i < size_);
  NodePtr& leaf = i >= tail_begin() ? tail_ : LeafSlot(i / kWidth * kWidth);
  return leaf.Own<Leaf>().elements.data();
}

void TensorList::Set(int64_t i, Tensor element) { OwnElements(i)[i % kWidth] = std::move(element); }

void TensorList::Push(Tensor element) {
  Resize(size_ + 1);
  Set(size_ - 1, std::move(element));
}

Tensor TensorList::Pop() {
  TAGFLOW_CHECK(size_ > 0);
  Tensor last = Get(size_ - 1);
  Resize(size_ - 1);
  return last;
}

void TensorList::Resize(int64_t size) {
  const int64_t old_size = size_;
  ResizeEmptied(size);
  // Those after old_size have no value.
  const int64_t begin = tail_begin(), end = std::min(old_size, begin + kWidth);
  if (size >= end || tail_.get() == nullptr) return;
  const std::span<Tensor> elements(tail_.Own<Leaf>().elements);
  const auto first = static_cast<size_t>(size - begin), count = static_cast<size_t>(end - size);
  for (Tensor& element : elements.subspan(first, count)) {
    if (element.has_value()) element = Tensor();
  }
}

void TensorList::ResizeEmptied(int64_t size) {
  TAGFLOW_CHECK(size >= 0);
  const int64_t old_begin = tail_begin();
  size_ = size;
  const int64_t begin = tail_begin();
  if (begin > old_begin) {
    if (tail_.get() != nullptr) LeafSlot(old_begin) = std::exchange(tail_, NodePtr());
  } else if (begin < old_begin) {
    tail_ = TakeLeaf(begin);
    if (root_.get() != nullptr && begin < capacity()) {
      Truncate(root_, begin, int64_t{1} << (kBits * depth_));
    }
  }
}

void TensorList::VisitFrom(const Node* node, int64_t begin, int64_t span,
                           const std::function<void(int64_t, const Tensor&)>& visit) {
  if (node == nullptr) return;
  for (int64_t i = 0; i < kWidth; ++i) {
    const auto place = static_cast<size_t>(i);
    if (!node->is_leaf) {
      const Node* child = static_cast<const Inner*>(node)->children[place].get();
      VisitFrom(child, begin + i * span, span / kWidth, visit);
      continue;
    }
    const Tensor& element = static_cast<const Leaf*>(node)->elements[place];
    if (element.has_value()) visit(begin + i, element);
  }
}

void TensorList::Visit(const std::function<void(int64_t i, const Tensor& element)>& visit) const {
  VisitFrom(root_.get(), 0, int64_t{1} << (kBits * depth_), visit);
  VisitFrom(tail_.get(), tail_begin(), 1, visit);
}

void TensorList::Truncate(NodePtr& node, int64_t begin, int64_t span) {
  if (begin == 0) {
    node = NodePtr();
    return;
  }
  Inner& inner = node.Own<Inner>();
  for (int64_t i = begin / span; i < kWidth; ++i) {
    NodePtr& child = inner.children[static_cast<size_t>(i)];
    if (child.get() == nullptr) continue;
    const int64_t inside = std::max<int64_t>(0, begin - i * span);
    if (inside > 0 && span > kWidth) {
      Truncate(child, inside, span / kWidth);
    } else {
      child = NodePtr();
    }
  }
}

}  // namespace tagflow
