#ifndef TAGFLOW_REFERENCE_STATE_H_
#define TAGFLOW_REFERENCE_STATE_H_

// The state of a step: tokens, the instances they wait at, iterations and frames. Plain data; what
// happens to it is the interpreter's business, what may happen the rules'.

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "reference/death.h"
#include "reference/kernel.h"
#include "reference/rules.h"

namespace tagflow::reference {

struct Token {
  Tensor value;
  std::shared_ptr<Variable> variable;  // of a reference, in place of the value
  bool dead = false;
  DeathPtr death;     // of a dead token
  int64_t from = -1;  // the firing that made it; -1: a feed
};

// What an instance hands on. A token without value or variable is an empty output.
struct Outputs {
  bool dead = false;
  DeathPtr death;
  std::vector<Token> tokens;  // one per output
  int64_t from = -1;          // the firing that made them, whenever they arrive
};

// A node under one tag.
struct Instance {
  Arrivals arrived;
  // Of its dead control inputs, the first in the node's order, and its place there.
  DeathPtr control_death;
  int control_slot = 0;
  std::vector<int64_t> control_firings;  // those its control inputs came from
};

// The live inputs that a Merge has had, while more may come.
struct LiveInputs {
  std::vector<Tensor> values;  // no two equal ([merge.3]); empty: one that equals none
  // For the history of happens-before:
  std::shared_ptr<Resource> race;  // what the tokens touch
  std::vector<int64_t> after;      // what all of them come after
  int64_t firing = -1;             // the Merge's; -1: it has not fired
};

struct Frame;

struct Iteration {
  Frame* frame = nullptr;
  int64_t index = 0;
  TagPtr tag;
  std::string tag_text;                   // the same, once somebody asked: Interpreter::TagOf
  std::vector<Instance> instances;        // by ProgramNode::place
  std::vector<Token> inputs;              // by ProgramNode::first_input + slot
  std::map<int, LiveInputs> live_inputs;  // by ProgramNode::place of a Merge
  int unfinished = 0;
  int live_frames = 0;
  // For the history of happens-before.
  std::vector<int64_t> begun_by;
  std::vector<int64_t> firings;
};

struct ExitRecord {
  ExitState state;
  DeathPtr death;       // of the Exit's dead firing in the earliest iteration, whichever came first
  int64_t died_in = 0;  // that iteration
};

struct Frame {
  int static_frame = FrameTree::kRoot;
  int64_t number = 0;  // of all frames of the step
  std::string key;
  const std::string* name = nullptr;
  Iteration* parent = nullptr;
  int enters_missing = 0;
  int64_t parallel_iterations = 1;
  std::map<int64_t, std::unique_ptr<Iteration>> iterations;  // begun and not ended
  int64_t newest = -1;
  std::vector<std::pair<int, Outputs>> constants;  // of constant Enters, with their nodes
  std::vector<std::pair<int, Outputs>>
      deferred;                     // of NextIterations, for the iteration after the newest
  std::map<int, ExitRecord> exits;  // by node
  // For the history of happens-before.
  std::vector<int64_t> end_after;  // what the frame's end comes after
  int64_t last_iteration_end = -1;
};

// An instance that can fire, or a Recv whose token has come.
struct Ready {
  int node = 0;
  Iteration* iteration = nullptr;
  bool received = false;
  Token token;  // of a Recv
};

}  // namespace tagflow::reference

#endif  // TAGFLOW_REFERENCE_STATE_H_
