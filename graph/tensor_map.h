#ifndef TAGFLOW_GRAPH_TENSOR_MAP_H_
#define TAGFLOW_GRAPH_TENSOR_MAP_H_

// TensorMap: the value of a map variant, a persistent map from tensors to tensors.
//
// A copy is O(1) and shares everything; a change makes anew only the nodes on the way to its key.
// So a loop whose every version stays alive (the history of a gradient loop) pays for the new entry
// and not for the old ones.
//
// Representation: a balanced tree (AVL) ordered by key, so that what a map gives does not depend on
// how it came about. Keys are equal when dtype, shape and bytes are: 0.0 and -0.0 are two keys, and
// a NaN is found again, as in TensorFlow.
//
// Invariants: 1. nodes never change; 2. the heights of two siblings differ by one at most.
//
// Thread safety: as an int; distinct TensorMap objects may share nodes across threads.
// Cost: Find, Insert and Erase O(log size) comparisons of keys. Tested by tensor_map_test.cc.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "graph/dtype.h"
#include "graph/tensor.h"
#include "graph/variant.h"

namespace tagflow {

class TensorMap final : public VariantValue {
 public:
  // Whether tensors of this dtype can be told apart: numbers, bools and texts.
  static bool IsKeyDType(DType dtype) { return IsPlainDType(dtype) || dtype == DType::kString; }

  // The map in a scalar variant tensor, or null when it holds something else.
  static const TensorMap* In(const Tensor& tensor);
  // A scalar variant tensor that holds the map.
  static Tensor Wrap(TensorMap map);

  std::string TypeName() const override { return "tensorflow::TensorMap"; }
  std::string DebugString() const override;

  int64_t size() const { return size_; }
  // The value of the key, or null. Of a key of another dtype there is none.
  const Tensor* Find(const Tensor& key) const;
  // The key has this value from now on. REQUIRES: IsKeyDType(key.dtype())
  void Insert(Tensor key, Tensor value);
  // Whether the key was there.
  bool Erase(const Tensor& key);
  // Calls visit(key, value) for all, in the order of the keys.
  using Visitor = std::function<void(const Tensor& key, const Tensor& value)>;
  void Visit(const Visitor& visit) const;

 private:
  struct Entry {
    Tensor key, value;
  };
  struct Node;
  using NodePtr = std::shared_ptr<const Node>;

  static int HeightOf(const NodePtr& node);
  static NodePtr Make(const Entry& entry, NodePtr left, NodePtr right);
  // As Make, where the heights may differ by two.
  static NodePtr Balanced(const Entry& entry, NodePtr left, NodePtr right);
  static NodePtr WithEntry(const NodePtr& node, const Entry& entry);
  // REQUIRES: the key is there
  static NodePtr WithoutKey(const NodePtr& node, const Tensor& key);
  // Also what the first entry was. REQUIRES: not null
  static NodePtr WithoutFirst(const NodePtr& node, Entry& first);
  static void VisitFrom(const NodePtr& node, const Visitor& visit);

  NodePtr root_;
  int64_t size_ = 0;
};

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_TENSOR_MAP_H_
