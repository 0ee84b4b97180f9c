// Tests: loop_cells.cc

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "optimized/native/compile_costs.h"
#include "optimized/native/test_program.h"

namespace tagflow::optimized {
namespace {

using NativeListsTest = NativeTest;
using testing::ContainsRegex;

Output List(const Scope& scope, const Output& size, DType dtype) {
  return Op(scope, "TensorListReserve", {Const(scope, -1), size}, {{"element_dtype", dtype}})[0];
}
Output Pushed(const Scope& scope, const Output& list, const Output& value) {
  return Op(scope, "TensorListPushBack", {list, value}, {{"element_dtype", value.dtype()}})[0];
}
// The list, and what was its last element.
Operation Popped(const Scope& scope, const Output& list, DType dtype) {
  return Op(scope, "TensorListPopBack", {list, Const(scope, Tensor::Vector<int32_t>({}))},
            {{"element_dtype", dtype}});
}
Output ItemSet(const Scope& scope, const Output& list, const Output& index, const Output& value) {
  return Op(scope, "TensorListSetItem", {list, index, value},
            {{"element_dtype", value.dtype()}})[0];
}
Output Item(const Scope& scope, const Output& list, const Output& index, DType dtype) {
  return Op(scope, "TensorListGetItem", {list, index, Const(scope, Tensor::Vector<int32_t>({}))},
            {{"element_dtype", dtype}})[0];
}
Output Length(const Scope& scope, const Output& list) {
  return Op(scope, "TensorListLength", {list})[0];
}

// n pushes, then `pops` pops.
Program PushesThenPops(DType dtype) {
  return Program([dtype](const Scope& scope) -> OutputList {
    const Output n = FedInt(scope, "n"), pops = FedInt(scope, "pops");
    const Output list = List(scope, Const(scope, 0), dtype);
    const Output full = ForEach(scope, n, {list},
                                [&](const Scope& s, const Output& i, const std::vector<Output>& v) {
                                  return OutputList{Pushed(s, v[0], Cast(s, Mul(s, i, i), dtype))};
                                })[0];
    const OutputList rest =
        ForEach(scope, pops, {full, Const(scope, 0.0)},
                [&](const Scope& s, const Output&, const std::vector<Output>& v) -> OutputList {
                  const Operation popped = Popped(s.WithOpName("pop"), v[0], dtype);
                  const Output value = Cast(s, popped[1], DType::kDouble);
                  return {popped[0], Add(s, Mul(s, v[1], Const(s, 1.5)), value)};
                });
    return {Length(scope, full), Length(scope, rest[0]), rest[1]};
  });
}

TEST_F(NativeListsTest, EndsOfLists) {
  const Program floats = PushesThenPops(DType::kFloat);
  for (const int32_t n : {0, 1, 32, 33, 64, 1'100}) {
    for (const int32_t pops : {n, n / 2, n + 1}) {
      ExpectSame(floats, {{"n", Int(n)}, {"pops", Int(pops)}});
    }
  }
  for (const DType dtype : {DType::kDouble, DType::kInt32, DType::kBool}) {
    const NamedTensors feeds = {{"n", Int(40)}, {"pops", Int(40)}};
    ExpectSame(PushesThenPops(dtype), feeds);
    ExpectCompiled(PushesThenPops(dtype), feeds);
  }
}

// A list that changes in branches and places; one of another version is kept from iteration `kept`
// on.
TEST_F(NativeListsTest, ListsThatAreShared) {
  const Program program([](const Scope& scope) -> OutputList {
    const Output n = FedInt(scope, "n"), kept = FedInt(scope, "kept");
    const Output list = List(scope, Const(scope, 3), DType::kInt32);
    const OutputList last =
        ForEach(scope, n, {list, list, Const(scope, 0)},
                [&](const Scope& s, const Output& i, const std::vector<Output>& v) -> OutputList {
                  const Output changed = Cond(
                      s, Equal(s, FloorMod(s, i, 5), 3),
                      [&](const Scope& b) { return Popped(b, v[0], DType::kInt32)[0]; },
                      [&](const Scope& b) { return Pushed(b, v[0], i); });
                  const Output at = FloorMod(s, Mul(s, i, 7), Length(s, changed));
                  const Output set = Cond(
                      s, Equal(s, FloorMod(s, i, 4), 1),
                      [&](const Scope& b) { return ItemSet(b, changed, at, Sub(b, 0, i)); },
                      [&](const Scope& b) { return Identity(b, changed); });
                  const Output keeps = Cond(
                      s, Equal(s, i, kept), [&](const Scope& b) { return Identity(b, set); },
                      [&](const Scope& b) { return Identity(b, v[1]); });
                  const Output sum = Add(s, Mul(s, v[2], 3), Item(s, set, at, DType::kInt32));
                  return {set, keeps, sum};
                });
    const auto all = [&](const Output& of) {
      return Op(scope, "TensorListStack", {of, Const(scope, Tensor::Vector<int32_t>({}))},
                {{"element_dtype", DType::kInt32}})[0];
    };
    return {all(last[0]), all(last[1]), last[2]};
  });
  for (const int32_t n : {0, 1, 4, 5, 40, 150}) {
    for (const int32_t kept : {-1, 0, 1, 30}) {
      ExpectSame(program, {{"n", Int(n)}, {"kept", Int(kept)}});
    }
  }
  ExpectCompiled(program, {{"n", Int(40)}, {"kept", Int(3)}});
}

// Elements that were never set, and an index beyond the end.
TEST_F(NativeListsTest, ItemsOfAReservedList) {
  const Program sums([](const Scope& scope) -> OutputList {
    const Output n = FedInt(scope, "n"), size = FedInt(scope, "size");
    const Output list = List(scope, size, DType::kFloat);
    const OutputList last = ForEach(
        scope, n, {list, Const(scope, 0.0f)},
        [&](const Scope& s, const Output& i, const std::vector<Output>& v) -> OutputList {
          const Output set = ItemSet(s.WithOpName("set"), v[0], i, Cast(s, i, DType::kFloat));
          const Output next = FloorMod(s, Add(s, i, 20), size);
          return {set, Add(s, v[1], Item(s, set, next, DType::kFloat))};
        });
    return {last[1]};
  });
  for (const int32_t n : {1, 10, 60}) {
    for (const int32_t size : {1, 10, 60, 1'000'000}) {
      ExpectSame(sums, {{"n", Int(n)}, {"size", Int(size)}});
    }
  }
}

// Elements that are scalars or vectors by turns, in each kind of container.
TEST_F(NativeListsTest, ElementsThatAreNoScalars) {
  const Program program([](const Scope& scope) -> OutputList {
    const Output n = FedInt(scope, "n"), odd = FedInt(scope, "odd");
    const TensorArray array(scope, n, DType::kFloat, {});
    const Stack stack(scope, -1, DType::kFloat);
    const Output list = List(scope, Const(scope, 0), DType::kFloat);
    const auto value = [&](const Scope& s, const Output& i) {
      // Of no dimensions, but where i is `odd`.
      const Output rank = Cast(s, Equal(s, i, odd), DType::kInt32);
      return Fill(s, Fill(s, ExpandDims(s, rank, 0), 2), Cast(s, i, DType::kFloat));
    };
    const OutputList full = ForEach(
        scope, n, {array.flow(), list, Const(scope, 0.0f)},
        [&](const Scope& s, const Output& i, const std::vector<Output>& v) -> OutputList {
          const Output element = value(s, i);
          const Output pushed = stack.Push(s, element);
          return {array.WithFlow(v[0]).Write(s, i, element).flow(), Pushed(s, v[1], element),
                  Add(s, v[2], Sum(s, pushed, Range(s, 0, Rank(s, pushed), 1)))};
        });
    const OutputList sums = ForEach(
        scope, n, {full[0], full[1], full[2]},
        [&](const Scope& s, const Output& i, const std::vector<Output>& v) -> OutputList {
          const auto sum = [&](const Output& x) { return Sum(s, x, Range(s, 0, Rank(s, x), 1)); };
          const Output read = sum(array.WithFlow(v[0]).Read(s, i));
          const Operation popped =
              Op(s, "TensorListPopBack", {v[1], Const(s, -1)}, {{"element_dtype", DType::kFloat}});
          return {v[0], popped[0],
                  Add(s, Mul(s, v[2], Const(s, 1.25f)), Add(s, read, sum(popped[1])))};
        });
    return {sums[2], stack.Pop(scope.WithControlDependencies({sums[2]}))};
  });
  for (const int32_t odd : {-1, 0, 1, 2, 8, 19}) {
    ExpectSame(program, {{"n", Int(20)}, {"odd", Int(odd)}});
  }
}

// More accesses than a loop has that is made into the best code there is (compile_costs.h).
TEST_F(NativeListsTest, ManyLists) {
  constexpr size_t kLists = 40;
  static_assert(kLists > kMostAccesses);
  const Program program([](const Scope& scope) -> OutputList {
    const Output n = FedInt(scope, "n"), pops = FedInt(scope, "pops");
    const std::vector<Output> empty(kLists, List(scope, Const(scope, 0), DType::kInt32));
    std::vector<Output> full =
        ForEach(scope, n, empty,
                [](const Scope& s, const Output& i, const std::vector<Output>& v) -> OutputList {
                  std::vector<Output> pushed;
                  for (const Output& list : v) {
                    const auto number = static_cast<int>(pushed.size());
                    pushed.push_back(Pushed(s, list, Mul(s, i, number)));
                  }
                  return OutputList(pushed);
                });
    full.push_back(Const(scope, 0));
    const std::vector<Output> rest =
        ForEach(scope, pops, full,
                [](const Scope& s, const Output&, const std::vector<Output>& v) -> OutputList {
                  std::vector<Output> next;
                  Output sum = v.back();
                  for (size_t i = 0; i < kLists; ++i) {
                    const Operation popped = Popped(s.WithOpName("pop"), v[i], DType::kInt32);
                    next.push_back(popped[0]);
                    sum = Add(s, Mul(s, sum, 3), popped[1]);
                  }
                  next.push_back(sum);
                  return OutputList(next);
                });
    return {rest.back(), Length(scope, rest[7])};
  });
  for (const int32_t n : {0, 3, 70}) {
    ExpectSame(program, {{"n", Int(n)}, {"pops", Int(n)}});
    ExpectSame(program, {{"n", Int(n)}, {"pops", Int(n + 1)}});  // one pop too many
  }
  ExpectCompiled(program, {{"n", Int(70)}, {"pops", Int(70)}});
}

// ---- Lists in lists ----

Output ListOfLists(const Scope& scope, const Output& most) {
  return Op(scope, "EmptyTensorList", {Const(scope, -1), most},
            {{"element_dtype", DType::kVariant}})[0];
}
// The elements of a list, folded from the last on.
Output Folded(const Scope& scope, const Output& list) {
  return ForEach(scope, Length(scope, list), {list, Const(scope, 0)},
                 [](const Scope& s, const Output&, const std::vector<Output>& v) -> OutputList {
                   const Operation popped = Popped(s, v[0], DType::kInt32);
                   return {popped[0], Add(s, Mul(s, v[1], 3), popped[1])};
                 })[1];
}

// n lists of 0, step, 2 * step, … elements in one that may have `most`; then `pops` of them are
// taken out again. What is pushed may be pushed `times` times, and be read behind that.
Program ListsInAList(int times, bool is_read) {
  return Program([=](const Scope& scope) -> OutputList {
    const Output n = FedInt(scope, "n"), step = FedInt(scope, "step");
    const Output pops = FedInt(scope, "pops"), most = FedInt(scope, "most");
    const OutputList full = ForEach(
        scope, n, {ListOfLists(scope, most), Const(scope, 0)},
        [&](const Scope& s, const Output& i, const std::vector<Output>& v) -> OutputList {
          const Output inner = ForEach(
              s, Mul(s, i, step), {List(s, Const(s, 0), DType::kInt32)},
              [&](const Scope& t, const Output& j, const std::vector<Output>& w) -> OutputList {
                return {Pushed(t, w[0], Add(t, Mul(t, i, 100), j))};
              })[0];
          Output outer = v[0];
          for (int time = 0; time < times; ++time) {
            outer = Pushed(s.WithOpName("push"), outer, inner);
          }
          return {outer, is_read ? Add(s, Mul(s, v[1], 7), Folded(s, inner)) : v[1]};
        });
    const OutputList rest =
        ForEach(scope, pops, {full[0], full[1]},
                [&](const Scope& s, const Output&, const std::vector<Output>& v) -> OutputList {
                  const Operation popped = Popped(s.WithOpName("pop"), v[0], DType::kVariant);
                  return {popped[0], Add(s, Mul(s, v[1], 7), Folded(s, popped[1]))};
                });
    return {Length(scope, rest[0]), rest[1]};
  });
}
NamedTensors ListFeeds(int32_t n, int32_t step, int32_t pops, int32_t most = -1) {
  return {{"n", Int(n)}, {"step", Int(step)}, {"pops", Int(pops)}, {"most", Int(most)}};
}

TEST_F(NativeListsTest, ListsInAList) {
  for (const bool is_read : {false, true}) {
    for (const int times : {1, 2}) {
      const Program program = ListsInAList(times, is_read);
      for (const int32_t n : {0, 1, 40}) {
        ExpectSame(program, ListFeeds(n, 1, n * times));
        ExpectSame(program, ListFeeds(n, 20, n));
      }
    }
  }
  const Program program = ListsInAList(1, false);
  ExpectSame(program, ListFeeds(4, 3, 5));     // one pop too many
  ExpectSame(program, ListFeeds(6, 3, 2, 4));  // one push too many
  ExpectSameLimits(program, ListFeeds(3, 2, 3), 70);
  const std::string listing = ListingOf(program, ListFeeds(9, 3, 9));
  EXPECT_THAT(listing, ContainsRegex("[0-9]     while/push = TensorListPushBack[(]"));
  EXPECT_THAT(listing, ContainsRegex("[0-9]     while_1/pop.* = TensorListPopBack[(]"));
}

// Some of a list's elements are variants that hold no list, or nothing was set.
TEST_F(NativeListsTest, OtherVariantsInAList) {
  AttrList types, shapes;
  types.types.push_back({DType::kInt32});
  shapes.shapes.push_back(PartialShape::Scalar());
  const Program program([&](const Scope& scope) -> OutputList {
    const Output n = FedInt(scope, "n");
    const Output reserved =
        Op(scope, "TensorListReserve", {Const(scope, Tensor::Vector<int32_t>({})), n},
           {{"element_dtype", DType::kVariant}})[0];
    const Output full =
        ForEach(scope, n, {reserved},
                [&](const Scope& s, const Output& i, const std::vector<Output>& v) -> OutputList {
                  const Output optional =
                      Op(s, "OptionalFromValue", {OutputList{i}}, {{"Toutput_types", types}})[0];
                  return {Pushed(s, v[0], optional)};
                })[0];
    return ForEach(scope, Add(scope, n, 1), {full, Const(scope, 0)},
                   [&](const Scope& s, const Output&, const std::vector<Output>& v) -> OutputList {
                     const Operation popped = Popped(s.WithOpName("pop"), v[0], DType::kVariant);
                     const Output value =
                         Op(s.WithOpName("get"), "OptionalGetValue", {popped[1]},
                            {{"output_types", types}, {"output_shapes", shapes}})[0];
                     return {popped[0], Add(s, Mul(s, v[1], 3), value)};
                   });
  });
  ExpectSame(program, {{"n", Int(4)}});
}

}  // namespace
}  // namespace tagflow::optimized
