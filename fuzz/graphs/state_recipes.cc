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
      h = VarHandleOp[dtype=int32 shape=scalar shared_name=v]()
      t = VarIsInitializedOp(h)
      is = Switch(t, t)
      missing = Identity(is:0)
      a = AssignVariableOp(h, 0@missing)
      ready = Merge(Identity(is:0, ^a), is:1)
      before = ReadVariableOp[dtype=int32](h, ^ready)
      tell before
      b = Brought(before)
      w = {x|b|ControlTrigger(^x)}
      c = AssignAddVariableOp(Brought(h), Add(ZerosLike(b), 1@w), ^w)
      {|target c}
      s = Switch(x, {true|false})
      y = {Identity(x)|Identity(x, ^c)|Merge(Identity(s:0, ^c), s:1)|Merge(s:0, Identity(s:1, ^c))}
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
};

}  // namespace

std::span<const Recipe> StateRecipes() { return kRecipes; }

}  // namespace tagflow::fuzz
