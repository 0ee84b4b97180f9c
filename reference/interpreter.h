#ifndef TAGFLOW_REFERENCE_INTERPRETER_H_
#define TAGFLOW_REFERENCE_INTERPRETER_H_

// The interpreter: docs/semantics.md, running. It keeps the token store and asks struct Rules what
// each token means; no threads, one firing at a time, in an order that can be chosen.
//
//   Start puts the feeds in and makes the sources ready; FireOne takes one ready instance: it
//   collects the inputs, runs the node (Run), hands the outputs to consumers (Emit), and lets
//   iterations and frames end (Settle).
//
// Several interpreters, one per partition, may share a Rendezvous: whoever has something ready
// fires (step.h).

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "reference/bodies.h"
#include "reference/common_past.h"
#include "reference/history.h"
#include "reference/program.h"
#include "reference/rendezvous.h"
#include "reference/rules.h"
#include "reference/state.h"

namespace tagflow::reference {

class StepWatch;

// Which of the ready instances fires next: an index below ready.size().
using Order = std::function<size_t(const std::deque<Ready>& ready)>;

struct InterpreterOptions {
  const Rules* rules = &StandardRules();
  Order order;                 // null: first come, first served
  TraceSink trace;             // may be null
  History* history = nullptr;  // may be null
  bool collect_errors =
      false;  // go on after an error, without what the failed instance would have made
  Bodies* bodies = nullptr;                  // of the functions that are called; null: none can be
  FunctionGradient differentiate = nullptr;  // null: UNIMPLEMENTED
  // Of a step that is the body of a function:
  int depth = 0;                  // how many calls are around it
  std::string tag;                // of all of it: of the firing that calls, or an iteration in that
  AccessLog* accesses = nullptr;  // of the firing that calls, which touches what the body does
};

class Interpreter {
 public:
  // All arguments must outlive the interpreter.
  Interpreter(const Program& program, Resources& resources, Rendezvous& rendezvous,
              const InterpreterOptions& options);
  Interpreter(const Interpreter&) = delete;
  Interpreter& operator=(const Interpreter&) = delete;

  // feeds: one per feed of the call.
  Status Start(const std::vector<Tensor>& feeds);
  bool has_ready() const { return !ready_.empty(); }
  const std::deque<Ready>& ready() const { return ready_; }
  // Fires one ready instance. Errors carry node and tag. REQUIRES: has_ready()
  Status FireOne();
  // `status` with the node and tag of the instance that would fire next.
  Status Locate(Status status) const;
  // Who is asked whether the step may go on, within a firing too; outlives this.
  void set_watch(StepWatch* watch) { watch_ = watch; }
  const std::vector<Status>& errors() const { return errors_; }  // of collect_errors

  // The fetched values, when nothing can fire any more.
  //   Errors: a dead fetch (INVALID_ARGUMENT), something owed (FAILED_PRECONDITION, "starved").
  Result<std::vector<Tensor>> Finish() const;

 private:
  const Rules& rules() const { return *options_.rules; }
  const ProgramNode& node(int index) const { return program_.nodes[static_cast<size_t>(index)]; }

  // What one firing does (firing.cc).
  Status Fire(Ready& ready);
  // Puts an error by where all are collected, and goes on.
  Status Collected(Status status);
  Status Run(const ProgramNode& node, Iteration& iteration, std::vector<Token> inputs,
             Outputs& outputs);
  Status RunSwitch(const ProgramNode& node, Iteration& iteration, std::vector<Token>& inputs,
                   Outputs& outputs);
  Status RunMerge(const Arrivals& arrived, std::vector<Token>& inputs, Outputs& outputs);

  // A step of a function's body (functional.cc).
  class FunctionalFiring;
  Status RunFunctional(const ProgramNode& node, Iteration& iteration, std::vector<Token>& inputs,
                       Outputs& outputs);

  // Ordinary ops (kernel_call.cc), Send and Recv (exchange.cc).
  Status RunKernel(const ProgramNode& node, Iteration& iteration, std::vector<Token>& inputs,
                   Outputs& outputs);
  Status ReadReferences(const ProgramNode& node, std::vector<Token>& inputs);
  // death: of the Send, where it is dead
  Status RunSend(const ProgramNode& node, Iteration& iteration, std::vector<Token>& inputs,
                 DeathPtr death);
  Status StartRecv(const Ready& ready);
  // Whether a Send is of this interpreter's graph.
  bool IsOwn(const Node& sender) const;
  // That what came is of the Recv's dtype.
  Status CheckReceived(const Ready& ready) const;
  Result<std::string> Key(const ProgramNode& node, Iteration& iteration) const;

  // Where tokens go (propagation.cc).
  Status Feed(const std::vector<Tensor>& feeds);
  Status Emit(int index, Iteration& iteration, Outputs& outputs);
  Status EmitEnter(int index, Iteration& iteration, Outputs& outputs);
  Status EmitExit(int index, Iteration& iteration, Outputs& outputs);
  Status EmitNext(int index, Iteration& iteration, Outputs& outputs);
  Status Deliver(int index, const Outputs& outputs, Iteration& iteration);
  Status Fetch(int fetch, const Token& token);
  Status Arrive(DataEdge edge, const Token& token, Iteration& iteration);
  // At a Merge: of several live inputs all must be equal ([merge.3]).
  Status ArriveLive(DataEdge edge, const Token& token, Iteration& iteration);
  void DropLiveInputs(const ProgramNode& merge, Iteration& iteration) const;
  void ArriveControl(ControlEdge edge, bool dead, const DeathPtr& death, int64_t from,
                     Iteration& iteration);
  void MakeReadyIfDue(int index, Iteration& iteration);
  Needs NeedsOf(const ProgramNode& node, const Iteration& iteration) const;
  Instance& InstanceOf(const ProgramNode& node, Iteration& iteration) const;

  // The tag of an iteration; "outer[2]/name" for the tags outer[2]/name[k] of a frame's.
  const std::string& TagOf(Iteration& iteration) const;
  std::string TagPrefix(const Frame& frame) const;
  std::string KeyTagOf(Iteration& iteration) const;
  // Frames and iterations begin and end (propagation.cc).
  Frame& FindOrBeginFrame(const ProgramNode& enter, Iteration& parent);
  Status BeginIteration(Frame& frame);
  Status Settle(Frame& frame);
  void EndIteration(Frame& frame, Iteration& iteration);
  Status EndFrame(Frame& frame);

  // What a run leaves behind (observe.cc).
  // The death of an instance of `node`; its cause is for the caller to add.
  DeathPtr Die(const Node& node, Iteration& iteration) const;
  DeathPtr DieOfInputs(const ProgramNode& node, Iteration& iteration, const Instance& instance,
                       const std::vector<Token>& inputs) const;
  void Record(const ProgramNode& node, Iteration& iteration, const Instance& instance,
              const std::vector<Token>& inputs);
  void RecordLiveInput(const ProgramNode& merge, const Token& token, size_t value,
                       Iteration& iteration);
  void RecordFeeds();
  int64_t RecordEnd(const std::string& tag, std::vector<int64_t> after);
  void Trace(const ProgramNode& node, Iteration& iteration, const std::vector<int64_t>& inputs,
             const Outputs& outputs) const;

  // What is owed at the end (finish.cc).
  TargetState StateOfTarget(const ProgramNode& target) const;
  std::string Waiting() const;
  void NoteStarved(const Frame& frame, Iteration& iteration);

  const Program& program_;
  Resources& resources_;
  Rendezvous& rendezvous_;
  const InterpreterOptions& options_;
  StepWatch* watch_ = nullptr;

  Frame root_;
  std::unordered_map<std::string, std::unique_ptr<Frame>> frames_;  // by [frame.1]
  std::deque<Ready> ready_;
  std::vector<Token> fetched_;
  std::vector<bool> fetch_arrived_;
  std::vector<bool> target_fired_;    // by node
  std::vector<bool> frame_began_;     // by static frame
  std::vector<std::string> starved_;  // instances of ended iterations that lack inputs
  // Under other rules than the standard's something may end while something else still points at
  // it: what has ended is kept.
  std::vector<std::unique_ptr<Iteration>> ended_iterations_;
  std::vector<std::unique_ptr<Frame>> ended_frames_;
  std::vector<Status> errors_;
  AccessLog accesses_;
  CommonPast common_past_;
  std::vector<std::pair<int, Tensor>> reads_;  // of references, for the trace
  int64_t next_firing_ = 0;
  int64_t next_frame_ = 1;
  int64_t current_ = -1;
  int waiting_recvs_ = 0;
};

}  // namespace tagflow::reference

#endif  // TAGFLOW_REFERENCE_INTERPRETER_H_
