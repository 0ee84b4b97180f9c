#ifndef TAGFLOW_GRAPH_VARIANT_H_
#define TAGFLOW_GRAPH_VARIANT_H_

// The elements of tensors that are not plain bytes: handles of resources, and variants (values of
// any C++ type, such as lists of tensors).

#include <cstdint>
#include <memory>
#include <string>

namespace tagflow {

// A mutable object that outlives one kernel: a variable, a stack, an array. Engines derive their
// own.
class Resource {
 public:
  virtual ~Resource() = default;
};

// Names a resource. A variable's handle is its (container, name), looked up in the session; a
// per-step object (stack, array) is held by its handles and dies with the last one ([resource.2]).
struct ResourceHandle {
  std::string device;
  std::string container;
  std::string name;
  std::string type_name;
  uint64_t hash_code = 0;
  std::shared_ptr<Resource> object;  // null for what the session owns
};

// What a variant element holds: an immutable value shared by every copy.
class VariantValue {
 public:
  virtual ~VariantValue() = default;
  virtual std::string TypeName() const = 0;  // "tensorflow::TensorList" for lists, as on the wire
  virtual std::string DebugString() const = 0;
};

class Variant {
 public:
  Variant() = default;  // empty
  explicit Variant(std::shared_ptr<const VariantValue> value) : value_(std::move(value)) {}

  bool empty() const { return value_ == nullptr; }
  const std::shared_ptr<const VariantValue>& value() const { return value_; }
  // The value as a T, or null when it holds another type.
  template <typename T>
  const T* Get() const {
    return dynamic_cast<const T*>(value_.get());
  }

 private:
  std::shared_ptr<const VariantValue> value_;
};

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_VARIANT_H_
