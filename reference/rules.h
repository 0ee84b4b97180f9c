#ifndef TAGFLOW_REFERENCE_RULES_H_
#define TAGFLOW_REFERENCE_RULES_H_

// The rules of docs/semantics.md, one small function per label. The interpreter decides nothing by
// itself: whatever the standard says about tokens, tags, frames and deadness is asked here. A
// mutant is this table with one entry replaced. Tested by: rules_test.cc (labels, entries and
// documentation agree) and every case.

#include <cstdint>
#include <string>

#include "graph/status.h"
#include "graph/tensor.h"
#include "reference/program.h"

namespace tagflow::reference {

// What has arrived for one instance of a node: a node under one tag.
struct Arrivals {
  int live_data = 0;
  int dead_data = 0;
  int live_control = 0;
  int dead_control = 0;
  int first_live = -1;  // slot of the first live data token
  bool fired = false;

  int data() const { return live_data + dead_data; }
  int control() const { return live_control + dead_control; }
};

// What an instance waits for.
struct Needs {
  int data = 0;     // data inputs; of a Merge only those present in this iteration
  int control = 0;  // control inputs
};

// The state of the oldest iteration of a frame that has not ended: iterations end in order.
struct IterationState {
  int64_t index = 0;
  int unfinished = 0;      // instances that are ready, running, or waiting for a Recv
  int live_frames = 0;     // child frames that have not ended
  int enters_missing = 0;  // Enters of the frame that have not fired yet
};

struct FrameState {
  int enters_missing = 0;
  int64_t live_iterations = 0;  // iterations begun and not ended
};

// What became of the frames around a node that never fired.
struct TargetState {
  bool in_root = false;  // there are none
  bool outermost_began = false;
  bool one_lives = false;  // some instance of one of them has not ended
};

struct ExitState {
  bool saw_dead = false;
  bool sent_live = false;
};

struct Rules {
  // Tokens and tags.
  bool (*token_sent)(bool dead);                                                   // [token.1]
  std::string (*iteration_tag)(const std::string& frame_path, int64_t iteration);  // [token.2]
  bool (*may_fire)(const Arrivals&);                                               // [token.3]
  // Firing.
  bool (*ready)(const Needs&, const Arrivals&);                    // [fire.1]
  bool (*dead)(const Arrivals&);                                   // [fire.2]
  bool (*runs)(Role, bool dead, const Arrivals&);                  // [fire.3]
  bool (*data_token_dead)(bool instance_dead, bool has_value);     // [fire.4]
  bool (*control_token_dead)(bool instance_dead, bool any_value);  // [control.1]
  bool (*trigger_dead)(const Arrivals&);                           // [control.2]
  // Switch and Merge.
  int (*switch_port)(bool predicate);                    // [switch.1]
  Status (*check_predicate)(const Tensor&);              // [switch.2]
  bool (*merge_present)(SourceKind, int64_t iteration);  // [merge.1]
  bool (*merge_live)(const Needs&, const Arrivals&);     // [merge.2]
  // Why two live inputs do not count as one value; empty when they do.
  std::string (*merge_inputs_differ)(const Tensor& first, const Tensor& second,
                                     bool index_is_taken);  // [merge.3]
  Status (*merge_second_live)(int first_slot, int second_slot,
                              const std::string& why);  // [merge.3]
  bool (*merge_dead)(const Needs&, const Arrivals&);    // [merge.4]
  bool (*merge_output_dead)(const Arrivals&);           // [merge.5]
  int (*merge_value_index)(const Arrivals&);            // [merge.6]
  // Enter, Exit, NextIteration.
  std::string (*frame_key)(const std::string& parent_tag, const std::string& name);  // [frame.1]
  int64_t (*enter_iteration)();                                                      // [enter.1]
  bool (*enter_reaches)(bool is_constant, int64_t iteration);                        // [enter.2]
  int (*enter_counts)(bool dead);                                                    // [enter.3]
  bool (*exit_forwards)(bool dead);                                                  // [exit.1]
  bool (*exit_owes_dead)(const ExitState&);                                          // [exit.2]
  Status (*exit_second_live)();                                                      // [exit.3]
  int64_t (*next_iteration)(int64_t iteration);                                      // [next.1]
  bool (*next_forwards)(bool dead);                                                  // [next.2]
  bool (*may_begin)(int64_t live_iterations, int64_t parallel_iterations);           // [next.3]
  // Ends.
  bool (*iteration_ended)(const IterationState&);                     // [frame.6]
  bool (*frame_ended)(const FrameState&);                             // [frame.7]
  bool (*target_owed)(const TargetState&);                            // [step.2]
  Status (*owed)(const std::string& what, const std::string& waits);  // [step.2]
  // Feeds and fetches.
  bool (*feed_dead)();                                                             // [feed.3]
  Status (*dead_fetch)(const std::string& fetch, const std::string& explanation);  // [fetch.1]
  // Variables.
  Status (*uninitialized)(const std::string& variable, bool op_allows);  // [ref.3]
  bool (*reads_at_firing)(bool token_is_ref, bool input_is_ref);         // [ref.2]
  // Send and Recv.
  bool (*send_dead)(const Arrivals&);                     // [rendezvous.2]
  std::string (*rendezvous_tag)(const std::string& tag);  // [rendezvous.1]
  bool (*recv_waits)();                                   // [rendezvous.4]
};

// The standard itself.
const Rules& StandardRules();

}  // namespace tagflow::reference

#endif  // TAGFLOW_REFERENCE_RULES_H_
