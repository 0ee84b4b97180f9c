#ifndef TAGFLOW_GRAPH_TENSOR_LIST_H_
#define TAGFLOW_GRAPH_TENSOR_LIST_H_

// TensorList: the value of a list variant, a persistent vector of tensors.
//
// A copy is O(1) and shares everything; a change copies only what is still shared on the way to the
// element. So a loop that pushes onto a list it alone holds works in place, and one whose every
// version stays alive (the history of a gradient loop) pays for the new element and not for the old
// ones.
//
// Representation: the last 1 to 32 elements are the tail, a leaf; the leaves before it are the
// bottom of a tree of branching 32, by their place. A missing subtree holds elements without a
// value, so that reserving any number of elements costs nothing.
//
// Invariants: 1. the tail is missing or holds elements [tail_begin(), size()); 2. slots at or after
// size() have no value; 3. a node with more than one owner never changes.
//
// Thread safety: as an int; distinct TensorList objects may share nodes across threads.
// Cost: Push and Pop O(1) amortized while versions are shared or not (a push copies at most one
// tail, and every 32nd one the path of a new leaf); Get and Set O(log32 size).
// Tested by tensor_list_test.cc.

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "graph/dtype.h"
#include "graph/partial_shape.h"
#include "graph/tensor.h"
#include "graph/variant.h"

namespace tagflow {

class TensorList final : public VariantValue {
 public:
  // Elements of a leaf, and children of a node: a longer list has more than its tail.
  static constexpr int64_t kWidth = 32;

  // An empty list of tensors of `dtype` and of a shape that `element_shape` accepts.
  // max_num_elements: what TensorFlow's EmptyTensorList is given, -1 for no limit. The list keeps
  // the three; who pushes checks them.
  explicit TensorList(DType dtype = DType::kInvalid, PartialShape element_shape = PartialShape(),
                      int64_t max_num_elements = -1)
      : dtype_(dtype),
        element_shape_(std::move(element_shape)),
        max_num_elements_(max_num_elements) {}

  // The list in a scalar variant tensor, or null when it holds something else.
  static const TensorList* In(const Tensor& tensor);
  // The list in the tensor, to change: in place where `tensor` was moved in and was the last owner.
  // REQUIRES: In(tensor) is not null.
  static TensorList Take(Tensor tensor);
  // A scalar variant tensor that holds the list.
  static Tensor Wrap(TensorList list);

  std::string TypeName() const override { return "tensorflow::TensorList"; }
  std::string DebugString() const override;

  DType dtype() const { return dtype_; }
  const PartialShape& element_shape() const { return element_shape_; }
  void set_element_shape(PartialShape shape) { element_shape_ = std::move(shape); }
  int64_t max_num_elements() const { return max_num_elements_; }

  int64_t size() const { return size_; }
  // Element i, without value if it was never set. REQUIRES: 0 <= i < size()
  const Tensor& Get(int64_t i) const;
  // Calls visit(i, element) for the elements with a value, in order of i: it costs what is there,
  // however long the list.
  void Visit(const std::function<void(int64_t i, const Tensor& element)>& visit) const;
  void Set(int64_t i, Tensor element);
  void Push(Tensor element);
  Tensor Pop();  // REQUIRES: size() > 0
  // Drops elements at the end, or adds elements without value. REQUIRES: size >= 0
  void Resize(int64_t size);
  // The same where none that is dropped has a value any more.
  void ResizeEmptied(int64_t size);
  // The kWidth elements among which element i is, from i / kWidth * kWidth on, to change; this list
  // alone has them. Who puts some behind the end makes the list as long before it is used again.
  // They stay where they are until the list is changed otherwise, copied or gone.
  // REQUIRES: 0 <= i < size()
  Tensor* OwnElements(int64_t i);

 private:
  static constexpr int kBits = 5;
  static_assert(kWidth == 1 << kBits);
  struct Node;
  struct Inner;  // a Node with children
  struct Leaf;   // a Node with elements

  // An owner of a node; copying shares it.
  class NodePtr {
   public:
    NodePtr() = default;
    explicit NodePtr(Node* node) : node_(node) {}
    NodePtr(const NodePtr& other);
    NodePtr(NodePtr&& other) noexcept : node_(std::exchange(other.node_, nullptr)) {}
    NodePtr& operator=(NodePtr other) noexcept {
      std::swap(node_, other.node_);
      return *this;
    }
    ~NodePtr();
    const Node* get() const { return node_; }
    // The node to change: made if missing, copied if shared. REQUIRES: its place is for this kind
    template <typename Kind>
    Kind& Own();

   private:
    Node* node_ = nullptr;
  };

  int64_t tail_begin() const { return size_ == 0 ? 0 : (size_ - 1) / kWidth * kWidth; }
  // The place in the tree of the leaf that begins at element `begin`, made deep enough.
  NodePtr& LeafSlot(int64_t begin);
  NodePtr TakeLeaf(int64_t begin);
  // Visits what is below `node`, which begins at element `begin` and whose children (elements, in a
  // leaf) span `span` elements each.
  static void VisitFrom(const Node* node, int64_t begin, int64_t span,
                        const std::function<void(int64_t, const Tensor&)>& visit);
  // Drops the leaves at and after `begin` below `node`, whose children span `span` elements each.
  static void Truncate(NodePtr& node, int64_t begin, int64_t span);
  // Elements that the tree can hold.
  int64_t capacity() const {
    const int bits = kBits * (depth_ + 1);
    return bits > 62 ? INT64_MAX : int64_t{1} << bits;
  }

  DType dtype_;
  PartialShape element_shape_;
  int64_t max_num_elements_;
  int64_t size_ = 0;
  int depth_ = 0;  // levels of inner nodes above the leaves; 0: the root is a leaf
  NodePtr root_;
  NodePtr tail_;
};

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_TENSOR_LIST_H_
