#ifndef TAGFLOW_FUZZ_GRAPHS_NAIVE_OPS_H_
#define TAGFLOW_FUZZ_GRAPHS_NAIVE_OPS_H_

// What the ordinary ops of small graphs compute: the function `eval` of docs/small_step.md.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/graphs/naive.h"
#include "fuzz/graphs/naive_order.h"

namespace tagflow::fuzz {

// A stack, an array, or the array of an array's gradients: what one firing made, for one step.
struct NaiveObject {
  struct Element {
    NaiveValue value;
    bool written = false;
    bool read = false;
  };
  std::string name;
  bool closed = false;
  int64_t most = -1;               // of a stack: how many it holds; negative: any number
  std::vector<NaiveValue> pushed;  // the top one last
  std::vector<Element> elements;   // of an array
  bool clears = true;              // an element that was read is gone
  bool zeros = false;              // what nobody wrote is 0
  bool adds = false;               // a second write adds up: of gradients
};

// M of the judgements.
struct NaiveState {
  NaiveVariables& variables;
  std::map<std::string, NaiveObject> objects = {};  // of the step, by the name in their handles
  std::vector<NaiveTouch> touches = {};             // of the firing
};

// One firing of an ordinary op.
struct NaiveFiring {
  const Node& node;
  const std::string& tag;
  const std::vector<NaiveValue>& inputs;  // live; read where the op asks for no reference
  NaiveState& state;
};

// The parts of a variable: what it holds, and whether it holds anything.
inline constexpr char kHeld[] = "held";
inline constexpr char kPresence[] = "presence";

// Puts down that the firing writes what its first input names: all of it, where there was nothing.
void TouchWriting(const NaiveFiring& firing);

// Puts down that the firing touches that part of what its first input names; "": all of it.
void Touch(const NaiveFiring& firing, bool writes, const std::string& part = "");

using NaiveOp = Status (*)(const NaiveFiring&, std::vector<NaiveValue>& outputs);

// Null for an op that is not there.
NaiveOp FindNaiveOp(std::string_view op);
// The ones that touch stacks, arrays and references; null for others.
NaiveOp FindNaiveStateOp(std::string_view op);
// `name` of a variable's handle or reference, without its container.
std::string NaiveNameOf(const NaiveValue& value);

// A scalar as the naive executor has it; of another shape or dtype, a value of dtype kInvalid.
NaiveValue NaiveOf(const Tensor& tensor);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_GRAPHS_NAIVE_OPS_H_
