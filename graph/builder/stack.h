#ifndef TAGFLOW_GRAPH_BUILDER_STACK_H_
#define TAGFLOW_GRAPH_BUILDER_STACK_H_

// Stack: last in, first out, made anew whenever its node runs. Push hands its element on, so that
// what comes after can take it from there; pushes and pops are ordered by data or control edges
// only.

#include <string>

#include "graph/builder/op_builder.h"

namespace tagflow {

class Stack {
 public:
  // `max_size`: an int32 scalar; -1 for no limit.
  Stack(const Scope& scope, const Input& max_size, DType dtype, std::string_view name = "Stack");

  // Gives the element, once it is on the stack. `swap_memory`: it may be moved out of the device's
  // memory.
  Output Push(const Scope& scope, const Input& value, bool swap_memory = false) const;
  Output Pop(const Scope& scope) const;
  Operation Close(const Scope& scope) const;

  const Output& handle() const { return handle_; }

 private:
  Output handle_;
  DType dtype_;
};

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_BUILDER_STACK_H_
