#ifndef TAGFLOW_GRAPH_ATTR_VALUE_H_
#define TAGFLOW_GRAPH_ATTR_VALUE_H_

// The value of one attr of a node, as TensorFlow's AttrValue message has it, in native types. Every
// alternative can be written back to the wire without loss.

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "graph/dtype.h"
#include "graph/partial_shape.h"
#include "graph/tensor.h"

namespace tagflow {

class AttrValue;

// A function's name and the attrs it is instantiated with.
struct NameAttrList {
  std::string name;
  std::vector<std::pair<std::string, AttrValue>> attrs;
};

struct AttrList {
  std::vector<std::string> strings;
  std::vector<int64_t> ints;
  std::vector<float> floats;
  std::vector<bool> bools;
  std::vector<ArgType> types;
  std::vector<PartialShape> shapes;
  std::vector<Tensor> tensors;
  std::vector<std::shared_ptr<const NameAttrList>> functions;
};

// "$T" inside a function body: the name of the attr to put here.
struct AttrPlaceholder {
  std::string name;
};
// What we do not understand, kept as the bytes it came as (an AttrValue message).
struct OpaqueAttr {
  std::string bytes;
};

class AttrValue {
 public:
  using Value = std::variant<std::monostate, int64_t, float, bool, ArgType, std::string,
                             PartialShape, Tensor, std::shared_ptr<const AttrList>,
                             std::shared_ptr<const NameAttrList>, AttrPlaceholder, OpaqueAttr>;

  AttrValue() = default;                       // an AttrValue message with nothing set
  AttrValue(int64_t value) : value_(value) {}  // NOLINT: attrs are written as literals
  AttrValue(int value) : value_(static_cast<int64_t>(value)) {}  // NOLINT
  AttrValue(float value) : value_(value) {}                      // NOLINT
  AttrValue(bool value) : value_(value) {}                       // NOLINT
  AttrValue(DType value) : value_(ArgType{value, false}) {}      // NOLINT
  AttrValue(ArgType value) : value_(value) {}                    // NOLINT
  AttrValue(std::string value) : value_(std::move(value)) {}     // NOLINT
  AttrValue(const char* value) : value_(std::string(value)) {}   // NOLINT
  AttrValue(PartialShape value) : value_(std::move(value)) {}    // NOLINT
  AttrValue(Tensor value) : value_(std::move(value)) {}          // NOLINT
  AttrValue(AttrList value)
      : value_(std::make_shared<const AttrList>(std::move(value))) {}  // NOLINT
  AttrValue(NameAttrList value)
      : value_(std::make_shared<const NameAttrList>(std::move(value))) {}  // NOLINT
  AttrValue(AttrPlaceholder value) : value_(std::move(value)) {}           // NOLINT
  AttrValue(OpaqueAttr value) : value_(std::move(value)) {}                // NOLINT
  explicit AttrValue(Value value) : value_(std::move(value)) {}

  const Value& value() const { return value_; }
  // The alternative as a T, or null when the attr has another kind.
  template <typename T>
  const T* Get() const {
    return std::get_if<T>(&value_);
  }
  // The list, or null.
  const AttrList* list() const {
    const auto* held = std::get_if<std::shared_ptr<const AttrList>>(&value_);
    return held == nullptr ? nullptr : held->get();
  }
  const NameAttrList* function() const {
    const auto* held = std::get_if<std::shared_ptr<const NameAttrList>>(&value_);
    return held == nullptr ? nullptr : held->get();
  }
  // "3", "\"text\"", "float", "[2,?]", "list(int)[1, 2]": for messages and `tagflow show`.
  std::string ToString() const;

 private:
  Value value_;
};

inline AttrValue IntList(std::vector<int64_t> ints) {
  AttrList list;
  list.ints = std::move(ints);
  return list;
}

// Tensors compare bit for bit, lists and functions element by element.
bool operator==(const AttrValue& a, const AttrValue& b);

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_ATTR_VALUE_H_
