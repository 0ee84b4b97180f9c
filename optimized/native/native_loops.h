#ifndef TAGFLOW_OPTIMIZED_NATIVE_NATIVE_LOOPS_H_
#define TAGFLOW_OPTIMIZED_NATIVE_NATIVE_LOOPS_H_

// Loops of straight code as machine code, entered and left at instructions of the code; and pieces
// of the code outside of them, which are loops that never repeat.
//
// A step begins interpreted. At the head of a loop (behind kEnter, kRepeat and kPiece) the machine
// asks whether there is machine code for it; that runs as many iterations as it can and says at
// which instruction the machine goes on. It leaves the loop where the loop ends, and before an
// instruction that would fail, or that a limit or the stop flag forbids: the machine runs that
// instruction itself, so that messages, tags and limits are those of interpreted code.
//
// Elementwise calls on scalars and small tensors are machine code, and whatever else is in the loop
// the machine runs, called for it (loop_values.h says what is what). When: kAuto compiles a loop
// once it has run interpreted for fifteen times as long as compiling it is expected to take, summed
// over steps, or is known to have as much before it (loop_trips.h); so a loop that ends right then
// has lost a tenth. An iteration before may be looked at, for what its calls give (scout.h). Where
// the session has an idle thread, that compiles (code_beside.h), and much sooner.
//
// Code is made for the shapes that tensors have. Steps with others get code of their own, up to a
// few; where shapes change within a step, tensors are left to kernels.
//
// Thread safety: any number of steps at once, each with a NativeStep of its own; one of them
// compiles while the others go on interpreted.
// Tested by native_loops_test.cc.

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "graph/status.h"
#include "graph/tensor.h"
#include "optimized/idle_threads.h"
#include "optimized/kernels/part.h"
#include "optimized/native/code_beside.h"
#include "optimized/native/compile_costs.h"
#include "optimized/native/compiled_loop.h"
#include "optimized/native/loop_listing.h"
#include "optimized/native/native_library.h"
#include "optimized/native/native_place.h"
#include "optimized/native_options.h"
#include "optimized/straight/code.h"

namespace tagflow::optimized {

class NativeLoops {
 public:
  // Numbers the loops of the code, in their kEnters and kRepeats, and marks its pieces. The code
  // and its origin outlive this and stay where they are.
  //   find_part: what the kernel of a node computes, or null; asked here alone
  //   idle_threads: null: there are none. They outlive this.
  NativeLoops(const ListedCall& origin, Code& code,
              const std::function<const KernelPart*(NodeId)>& find_part,
              const NativeOptions& options, IdleThreads* idle_threads);
  ~NativeLoops();

  size_t size() const { return loops_.size(); }
  // Those before are loops, the others pieces.
  int32_t first_piece() const { return first_piece_; }
  bool is_compiled(int32_t loop) const;
  // How many times a step comes to the head of a loop before it is to call Run.
  int64_t Patience(int32_t loop) const;
  // Whether a step that has come to a piece is to call Run; that is counted here.
  bool IsPieceDue(int32_t piece);
  // Runs iterations of the loop, where it has code, or gets it now.
  //   heads: how often the step came to the head since it called last
  //   returns: the instruction to go on with, or kNativeFailed; nothing: the loop is to be
  //   interpreted
  std::optional<int32_t> Run(int32_t loop, int64_t heads, NativePlace& place);
  // The step interpreted the loop so often, and is over. Returns the nanoseconds that this is
  // expected to have taken.
  double Note(int32_t loop, int64_t heads);
  double ExpectedNs(int32_t loop, int64_t heads) const;
  TimeShare& time_share() { return time_share_; }
  // For people: what was compiled, how long that took, and why something was not.
  std::vector<std::string> Notes() const;

 private:
  struct Loop;
  struct Counts;

  Loop& loop_at(int32_t number) const { return *loops_[static_cast<size_t>(number)]; }
  void AddLoop(const LoopBounds& bounds, const Counts& counts, Code& code);
  void AddPiece(const LoopBounds& bounds, const Counts& counts, Code& code);
  // place: where the loop has trips left that may be known; null: nowhere
  bool IsWorthwhile(const Loop& loop, const NativePlace* place) const;
  // Whether it has run for long enough to be compiled by an idle thread, and none has it yet.
  bool IsWorthAnIdleThread(const Loop& loop) const;
  // Code for values like those in the slots; null: there is none.
  static const CompiledLoop* FindFor(const Loop& loop, const NativePlace& place);
  // Says what code for a piece is to look at before it runs.
  void FindGivers(int32_t number, WrittenLoop& written);
  // Runs an iteration interpreted, to see what its calls give; nothing: that is known.
  std::optional<int32_t> LookAt(int32_t number, NativePlace& place);
  // The code of a loop that has none for the slots, if it is there by now or is worthwhile. null:
  // the loop stays interpreted, this time or for good.
  //   next: where an iteration was looked at, the instruction to go on with
  const CompiledLoop* Obtain(int32_t number, NativePlace& place, std::optional<int32_t>& next);
  // Null as above; or because an idle thread is to make it.
  const CompiledLoop* Compile(int32_t number, NativePlace& place, bool is_for_idle);
  const CompiledLoop* TakeMade(int32_t number, const NativePlace& place);
  //   Errors: FAILED_PRECONDITION and RESOURCE_EXHAUSTED where its values may be others, or there
  //   may be memory, another time; UNIMPLEMENTED and INTERNAL for good
  Result<WrittenLoop> Write(int32_t number, const NativePlace& place);
  // Null where it does not suit the slots, or was not made.
  const CompiledLoop* Keep(int32_t number, WrittenLoop written, Result<NativeCode> code,
                           const NativePlace& place);
  static void GiveUp(Loop& loop, const Status& why);
  std::string NameOf(const Loop& loop) const;
  // What its function is called.
  std::string FunctionOf(const Loop& loop) const;

  const ListedCall origin_;
  const Code& code_;
  const NativeOptions options_;
  IdleThreads* const idle_threads_;
  std::vector<std::unique_ptr<Loop>> loops_;  // those in another before it; then the pieces
  int32_t first_piece_ = 0;
  std::vector<const KernelPart*> parts_;  // by instruction; none where there are no loops
  std::optional<SlotWriters> writers_;    // made when it is asked for; guarded by compiling_
  TimeShare time_share_;
  mutable std::mutex compiling_;
};

// What one step knows of the native loops of its code.
class NativeStep {
 public:
  // loops: null: there are none, and none is asked for
  explicit NativeStep(NativeLoops* loops);
  ~NativeStep();
  NativeStep(const NativeStep&) = delete;
  NativeStep& operator=(const NativeStep&) = delete;

  // Whether the loop at whose head the step is wants Run to be called.
  bool IsDue(int32_t loop) { return --waits_[static_cast<size_t>(loop)].left < 0; }
  // The same of a piece.
  bool IsPieceDue(int32_t piece) {
    if (is_timed_) expected_ns_ += loops_->ExpectedNs(piece, 1);
    return loops_->IsPieceDue(piece);
  }
  // As NativeLoops::Run.
  std::optional<int32_t> Run(int32_t loop, NativePlace& place);
  // For NativePlace.
  std::vector<const void*>& done() {
    done_.resize(loops_->size());
    return done_;
  }
  bool& has_compiled_piece() { return has_compiled_piece_; }

 private:
  void NoteTime();

  struct Wait {
    int64_t left;
    int64_t from;  // where `left` began
  };
  NativeLoops* const loops_;
  std::vector<Wait> waits_;        // by loop; pieces have none
  std::vector<const void*> done_;  // as NativePlace::done
  bool is_timed_ = false;
  double expected_ns_ = 0;                       // of what was noted in a timed step
  std::chrono::steady_clock::time_point begin_;  // of a timed step
  bool has_compiled_piece_ = false;
};

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_NATIVE_NATIVE_LOOPS_H_
