#include "graph/tensor_map.h"

#include <algorithm>
#include <compare>
#include <cstring>
#include <span>
#include <utility>

#include "graph/take_down.h"

namespace tagflow {
namespace {

// An order of all tensors that can be keys.
std::strong_ordering Compare(const Tensor& a, const Tensor& b) {
  if (const auto order = a.dtype() <=> b.dtype(); order != 0) return order;
  const DimsView a_dims = a.dims(), b_dims = b.dims();
  const auto dims = std::lexicographical_compare_three_way(a_dims.begin(), a_dims.end(),
                                                           b_dims.begin(), b_dims.end());
  if (dims != 0) return dims;
  if (a.dtype() == DType::kString) {
    const auto a_texts = a.flat<std::string>(), b_texts = b.flat<std::string>();
    return std::lexicographical_compare_three_way(a_texts.begin(), a_texts.end(), b_texts.begin(),
                                                  b_texts.end());
  }
  // A tensor without elements may have no memory to compare.
  if (a.byte_size() == 0) return std::strong_ordering::equal;
  return std::memcmp(a.raw_data(), b.raw_data(), a.byte_size()) <=> 0;
}

}  // namespace

struct TensorMap::Node {
  Node(const Entry& entry, NodePtr left, NodePtr right)
      : entry(entry), left(std::move(left)), right(std::move(right)) {
    height = 1 + std::max(HeightOf(this->left), HeightOf(this->right));
  }
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;
  ~Node() { TakeDown(std::span(&entry.value, 1)); }

  Entry entry;
  NodePtr left, right;
  int height;
};

const TensorMap* TensorMap::In(const Tensor& tensor) {
  if (tensor.dtype() != DType::kVariant || tensor.num_elements() != 1) return nullptr;
  return tensor.scalar<Variant>().Get<TensorMap>();
}

Tensor TensorMap::Wrap(TensorMap map) {
  return Tensor::Scalar(Variant(std::make_shared<const TensorMap>(std::move(map))));
}

std::string TensorMap::DebugString() const {
  return "TensorMap of " + std::to_string(size_) + " keys";
}

const Tensor* TensorMap::Find(const Tensor& key) const {
  if (!IsKeyDType(key.dtype())) return nullptr;
  const Node* node = root_.get();
  while (node != nullptr) {
    const auto order = Compare(key, node->entry.key);
    if (order == 0) return &node->entry.value;
    node = (order < 0 ? node->left : node->right).get();
  }
  return nullptr;
}

void TensorMap::Insert(Tensor key, Tensor value) {
  TAGFLOW_CHECK(IsKeyDType(key.dtype()));
  if (Find(key) == nullptr) ++size_;
  root_ = WithEntry(root_, {std::move(key), std::move(value)});
}

bool TensorMap::Erase(const Tensor& key) {
  if (Find(key) == nullptr) return false;
  root_ = WithoutKey(root_, key);
  --size_;
  return true;
}

void TensorMap::Visit(const Visitor& visit) const { VisitFrom(root_, visit); }

int TensorMap::HeightOf(const NodePtr& node) { return node == nullptr ? 0 : node->height; }

TensorMap::NodePtr TensorMap::Make(const Entry& entry, NodePtr left, NodePtr right) {
  return std::make_shared<const Node>(entry, std::move(left), std::move(right));
}

TensorMap::NodePtr TensorMap::Balanced(const Entry& entry, NodePtr left, NodePtr right) {
  if (HeightOf(left) > HeightOf(right) + 1) {
    if (HeightOf(left->left) >= HeightOf(left->right)) {
      return Make(left->entry, left->left, Make(entry, left->right, std::move(right)));
    }
    const Node& top = *left->right;
    return Make(top.entry, Make(left->entry, left->left, top.left),
                Make(entry, top.right, std::move(right)));
  }
  if (HeightOf(right) > HeightOf(left) + 1) {
    if (HeightOf(right->right) >= HeightOf(right->left)) {
      return Make(right->entry, Make(entry, std::move(left), right->left), right->right);
    }
    const Node& top = *right->left;
    return Make(top.entry, Make(entry, std::move(left), top.left),
                Make(right->entry, top.right, right->right));
  }
  return Make(entry, std::move(left), std::move(right));
}

TensorMap::NodePtr TensorMap::WithEntry(const NodePtr& node, const Entry& entry) {
  if (node == nullptr) return Make(entry, nullptr, nullptr);
  const auto order = Compare(entry.key, node->entry.key);
  if (order == 0) return Make(entry, node->left, node->right);
  if (order < 0) return Balanced(node->entry, WithEntry(node->left, entry), node->right);
  return Balanced(node->entry, node->left, WithEntry(node->right, entry));
}

TensorMap::NodePtr TensorMap::WithoutKey(const NodePtr& node, const Tensor& key) {
  const auto order = Compare(key, node->entry.key);
  if (order < 0) return Balanced(node->entry, WithoutKey(node->left, key), node->right);
  if (order > 0) return Balanced(node->entry, node->left, WithoutKey(node->right, key));
  if (node->right == nullptr) return node->left;
  Entry first;
  NodePtr right = WithoutFirst(node->right, first);
  return Balanced(first, node->left, std::move(right));
}

TensorMap::NodePtr TensorMap::WithoutFirst(const NodePtr& node, Entry& first) {
  if (node->left == nullptr) {
    first = node->entry;
    return node->right;
  }
  return Balanced(node->entry, WithoutFirst(node->left, first), node->right);
}

void TensorMap::VisitFrom(const NodePtr& node, const Visitor& visit) {
  if (node == nullptr) return;
  VisitFrom(node->left, visit);
  visit(node->entry.key, node->entry.value);
  VisitFrom(node->right, visit);
}

}  // namespace tagflow
