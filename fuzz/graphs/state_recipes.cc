// Tested by recipe_test.cc.

#include "fuzz/graphs/recipe.h"

namespace tagflow::fuzz {
namespace {

using enum Needs;

constexpr Recipe kRecipes[] = {
    {"a-variable-of-the-step", kAnything, "[ref.1]: read where it is taken", R"(
      v = TemporaryVariable[dtype=x shape=scalar var_name=v](^x)
      y = Assign[validate_shape=false](v, x)
    )"},
    {"a-variable-of-the-step-destroyed", kAnything, "[resource.2]", R"(
      v = TemporaryVariable[dtype=x shape=scalar var_name=v](^x)
      a = Assign[validate_shape=false](v, x)
      b = Identity(a)
      y = DestroyTemporaryVariable[var_name=v](a, ^b)
      {|fetch b}
    )"},
    {"a-variable-of-the-step-changed", kNumber, "what was read before it is written to", R"(
      v = TemporaryVariable[dtype=x shape=scalar var_name=v](^x)
      a = Assign[validate_shape=false](v, x)
      b = Identity(a)
      c = AssignAdd(a, x, ^b)
      u = Add(b, b, ^c)
      y = Sub(u, DestroyTemporaryVariable[var_name=v](c, ^u))
      {|fetch u}
    )"},
    {"a-reference-read-by-a-merge", kNumber, "[ref.2]: it is read after it has changed", R"(
      v = TemporaryVariable[dtype=x shape=scalar var_name=v](^x)
      a = Assign[validate_shape=false](v, x)
      r = RefSwitch(a, p)
      s = Switch(x, p)
      c = AssignAdd(a, {x|Merge(Changed(s:0), s:1)})
      y = Merge({r:0, r:1|r:1, r:0}, ^c)
    )"},
    {"a-message", kAnything, "[rendezvous.1], in several loops under one name, perhaps", R"(
      $s $r = {_Send _Recv|_Send _Recv|_HostSend _HostRecv}
      $m = {m|m|'message}
      target $s[tensor_name=$m](x)
      y = $r[tensor_type=x tensor_name=$m](^{x|earlier})
      {|fetch y}
    )"},
    {"a-random-number", kRootInt32, "the order in which a session draws", R"(
      r = RandomUniformInt[seed={1..2} seed2={1..2} Tout=x](<>, 0, 1000)
      y = Add(x, r)
      {|fetch r}
    )"},
    {"a-count", kAnything, "how often something fires, whatever its value", R"(
      counter
      w = {x|x|before|ControlTrigger(^x)}
      c = AssignAddVariableOp(counter, Add(ZerosLike(before), 1@w), ^w)
      y = {Identity(x, ^c)|Identity(x)}
      target c
    )"},
    {"a-count-that-is-waited-for", kAnything, "an effect that nothing but control edges ask for",
     R"(
      counter
      w = {x|x|before|ControlTrigger(^x)}
      y = Identity(x, ^AssignAddVariableOp(counter, Add(ZerosLike(before), 1@w), ^w))
    )"},
    {"a-count-in-a-branch", kAnything, "an effect that one side of a branch waits for", R"(
      counter
      w = {x|x|before|ControlTrigger(^x)}
      c = AssignAddVariableOp(counter, Add(ZerosLike(before), 1@w), ^w)
      {|target c}
      s = Switch(x, {true|false})
      y = {Merge(Identity(s:0, ^c), s:1)|Merge(s:0, Identity(s:1, ^c))}
    )"},
    {"a-count-beside-another-container", kRootInt32, "[resource.1]", R"(
      h = VarHandleOp[dtype=int32 shape=scalar shared_name=v]()
      g = VarHandleOp[dtype=int32 shape=scalar shared_name=v container='elsewhere]()
      w = AssignVariableOp(h, 7)
      c = AssignAddVariableOp(h, 1, ^w, ^AssignVariableOp(g, 9, ^w))
      y = ReadVariableOp[dtype=int32](h, ^c)
    )"},
    {"touches-behind-a-merge", kInt32, "races: a Merge waits for one of its inputs", R"(
      h = VarHandleOp[dtype=int32 shape=scalar shared_name=v]()
      v = Brought(Identity(h, ^AssignVariableOp(h, 7@)))
      a = {ReadVariableOp[dtype=int32](v, ^x)|AssignAddVariableOp(v, x, ^x)}
      $a $b = {0 1|1 0}
      s = Switch(x, p)
      i = Identity(s:$a, ^a)
      m = Merge({i, Identity*{0..3}(s:$b)|Identity*{0..3}(s:$b), i})
      target {ReadVariableOp[dtype=int32](v, ^m)|AssignAddVariableOp(v, x, ^m)}
    )"},
    {"touches-in-a-loop", kInt32, "races: of two variables that go round, the first counts", R"(
      h = VarHandleOp[dtype=int32 shape=scalar shared_name=v]()
      loop {2..3}
      v = Enter[frame_name=f is_constant=true](Brought(Identity(h, ^AssignVariableOp(h, 7@))))
      k = Enter[frame_name=f is_constant=true](x)
      j = Merge(Enter[frame_name=f](x), next)
      g = Switch(j, cond)
      $w = {count|trip|j|g}
      a = {ReadVariableOp[dtype=int32](v, ^$w)|AssignAddVariableOp(v, k, ^$w)}
      {|a = {ReadVariableOp[dtype=int32](v, ^a)|AssignAddVariableOp(v, k, ^a)}}
      next = NextIteration(Identity(g:1{, ^a|}))
      $w = {count|trip|j|g|next|more}
      {|target ReadVariableOp[dtype=int32](v, ^$w)|target AssignAddVariableOp(v, k, ^$w)}
      e = ControlTrigger(^{Exit(done)|Exit(Switch(k, Enter[frame_name=f is_constant=true](false)):1)})
      {|target ReadVariableOp[dtype=int32](Brought(h), ^e)|target AssignAddVariableOp(Brought(h), x, ^e)}
    )"},
    // Each access after the one before it, as a rule.
    {"a-stack", kInt32,
     "[resource.2]: a stack of each iteration, now and then full, empty or closed", R"(
      h = StackV2[elem_type=int32 stack_name=s]({-1|1|2|3})
      last = h
      $c = {,^last|,^last|,^last|,^h}
      repeat {1..3}: {last = StackPushV2(h, {x|{10..19}}$c)
        |last = StackPushV2(h, x$c); last = StackPushV2(h, {20..29}$c)
        |last = StackPushV2(h, x$c); last = StackPopV2[elem_type=int32](h$c)}
      {|last = StackPopV2[elem_type=int32](h$c)}
      {~last = StackPopV2[elem_type=int32](h$c)}
      target last
      y = {x|last}
      z = last
      {|||last = StackCloseV2(h, ^z)
        |last = StackCloseV2(h, ^z); target StackPushV2(h, x, ^last)
        |last = StackCloseV2(h, ^z); target StackPopV2[elem_type=int32](h, ^last)}
      target last
    )"},
    {"an-array", kInt32,
     "[resource.2]: an array of each iteration, written twice or read when gone", R"(
      a = TensorArrayV3[dtype=int32 element_shape={unknown|scalar} clear_after_read={false|true}]({2..3})
      last = a
      $c = {,^last|,^last|,^last|}
      f = TensorArrayWriteV3(a, 0, x, a:1$c)
      last = f
      {|f = TensorArrayWriteV3(a, 1, {10..19}, f$c); last = f}
      r = TensorArrayReadV3[dtype=int32](a, {0|0|1}, f$c)
      last = r
      {~f = TensorArrayWriteV3(a, 0, x, f$c)}
      {|||last = TensorArrayReadV3[dtype=int32](a, {0..1}, f$c); target last}
      {|||last = TensorArraySizeV3(a, f$c); target last}
      {~target TensorArrayCloseV3(a, ^last)}
      y = r
    )"},
    {"arrays-of-gradients", kInt32, "[resource.3]: what is written twice adds up", R"(
      a = TensorArrayV3[dtype=int32 element_shape={unknown|scalar} clear_after_read={false|true}](2)
      f = TensorArrayWriteV3(a, 0, x, a:1)
      {|f = TensorArrayWriteV3(a, 1, {10..19}, f)}
      {|||target TensorArrayReadV3[dtype=int32](a, 0, f)}
      last = f
      repeat {1..3}: {g = TensorArrayGradV3[source={'a|'a|'b}](a, f, ^last)
        h = TensorArrayWriteV3(g, {0|0|1}, {x|{20..29}}, g:1, ^g)
        {|h = TensorArrayWriteV3(g, 0, {30..39}, h, ^h)}
        last = h
        {|last = TensorArrayReadV3[dtype=int32](g, {0|0|1}, h, ^h)}}
      target last
      y = TensorArrayReadV3[dtype=int32](g, 0, h, ^last)
    )"},
    {"a-reference", kRootInt32,
     "[ref.1], [ref.2], [ref.3]: through the Ref forms of the primitives", R"(
      r = VariableV2[dtype=int32 shape=scalar shared_name=r]()
      last = r
      {|||last = IsVariableInitialized(r); target last|last = RefIdentity(r); target last}
      r = Assign(r, {x|{10..19}}, ^last)
      last = r
      repeat {1..5}: {r = {AssignAdd|Assign}(r, {x|{20..29}}, ^last); last = r
        |r = RefIdentity(r)
        |last = IsVariableInitialized(r, ^last); target last
        |s = RefSwitch(r, p, ^last); r = RefMerge({s:0, s:1|AssignAdd(s:0, 5), s:1|s:0, AssignAdd(s:1, x)}, ^last); last = r
        |b = r; r = AssignAdd(r, x, ^last); last = AddV2(b, Identity(x, ^r)); target last
        |last = Identity(r, ^last); target last}
      target last
      y = r
    )"},
    {"a-reference-before-it-has-a-value", kRootInt32, "[ref.3]: what asks for no value", R"(
      v = VariableV2[dtype=int32 shape=scalar shared_name=r]()
      target IsVariableInitialized({v|RefIdentity(v)})
      r = {Assign(v, x)|Assign(v, x)|RefIdentity(v)}
      target IsVariableInitialized(r)
      y = Identity(r)
    )"},
    {"a-reference-through-a-branch", kRootInt32, "[ref.2]: one side past a write", R"(
      r = Assign(VariableV2[dtype=int32 shape=scalar shared_name=r](), x)
      s = RefSwitch(r, p)
      m = RefMerge({s:0, s:1|AssignAdd(s:0, 5), s:1|s:0, AssignAdd(s:1, x)}{, ^p|, ^n|})
      y = m
      target Identity({m|m:1})
    )"},
    {"a-reference-in-a-frame", kRootInt32,
     "[ref.2]: it leaves by the first iteration or the second", R"(
      v = VariableV2[dtype=int32 shape=scalar shared_name=r]()
      e = RefEnter[frame_name=f](Assign(v, x))
      i = {e|AssignAdd(e, e)}
      y = RefExit({i|RefNextIteration(i)})
      target Identity(y)
    )"},
    {"a-reference-that-leaves-later", kRootInt32, "[ref.3]: it is there in every iteration", R"(
      v = VariableV2[dtype=int32 shape=scalar shared_name=r]()
      c = RefEnter[frame_name=f is_constant=true](Assign(v, x))
      k = NextIteration*{0..2}(Enter[frame_name=f](x))
      b = Identity(c)
      w = AssignAdd(c, k{|, ^b})
      {|target Exit(AddV2(b, k, ^w))}
      y = RefExit(w)
      target Identity(y)
    )"},
    {"a-reference-that-goes-round", kRootInt32, "[ref.2]: a loop whose reference may be dead", R"(
      v = VariableV2[dtype=int32 shape=scalar shared_name=r]()
      b = RefSwitch(Assign(v, x), p)
      loop {0..3}
      $a $b = {0 1|1 0}
      h = RefMerge(RefEnter[frame_name=f]({b:$a|v}), next)
      s = RefSwitch(h, cond)
      next = RefNextIteration({s:1|AssignAdd(s:1, trip:1)})
      e = RefExit(s:0)
      y = {e|RefMerge(e, b:$b)}
      target Identity(y)
    )"},
    {"a-reference-that-is-sent", kRootInt32, "[ref.3]: a dead Send does not read it", R"(
      v = VariableV2[dtype=int32 shape=scalar shared_name=r]()
      r = Assign(v, x)
      $s $r = {_Send _Recv|_Send _Recv|_HostSend _HostRecv}
      m = $s[tensor_name=m](r, ^Identity(Switch(x, p):{0|1}))
      target $r[tensor_type=int32 tensor_name=m](^x)
      t = ControlTrigger(^m)
      y = AssignAdd(r, 1@t, ^t)
    )"},
};

}  // namespace

std::span<const Recipe> StateRecipes() { return kRecipes; }

}  // namespace tagflow::fuzz
