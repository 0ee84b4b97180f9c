#ifndef TAGFLOW_FUZZ_DIRECT_COLLECTIONS_IMPL_H_
#define TAGFLOW_FUZZ_DIRECT_COLLECTIONS_IMPL_H_

// Definitions for evaluator.h: arrays and stacks.

#include <algorithm>
#include <memory>
#include <string>

#include "fuzz/direct/arrange_impl.h"
#include "fuzz/direct/evaluator.h"

namespace tagflow::fuzz {

template <typename R>
bool Evaluator<R>::ExecuteCollectionOp(const Statement& s) {
  switch (s.op) {
    case Op::kArrayNew:
    case Op::kStackNew: {
      if (s.numbers[0] < 0 || s.numbers[0] > kMostElements) return Fail(s, "no such size");
      const auto size = static_cast<size_t>(s.numbers[0]);
      Value<R>& value = at(s.outputs[0]);
      value.dtype = program_.type(s.outputs[0]).dtype;
      value.collection = std::make_shared<Collection<R>>();
      value.collection->most = size;
      if (s.op == Op::kArrayNew) value.collection->items.resize(size);
      return Charge(size);
    }
    case Op::kArrayWrite:
      return ArrayWrite(s);
    case Op::kArrayRead:
      return ArrayRead(s);
    case Op::kArrayGather:
      return ArrayGather(s);
    case Op::kStackPush:
      return StackPush(s);
    default:  // kStackPop
      return StackPop(s);
  }
}

// Whether index is one of an array of `size` items.
inline bool IsInside(int64_t index, size_t size) {
  return index >= 0 && index < static_cast<int64_t>(size);
}

template <typename R>
bool Evaluator<R>::ArrayWrite(const Statement& s) {
  std::vector<Value<R>>& items = operand(s, 0).collection->items;
  const int64_t index = operand(s, 1).integer;
  if (!IsInside(index, items.size())) {
    return Fail(s, "index " + std::to_string(index) + " is not in the array");
  }
  if (items[index].dtype != DType::kInvalid) {
    return Fail(s, "element " + std::to_string(index) + " has been written before");
  }
  items[index] = operand(s, 2);
  at(s.outputs[0]) = operand(s, 0);
  return true;
}

template <typename R>
bool Evaluator<R>::ArrayRead(const Statement& s) {
  const std::vector<Value<R>>& items = operand(s, 0).collection->items;
  const int64_t index = operand(s, 1).integer;
  if (!IsInside(index, items.size())) {
    return Fail(s, "index " + std::to_string(index) + " is not in the array");
  }
  if (items[index].dtype == DType::kInvalid) {
    return Fail(s, "element " + std::to_string(index) + " has not been written");
  }
  at(s.outputs[0]) = items[index];
  return true;
}

// A tensor of zeros; what may be of any size has none of it.
template <typename R>
Value<R> Evaluator<R>::ZeroOf(const Type& type) const {
  Dims dims = type.dims;
  for (int64_t& dim : dims) dim = std::max<int64_t>(dim, 0);
  return FromTensor<R>(*Tensor::Allocate(type.dtype, dims));
}

template <typename R>
bool Evaluator<R>::ArrayGather(const Statement& s) {
  const std::vector<Value<R>>& items = operand(s, 0).collection->items;
  if (items.empty()) {
    Type type = program_.type(s.operands[0]);
    type.dims.insert(type.dims.begin(), 0);
    return Give(s, ZeroOf(type));
  }
  std::vector<const Value<R>*> parts;
  for (const Value<R>& item : items) {
    if (item.dtype == DType::kInvalid) {
      return Fail(s, "element " + std::to_string(parts.size()) + " has not been written");
    }
    parts.push_back(&item);
  }
  return Give(s, Pack<R>(parts, situation_));
}

template <typename R>
bool Evaluator<R>::StackPush(const Statement& s) {
  Collection<R>& stack = *operand(s, 0).collection;
  if (stack.items.size() >= stack.most) return Fail(s, "the stack is full");
  stack.items.push_back(operand(s, 1));
  at(s.outputs[0]) = operand(s, 0);
  return true;
}

template <typename R>
bool Evaluator<R>::StackPop(const Statement& s) {
  std::vector<Value<R>>& items = operand(s, 0).collection->items;
  if (items.empty()) return Fail(s, "the stack is empty");
  at(s.outputs[0]) = std::move(items.back());
  items.pop_back();
  at(s.outputs[1]) = operand(s, 0);
  return true;
}

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_DIRECT_COLLECTIONS_IMPL_H_
