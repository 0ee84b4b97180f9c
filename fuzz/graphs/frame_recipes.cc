// Tested by recipe_test.cc.

#include "fuzz/graphs/recipe.h"

namespace tagflow::fuzz {
namespace {

using enum Needs;

constexpr Recipe kRecipes[] = {
    {"a-frame", kAnything, "[frame.1]: frames that nothing goes round in", R"(
      $d = {1|1|1|{3..5}}
      y = x
      repeat $d: y = Enter[frame_name=f# is_constant={false|true}](y)
      repeat $d: y = Exit(y)
    )"},
    {"a-message-in-a-deep-frame", kAnything, "[rendezvous.1]: tags of many frames", R"(
      y = x
      repeat 3: y = Enter[frame_name=f# is_constant={false|true}](y)
      $s $r = {_Send _Recv|_Send _Recv|_HostSend _HostRecv}
      target $s[tensor_name=deep](y)
      y = $r[tensor_type=x tensor_name=deep](^y)
      repeat 3: y = Exit(y)
    )"},
    {"a-frame-left-by-a-branch", kAnything, "Exits of both sides of a branch", R"(
      e = Enter[frame_name=f is_constant={false|true}](x)
      s = Switch(e, Enter[frame_name=f is_constant={false|true}](p))
      $a $b = {0 1|1 0}
      c = Changed(Exit(s:$a))
      y = Merge({c, Exit(s:$b)|Exit(s:$b), c|c, Switch(x, p):$b})
      {|fetch c}
    )"},
    {"a-frame-that-never-begins", kAnything, "[step.2]: it waits for an iteration that never comes",
     R"(
      d = Switch(x, {true|false}):0
      l = Exit(Identity(NextIteration(Enter[frame_name=f](d))))
      target Identity*{1..2}(Enter[frame_name=g is_constant={false|false|true}](l))
    )"},
    {"an-invariant-of-a-loop", kInt32,
     "what a body computes anew and may fail, in loops of no trip", R"(
      loop {0|0|{1..2}}
      k = Enter[frame_name=f is_constant=true]({n|x}{|||, ^x})
      a = {k|{0..3}@body}
      b = {0@body|0@k|1@body|Enter[frame_name=f is_constant=true]({0|1|n})}
      r = {Div|FloorDiv|FloorMod|Add}(a, {b|Identity(b, ^body)}{|, ^body})
      v = Merge(Enter[frame_name=f](x), next)
      s = Switch(v, cond)
      next = NextIteration(Add(s:1, r))
      e = Exit(s:0)
      {y = e|y = e|target e}
    )"},
    {"vectors-that-do-not-fit-in-a-loop", kInt32, "an invariant that fails in a body", R"(
      loop {0|{1..2}}
      two = Add(Mul(body, 0@body), 2@body)
      few = Slice(<1 2 3>@body, <0>@body, ExpandDims(two, 0@body))
      r = Add(Enter[frame_name=f is_constant=true](<1 2 3>), few{|, ^body})
      v = Merge(Enter[frame_name=f](x), next)
      s = Switch(v, cond)
      next = NextIteration(Add(s:1, r))
      y = Exit(s:0)
    )"},
    {"an-invariant-of-some-trips", kInt32, "loop variables of no use; a branch within a body", R"(
      loop {0|{1..2}}
      w = Merge(Enter[frame_name=f](x), again)
      i = Switch(w, cond)
      again = NextIteration(i:1)
      $a $b = {0 1|1 0}
      c = Switch(body, Less({0|1}@body, body))
      pivot = Identity(i:1, ^Identity(c:$a))
      k = Enter[frame_name=f is_constant=true]({n|x})
      r = Merge({Div|FloorDiv|FloorMod|Add}(k, {0..1}@pivot, ^pivot), c:$b)
      v = Merge(Enter[frame_name=f](x), next)
      s = Switch(v, cond)
      next = NextIteration(Add(s:1, r))
      after = Identity(i:0)
      y = Add(Exit(s:0), Exit({1..3}@after))
    )"},
    {"a-shape-that-grows-in-a-loop", kAnything, "what is known of shapes in a loop", R"(
      loop {0|{1..2}}
      v = Merge(Enter[frame_name=f](x), next)
      s = Switch(v, cond)
      $v $w = {v u|s:1 g}
      t = {$v|Reshape($v, Shape($v))|Transpose($v, Range(0@v, Rank($v), 1@v))}
      k = Reshape(Enter[frame_name=f is_constant=true](x), <-1>@body)
      g = {ExpandDims(t, 0@body)|ConcatV2(Reshape(t, <-1>@body), k, 0@body)}
      u = Switch(g, cond):1
      next = NextIteration($w)
      first = Slice(Reshape(Exit(s:0), <-1>), <0>, ExpandDims(Size(x), 0))
      y = Reshape(first, Shape(x))
    )"},
    {"a-shape-broadcast-in-a-loop", kNumber, "what is known of shapes in a loop", R"(
      loop {0|{1..2}}
      v = Merge(Enter[frame_name=f](x), next)
      s = Switch(v, cond)
      next = NextIteration(ExpandDims(BroadcastTo(s:1, Shape(s:1)), 0@body))
      y = Reshape(Exit(s:0), Shape(x))
    )"},
    {"a-header-of-many-inputs", kAnything,
     "[merge.1]: Merges of what comes from outside and inside", R"(
      loop {1..3}
      $a = {0|1}
      c = {Enter[frame_name=f](x)|Enter[frame_name=f is_constant=true](x)}
      late = Enter[frame_name=f is_constant={false|true}](Identity*{0..12}(x){|, ^Identity*{0..12}(n)})
      dead = Enter[frame_name=f is_constant={false|true}](Switch(x, {true|false|p}):$a)
      never = Switch(Enter[frame_name=f is_constant=true](x), cond):0
      h = Merge({c|late|late, dead|dead, late|dead, late, dead|never, late|dead|never, dead|dead, dead})
      t = ControlTrigger(^h)
      seen = {1..9}@t
      target Exit(AddV2(done, seen))
      {|target Exit(Switch(h, cond):0)}
    )"},
    {"a-control-edge-out-of-a-next-iteration", kAnything, "[control.3]", R"(
      loop {1..3}
      g = NextIteration(trip:1)
      target Exit(AddV2(done, Identity(count, ^g)))
    )"},
};

}  // namespace

std::span<const Recipe> FrameRecipes() { return kRecipes; }

}  // namespace tagflow::fuzz
