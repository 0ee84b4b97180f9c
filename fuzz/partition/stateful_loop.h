#ifndef TAGFLOW_FUZZ_PARTITION_STATEFUL_LOOP_H_
#define TAGFLOW_FUZZ_PARTITION_STATEFUL_LOOP_H_

// A graph, as text for TestGraph:
//   v = 0, x = 0; while v < 5: v = v + 2, x = x + 2
// Nothing but the beginning of an iteration orders the read of the variable in it after the write
// of the one before. What comes out, `exit` and `final`, is 6.

namespace tagflow::fuzz {

inline constexpr char kStatefulLoop[] = R"(
    v = VarHandleOp() dtype=int32 shared_name=v
    zero = Const() dtype=int32 value=0
    two = Const() dtype=int32 value=2
    five = Const() dtype=int32 value=5
    init = AssignVariableOp(v, zero) dtype=int32
    enter = Enter(zero) T=int32 frame_name=loop
    v_enter = Enter(v) T=resource frame_name=loop is_constant=true
    two_enter = Enter(two) T=int32 frame_name=loop is_constant=true
    five_enter = Enter(five) T=int32 frame_name=loop is_constant=true
    x = Merge(enter, next) T=int32
    read = ReadVariableOp(v_enter) dtype=int32
    less = Less(read, five_enter, ^x) T=int32
    again = LoopCond(less)
    switch = Switch(x, again) T=int32
    more = Switch(read, again) T=int32
    sum = AddV2(more:1, two_enter) T=int32
    write = AssignVariableOp(v_enter, sum) dtype=int32
    body = AddV2(switch:1, two_enter, ^write) T=int32
    next = NextIteration(body) T=int32
    exit = Exit(switch) T=int32
    final = ReadVariableOp(v, ^exit) dtype=int32
)";

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_PARTITION_STATEFUL_LOOP_H_
