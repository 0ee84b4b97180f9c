// Tested by recipe_test.cc.

#include "fuzz/graphs/recipe.h"

namespace tagflow::fuzz {
namespace {

using enum Needs;

// Fragments with Switches: both sides or one, one within the other, or many.
constexpr Recipe kRecipes[] = {
    {"both-sides", kAnything, "[merge.1], and who waits within a branch", R"(
      t = {p|p|p|true|false|Identity(true, ^earlier)|Identity(false, ^earlier)}
      s = Switch(x, t)
      o = {s|s|s|Switch(other, t)}
      a = Changed*{0..2}(o:0)
      b = Changed*{0..2}(s:1)
      {|||a = Identity(a, ^earlier)|b = Identity(b, ^earlier)}
      {|||loop {0..2} {a|b}; target Exit(done)}
      y = Merge({a, b|b, a})
      {|fetch y:1}
    )"},
    {"both-sides-by-reference", kAnything, "a predicate that is a reference", R"(
      v = TemporaryVariable[dtype=bool shape=scalar var_name=v](^p)
      s = Switch(x, Assign[validate_shape=false](v, p))
      y = Merge({s:0, Changed(s:1)|Changed(s:1), s:0})
    )"},
    {"a-side-waits-for-what-fails", kAnything, "errors in branches that are not taken", R"(
      s = Switch(x, p)
      v = VariableV2[dtype=x shape=unknown](^x)
      w = {FloorDiv(1, {1|0})|v|Identity(v)}
      $a $b = {0 1|1 0}
      y = Merge({Identity(s:$a, ^w), s:$b|s:$b, Identity(s:$a, ^w)})
    )"},
    {"a-side-fails-elsewhere", kInt32, "what must not run where its branch is not taken", R"(
      s = Switch(x, p)
      $a $b $t = {0 1 LogicalNot(p)|1 0 p}
      a = FloorDiv(Changed*{0..1}(s:$a), Cast[DstT=int32]($t))
      b = Changed*{0..2}(s:$b)
      m = Merge({a, b|b, a})
      y = {m|m|m:1}
      fetch m:1
    )"},
    {"both-sides-at-once", kNumber, "a value that is always dead", R"(
      s = Switch(x, p)
      b = Maximum(s:0, s:1)
      y = Merge(b, Changed*{0..2}(x))
      {|fetch b}
    )"},
    // kEntriesMax of the engine's account of branches is 64.
    {"branches-in-branches", kAnything, "more predicates than an engine keeps account of", R"(
      z = Size(x)
      $a $b $o = {0 1 GreaterEqual|1 0 Less}
      s = Switch(x, $o({-1|-1|1}, z))
      o = s:$b
      v = s:$a
      repeat 64: $a $o = {0 GreaterEqual|1 Less}; v = Switch(v, $o(-1, z)):$a
      {|||v = Switch(v, Less(z, 0)):{0|1}}
      y = Merge(Changed*{0..2}(v), o)
      {|fetch v}
    )"},
    {"one-side", kAnything, "[switch.1]: what may be dead", R"(
      y = Switch(x, p):{0|1}
    )"},
    {"the-same-predicate-twice", kAnything, "one of the inner sides never comes", R"(
      $a $b = {0 1|1 0}
      o = Switch(x, p)
      s = Switch(o:$a, p)
      i = Merge(Changed(s:$a), s:$b)
      y = Merge({i, o:$b|o:$b, i})
    )"},
    {"the-number-of-an-inner-side", kInt32, "value_index of a Merge in a branch", R"(
      $a $b = {0 1|1 0}
      o = Switch(x, p)
      s = Switch(o:$a, p)
      i = Merge({Changed(s:$a), s:$b|s:$b, Changed(s:$a)})
      y = Merge(Add(i, i:1), o:$b)
    )"},
    {"a-switched-predicate", kAnything, "conds by one predicate that came through a Switch", R"(
      s = Switch(x, p)
      t = Switch(q, p)
      a = Switch(s:0, t:0)
      b = Switch(s:1, t:1)
      y = Merge(Merge({a:0, Changed(a:1)|Changed(a:1), a:0}), Merge(Changed(b:1), b:0))
    )"},
    {"a-predicate-of-rank-one-inside-and-outside", kAnything, "[switch.1]: it is a scalar", R"(
      r = Reshape(p, Slice(<1>, <0>, ExpandDims(Cast[DstT=int32](q), 0)))
      t = {r|ExpandDims(p, 0@p)}
      {|first = Switch(p, t)}
      {|target Identity(Switch(p, t))}
      s = Switch(x, p)
      $a $b = {0 1|1 0}
      i = Switch(s:$a, t)
      y = Merge(Merge(i:1, i:0), s:$b)
      {|target Identity(Switch(y, t))}
    )"},
    {"a-predicate-of-rank-one-used-in-a-branch", kAnything, "an error that only a branch needs", R"(
      r = Reshape(p, Slice(<1>, <0>, ExpandDims(Cast[DstT=int32](q), 0)))
      t = {r|ExpandDims(p, 0@p)}
      i = Switch(x, t)
      m = Merge(i:1, Changed*{0..2}(i:0))
      o = Switch(x, {true|false})
      $a $b = {0 1|1 0}
      y = Merge(Identity(o:$a, ^m), o:$b)
    )"},
    {"many-nodes-of-two-branches", kNumber, "regions of one deadness, large ones", R"(
      $a $b = {0 1|1 0}
      s = Switch(x, p)
      t = Switch(x, q)
      u = Changed*{0..2}(t:{0|1})
      v = Changed*{0..2}(s:$a)
      l = Changed*{6..12}({Maximum(v, u)|Changed(v, ^u)})
      {|||target Changed(l)}
      o = Changed*{0..12}({x|s:$b})
      y = {l|Merge(l, o)|Merge(o, l)}
      {|fetch l}
    )"},
    {"a-trigger-behind-two-branches", kNumber, "[control.1]: it fires though all is dead", R"(
      l = Changed*{6..12}(Maximum(Switch(x, p):{0|1}, Switch(x, q):{0|1}))
      w = {l|Switch(l, LessEqual(l, l))}
      y = Identity(x, ^ControlTrigger(^w))
    )"},
    {"copies-in-branches", kNumber, "equal nodes, of which some are in a branch", R"(
      s = Switch(p, p)
      a = {Neg(x, ^Identity(s:0))|Neg(Identity(x, ^Identity(s:0)))}
      b = {Neg(x, ^Identity(s:1))|Neg(Identity(x, ^Identity(s:1)))}
      e = Neg(x)
      y = Sub(Merge({a, b|b, a|a}), e)
      {|fetch e}
    )"},
    {"copies-of-a-constant-in-branches", kRootInt32, "constants that are folded in a branch", R"(
      c = {1..4}@
      s = Switch(p, p)
      a = {Neg(c, ^Identity(s:0))|Neg(Identity(c, ^Identity(s:0)))}
      b = Neg(c, ^Identity(s:1))
      y = Sub(Merge({a, b|b, a|a}), Neg(c))
    )"},
    {"a-case", kAnything, "[switch.1]: _SwitchN, its index in range or not", R"(
      $n $l = {2 1|3 2|4 3}
      i = {n|n|{-2..5}}
      s = _SwitchN[num_outs=$n](x, i)
      o = {s|s|_SwitchN[num_outs=4](other, i)}
      a = Changed*{0..1}(o:0)
      y = Merge({a|a, s:1|s:1, a|a, s:$l|s:1}{|, {s|o}:0})
      {|||fetch o:1}
    )"},
    {"a-case-that-fails-elsewhere", kInt32, "what must not run in a case that is not taken", R"(
      s = _SwitchN[num_outs=3](x, n)
      t = _SwitchN[num_outs={3..5}](x, n)
      a = Add(s:0, {s:0|x})
      b = FloorDiv(s:1, Cast[DstT=int32](Equal(n, 1)))
      c = {FloorDiv(s:2, n)|Maximum(s:2, t:2)|t:2}
      y = Merge(a, b, c)
    )"},
    {"a-case-of-one", kAnything, "[switch.1]: a _SwitchN of a single output", R"(
      y = Merge({Identity(_SwitchN[num_outs=1](x, {n|{-2..5}}))|_SwitchN[num_outs=1](x, n)})
    )"},
    {"the-number-of-an-earlier-merge", kInt32, "[merge.1]: value_index", R"(
      y = AddV2(x, merge:1)
    )"},
    {"a-branch-that-nothing-takes", kAnything, "targets in a branch, which may fail", R"(
      target FloorDiv(Switch(n, p):{0|1}, {n|0|1})
    )"},
    {"a-control-edge-out-of-a-switch", kAnything, "[control.1]", R"(
      s = Switch(x, p)
      {|||target {0..9}@s}
      y = Identity(x, ^s)
    )"},
    {"a-merge-that-waits", kAnything, "[merge.2], [merge.4]: for a late control input", R"(
      $a $b = {0 1|1 0}
      s = Switch(x, p)
      l = Identity*{2..10}(x)
      y = Merge({s:$a, s:$b|s:$a, s:$b|s:$a}, {^p, ^l|^l, ^p|^x, ^l, ^p})
    )"},
    {"a-variable-tells-whether-a-merge-waited", kRootInt32, "[merge.2], [resource.1]", R"(
      h = VarHandleOp[dtype=int32 shape=scalar shared_name=v]()
      w = AssignVariableOp(h, 7)
      a = AssignVariableOp(h, Identity*{2..10}(x), ^w)
      g = VarHandleOp[dtype=int32 shape=scalar shared_name=v container='elsewhere]()
      a = {Identity(x, ^a)|Identity(x, ^a)|Identity(x, ^AssignVariableOp(g, 9, ^a))}
      s = Switch(x, p)
      m = Merge({s:0, s:1|s:1, s:0|Switch(x, true):0}, {^p, ^a|^a, ^p})
      y = ReadVariableOp[dtype=int32](h, ^ControlTrigger(^m))
    )"},
    {"a-fed-node-in-a-branch", kRootInt32, "[feed.1]: whether it is dead matters no more", R"(
      s = Switch(x, p)
      i = Identity(s:0)
      c = Identity(x, ^i)
      y = Merge(s:1, c)
      {|target AddV2(i, x)}
      {|feed i}
    )"},
    {"a-placeholder-with-a-default", kRootInt32, "[feed.2]", R"(
      y = PlaceholderWithDefault[dtype=int32 shape=scalar](x)
      target Identity(x, ^y)
      {|feed y}
    )"},
    {"a-cycle-that-is-fed", kForcedFeed, "[feed.1], [feed.4]", R"(
      s = AddV2(x, b)
      b = Identity*{1..2}(s)
      feed b
      y = Identity(x, ^b)
    )"},
};

}  // namespace

std::span<const Recipe> BranchRecipes() { return kRecipes; }

}  // namespace tagflow::fuzz
