#include "reference/rules.h"

#include <algorithm>
#include <cstring>

#include "graph/tag.h"

namespace tagflow::reference {
namespace {

// [token.1] A dead token travels like a live one: a consumer must learn that no value will come.
bool TokenSent(bool /*dead*/) { return true; }

// [token.2] The tag of an iteration: the path of its frame and its number.
std::string IterationTag(const std::string& frame_path, int64_t iteration) {
  return frame_path + "[" + std::to_string(iteration) + "]";
}

// [token.3] A node fires at most once per tag.
bool MayFire(const Arrivals& arrived) { return !arrived.fired; }

// [fire.1] An instance fires once every data and control input has arrived under its tag.
bool Ready(const Needs& needs, const Arrivals& arrived) {
  return arrived.data() == needs.data && arrived.control() == needs.control;
}

// [fire.2] It is dead when any of its inputs, data or control, is dead.
bool Dead(const Arrivals& arrived) { return arrived.dead_data + arrived.dead_control > 0; }

// [fire.3] A dead instance is not run; Send and Recv are, to carry the deadness across.
bool Runs(Role role, bool dead, const Arrivals&) {
  return !dead || role == Role::kSend || role == Role::kRecv;
}

// [fire.4] A data edge carries a dead token when the instance is dead, or has no value on that
// output.
bool DataTokenDead(bool instance_dead, bool has_value) { return instance_dead || !has_value; }

// [control.1] A control edge carries the deadness of the instance alone, whatever its outputs hold.
bool ControlTokenDead(bool instance_dead, bool /*any_value*/) { return instance_dead; }

// [control.2] A ControlTrigger is live, even when all it waited for is dead.
bool TriggerDead(const Arrivals&) { return false; }

// [switch.1] The data goes to output 1 when the predicate is true, else to output 0; the other
// output has no value.
int SwitchPort(bool predicate) { return predicate ? 1 : 0; }

// [switch.2] A predicate is of rank 0.
Status CheckPredicate(const Tensor& predicate) {
  if (predicate.num_elements() == 1 && predicate.rank() == 0) return Status();
  return InvalidArgument("The predicate must be a scalar, but it has shape " +
                         DimsString(predicate.dims()))
      .WithRule("switch.2");
}

// [merge.1] Iteration 0 has every data input but those from NextIteration; a later one has every
// data input but those from Enters that are not constant.
bool MergePresent(SourceKind source, int64_t iteration) {
  return iteration == 0 ? source != SourceKind::kNextIteration : source != SourceKind::kEnter;
}

// [merge.2] A Merge fires live on the first live data input, once all its control inputs have
// arrived.
bool MergeLive(const Needs& needs, const Arrivals& arrived) {
  return arrived.live_data > 0 && arrived.control() == needs.control;
}

// [merge.3] Live data inputs are equal when nobody asks which of them it was, and they are plain
// values of one dtype and shape with the same bytes.
std::string MergeInputsDiffer(const Tensor& first, const Tensor& second, bool index_is_taken) {
  if (index_is_taken) return "value_index tells them apart";
  if (!first.has_value() || !second.has_value()) return "references are not compared";
  if (!IsPlainDType(first.dtype())) {
    return "values of " + DTypeName(first.dtype()) + " are not compared";
  }
  if (first.dtype() != second.dtype()) return "their dtypes differ";
  if (!std::ranges::equal(first.dims(), second.dims())) {
    return "their shapes differ, " + DimsString(first.dims()) + " and " + DimsString(second.dims());
  }
  const bool same = first.byte_size() == 0 ||
                    std::memcmp(first.raw_data(), second.raw_data(), first.byte_size()) == 0;
  return same ? "" : "their values differ";
}

// [merge.3] A second live data input under one tag is an error when it is not equal to the first.
Status MergeSecondLive(int first_slot, int second_slot, const std::string& why) {
  return InvalidArgument("Merge can not have more than one valid input: inputs " +
                         std::to_string(first_slot) + " and " + std::to_string(second_slot) +
                         " are both live under one tag, and " + why +
                         "; let one predicate decide which of them is")
      .WithRule("merge.3");
}

// [merge.4] It fires dead when every present data input is dead and all control inputs have
// arrived, in any order.
bool MergeDead(const Needs& needs, const Arrivals& arrived) {
  return needs.data > 0 && arrived.dead_data == needs.data && arrived.control() == needs.control;
}

// [merge.5] Whether its outputs are dead depends on data inputs alone: the deadness of control
// inputs is ignored.
bool MergeOutputDead(const Arrivals& arrived) { return arrived.live_data == 0; }

// [merge.6] value_index is the position of the live input among the data inputs.
int MergeValueIndex(const Arrivals& arrived) { return arrived.first_live; }

// [frame.1] A frame instance is the static name under the tag of the parent: the same loop in two
// iterations of its parent is two frames. The name is escaped, so that it is never taken for a tag.
std::string FrameKey(const std::string& parent_tag, const std::string& name) {
  return parent_tag + "/" + ToString(Tag{{{name, 0}}});
}

// [enter.1] Enter puts its token into iteration 0 of the child frame.
int64_t EnterIteration() { return 0; }

// [enter.2] A constant Enter's token is there in every iteration.
bool EnterReaches(bool is_constant, int64_t iteration) { return is_constant || iteration == 0; }

// [enter.3] Every Enter, live or dead, makes the frame if it is the first, and counts towards the
// frame's end.
int EnterCounts(bool /*dead*/) { return 1; }

// [exit.1] A live Exit puts its token into the parent at once; a dead one waits.
bool ExitForwards(bool dead) { return !dead; }

// [exit.2] When the frame ends, an Exit that was dead and never live puts one dead token into the
// parent.
bool ExitOwesDead(const ExitState& exit) { return exit.saw_dead && !exit.sent_live; }

// [exit.3] An Exit that is live in two iterations of one frame is an error.
Status ExitSecondLive() {
  return InvalidArgument(
             "Exit is live in two iterations of one frame; only one value may leave the loop: take "
             "it from "
             "the Switch output that is live when the loop ends")
      .WithRule("exit.3");
}

// [next.1] NextIteration puts its token into the next iteration of its frame.
int64_t NextIterationIndex(int64_t iteration) { return iteration + 1; }

// [next.2] A dead NextIteration puts no token anywhere.
bool NextForwards(bool dead) { return !dead; }

// [next.3] An iteration begins only while fewer than parallel_iterations of its frame have not
// ended.
bool MayBegin(int64_t live_iterations, int64_t parallel_iterations) {
  return live_iterations < parallel_iterations;
}

// [frame.6] The oldest iteration has ended when nothing of it is unfinished, no child frame of it
// lives, and, for iteration 0, every Enter of the frame has fired.
bool IterationEnded(const IterationState& state) {
  return state.unfinished == 0 && state.live_frames == 0 &&
         (state.index > 0 || state.enters_missing == 0);
}

// [frame.7] A frame has ended when every Enter has fired and every iteration begun has ended.
bool FrameEnded(const FrameState& state) {
  return state.enters_missing == 0 && state.live_iterations == 0;
}

// [step.2] A target that never fired is owed, unless it is in a loop and every frame around it has
// ended.
bool TargetOwed(const TargetState& target) {
  return target.in_root || !target.outermost_began || target.one_lives;
}

// [step.2] When nothing can fire any more and a fetch, target or Recv is still owed, the step
// fails.
Status Owed(const std::string& what, const std::string& waits) {
  return FailedPrecondition("starved: nothing can run any more, but " + what + " is still owed" +
                            waits)
      .WithRule("step.2");
}

// [feed.3] A feed is live, whatever branch its node is in.
bool FeedDead() { return false; }

// [fetch.1] Fetching a dead tensor is an error that says what killed it.
Status DeadFetch(const std::string& fetch, const std::string& explanation) {
  return InvalidArgument("Retval[0] does not have value: the fetched tensor '" + fetch +
                         "' is dead" + explanation)
      .WithRule("fetch.1");
}

// [ref.3] Reading an uninitialized variable is an error, but for the ops that allow it.
Status Uninitialized(const std::string& variable, bool op_allows) {
  if (op_allows) return Status();
  return FailedPrecondition(
             "Attempting to use uninitialized value " + variable +
             ": run its initializer in an earlier step, or order it before this read")
      .WithRule("ref.3");
}

// [ref.2] An input that is not a reference reads the variable when the consumer fires.
bool ReadsAtFiring(bool token_is_ref, bool input_is_ref) { return token_is_ref && !input_is_ref; }

// [rendezvous.2] A Send passes a dead token on when any of its inputs is dead.
bool SendDead(const Arrivals& arrived) { return Dead(arrived); }

// [rendezvous.1] The key holds the tag, so that each iteration meets its own.
std::string RendezvousTag(const std::string& tag) { return tag; }

// [rendezvous.4] A Recv whose token has not come waits for it.
bool RecvWaits() { return true; }

}  // namespace

const Rules& StandardRules() {
  static const Rules rules = {
      .token_sent = TokenSent,
      .iteration_tag = IterationTag,
      .may_fire = MayFire,
      .ready = Ready,
      .dead = Dead,
      .runs = Runs,
      .data_token_dead = DataTokenDead,
      .control_token_dead = ControlTokenDead,
      .trigger_dead = TriggerDead,
      .switch_port = SwitchPort,
      .check_predicate = CheckPredicate,
      .merge_present = MergePresent,
      .merge_live = MergeLive,
      .merge_inputs_differ = MergeInputsDiffer,
      .merge_second_live = MergeSecondLive,
      .merge_dead = MergeDead,
      .merge_output_dead = MergeOutputDead,
      .merge_value_index = MergeValueIndex,
      .frame_key = FrameKey,
      .enter_iteration = EnterIteration,
      .enter_reaches = EnterReaches,
      .enter_counts = EnterCounts,
      .exit_forwards = ExitForwards,
      .exit_owes_dead = ExitOwesDead,
      .exit_second_live = ExitSecondLive,
      .next_iteration = NextIterationIndex,
      .next_forwards = NextForwards,
      .may_begin = MayBegin,
      .iteration_ended = IterationEnded,
      .frame_ended = FrameEnded,
      .target_owed = TargetOwed,
      .owed = Owed,
      .feed_dead = FeedDead,
      .dead_fetch = DeadFetch,
      .uninitialized = Uninitialized,
      .reads_at_firing = ReadsAtFiring,
      .send_dead = SendDead,
      .rendezvous_tag = RendezvousTag,
      .recv_waits = RecvWaits,
  };
  return rules;
}

}  // namespace tagflow::reference
