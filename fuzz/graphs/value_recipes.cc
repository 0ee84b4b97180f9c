// Tested by recipe_test.cc.

#include "fuzz/graphs/recipe.h"

namespace tagflow::fuzz {
namespace {

using enum Needs;

constexpr Recipe kRecipes[] = {
    {"twice", kAnything, "IdentityN", R"(
      y = IdentityN(x, x):{0|1}
    )"},
    {"a-sum", kNumber, "AddN", R"(
      y = AddN(x, x, x)
    )"},
    {"a-quotient", kInt32, "errors of kernels", R"(
      y = {FloorDiv|Div}(x, {other|{0..2}@earlier|invariant})
    )"},
    {"a-remainder", kInt32, "errors of kernels, of an op that a pass may know better", R"(
      y = FloorMod(x, {other|{0..2}@earlier|invariant})
    )"},
    {"a-quotient-of-an-invariant", kInt32, "what a body never divides by is not divided by", R"(
      y = Add(x, {FloorDiv|FloorMod|Div}(invariant, {{0..2}@earlier|other|Identity(invariant)}))
    )"},
    {"halves", kFloat, "chains of nodes on parts of a buffer", R"(
      $a $b = {Neg Abs|Square Neg|Abs Square}
      t = $a(ConcatV2(x, x, -1))
      h = Split[num_split=2](-1, t)
      {a = $b(h:0); b = {$a|$b}(h:1)|b = {$a|$b}(h:1); a = $b(h:0)}
      y = AddV2(b, a)
      {|fetch h:{0|1}}
    )"},
    {"parts-of-a-constant", kRootInt32, "a constant of which one part is fed", R"(
      u = Unpack[num=2](<{-2..4} {-2..4}>@)
      y = Sub(Add(x, Changed(u:1)), u:0)
      {|feed u:{0|1}}
    )"},
    {"a-constant-handed-on", kRootInt32, "a fed node that runs still", R"(
      i = Identity({1..4}@)
      y = Add(x, Identity(i){|, ^i})
      {|feed i}
    )"},
    {"a-product", kFloating, "row products, with what is added to them", R"(
      v = Reshape(x, <-1>)
      v = ConcatV2(v, Neg(v), 0)
      c = Reshape(v, <-1 1>)
      r = Reshape(v, <1 -1>)
      t = {Neg|Square|Abs}(Mul(c, r))
      m = {MatMul(c, r{|, ^t})
          |MatMul(r, c)
          |MatMul(c, c)
          |MatMul[transpose_a=true](r, r{|, ^t})
          |MatMul[transpose_b=true](c, c{|, ^t})
          |MatMul[transpose_a=true transpose_b=true](r, c{|, ^t})
          |MatMul[transpose_a=true](c, c)}
      u = {t|t|{Neg|Square|Abs}(m)}
      s = {AddV2(m, u)|AddV2(u, m)}
      z = Max(s, <0 1>)
      y = Mul(x, {z|Sub(z, Max(m, <0 1>))})
      {|fetch {z|m}}
    )"},
    {"a-product-of-integers", kInt32, "row products in integers", R"(
      v = Reshape(x, <-1>)
      v = ConcatV2(v, Neg(v), 0)
      m = MatMul(Reshape(v, <-1 1>), Reshape(v, <1 -1>))
      y = Mul(x, Max(AddV2(m, m), <0 1>))
    )"},
};

}  // namespace

std::span<const Recipe> ValueRecipes() { return kRecipes; }

}  // namespace tagflow::fuzz
