// Tests: structure.cc dependency_order.cc lone_nodes.cc
#include "transform/deadness/structure.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "graph/test_graph.h"
#include "transform/deadness/dependency_order.h"

namespace tagflow {
namespace {

constexpr char kCond[] = R"(
  p = Placeholder() dtype=bool
  x = Placeholder() dtype=float
  s = Switch(x, p)
  t = Add(s:1, s:1)
  f = Add(s:0, s:0)
  m = Merge(f, t)
)";

constexpr char kLoop[] = R"(
  x = Placeholder() dtype=float
  n = Placeholder() dtype=float
  e = Enter(x) frame_name=loop
  k = Enter(n) frame_name=loop is_constant=true
  m = Merge(e, next)
  less = Less(m, k)
  c = LoopCond(less)
  s = Switch(m, c)
  body = Add(s:1, k)
  next = NextIteration(body)
  out = Exit(s:0)
)";

// What is found of a call that fetches `fetch` and feeds every placeholder.
class Found {
 public:
  Found(std::string_view text, const std::vector<std::string>& feeds, const std::string& fetch,
        const std::vector<std::string>& targets = {})
      : g_(text, OpRegistry::Standard()) {
    const CallSpec call = g_.Call(feeds, {fetch}, targets);
    const Result<ValidatedCall> valid = ValidateCall(g_.graph(), call);
    EXPECT_TRUE(valid.ok()) << valid.status().ToString();
    frames_ = valid->frames;
    structure = RecoverStructure(g_.graph(), call, *valid);
  }

  // "p" or "!p" for every literal, by name.
  std::string When(const std::string& node) const {
    const ConditionId condition = structure.condition[Index(g_.id(node))];
    if (condition == ConditionId::kNever) return "never";
    std::vector<std::string> texts;
    for (const ConditionLiteral& literal : structure.conditions.literals(condition)) {
      const Predicate& predicate = structure.predicates[static_cast<size_t>(literal.predicate)];
      const std::string name = g_.graph().node(predicate.tensor.node).name;
      texts.push_back(predicate.is_index ? name + "=" + std::to_string(literal.value)
                                         : (literal.value == 1 ? name : "!" + name));
    }
    std::sort(texts.begin(), texts.end());
    std::string all;
    for (const std::string& text : texts) all += (all.empty() ? "" : " ") + text;
    return all;
  }
  const FrameStructure& Frame(const std::string& name) const {
    for (size_t i = 0; i < frames_.frames.size(); ++i) {
      if (frames_.frames[i].name == name) return structure.frames[i];
    }
    ADD_FAILURE() << "no frame " << name;
    return structure.frames[0];
  }

  Structure structure;

 private:
  TestGraph g_;
  FrameTree frames_;
};

TEST(StructureTest, BranchesAreLiveByTheirPredicateAndJoin) {
  const Found found(kCond, {"p", "x"}, "m");
  EXPECT_EQ(found.structure.irregular, "");
  EXPECT_EQ(found.When("t"), "p");
  EXPECT_EQ(found.When("f"), "!p");
  EXPECT_EQ(found.When("m"), "");
}

TEST(StructureTest, PredicatesAreKnownThroughIdentity) {
  const Found found(R"(
    p = Placeholder() dtype=bool
    same = Identity(p) T=bool
    x = Placeholder() dtype=float
    s = Switch(x, p)
    r = Switch(x, same)
    both = Add(s:1, r:0)
    t = Add(s:1, r:1)
    m = Merge(t, s:0)
  )",
                    {"p", "x"}, "m", {"both"});
  EXPECT_EQ(found.structure.irregular, "");
  EXPECT_EQ(found.When("both"), "never");
  EXPECT_EQ(found.When("m"), "");
}

TEST(StructureTest, ALoopRepeatsUnderItsPredicate) {
  const Found found(kLoop, {"x", "n"}, "out");
  EXPECT_EQ(found.structure.irregular, "");
  EXPECT_EQ(found.When("less"), "");
  EXPECT_EQ(found.When("body"), "less");
  EXPECT_EQ(found.When("out"), "!less");
  const FrameStructure& loop = found.Frame("loop");
  ASSERT_TRUE(loop.repeats.has_value());
  EXPECT_EQ(loop.repeats->value, 1);
  EXPECT_EQ(loop.variables.size(), 1u);
  EXPECT_EQ(loop.exits.size(), 1u);
}

TEST(StructureTest, WhatComesOutOfALoopInABranchIsLiveThere) {
  const Found found(std::string(kCond) + R"(
    e = Enter(t) frame_name=loop
    lm = Merge(e, next)
    less = Less(lm, lm)
    c = LoopCond(less)
    ls = Switch(lm, c)
    next = NextIteration(ls:1)
    out = Exit(ls:0)
    join = Merge(out, s:0)
  )",
                    {"p", "x"}, "join");
  EXPECT_EQ(found.structure.irregular, "");
  EXPECT_EQ(found.When("join"), "");
}

TEST(StructureTest, OneWayOfNHasItsIndex) {
  const Found found(R"(
    i = Placeholder() dtype=int32
    x = Placeholder() dtype=float
    s = _SwitchN(x, i) num_outs=3
    m = Merge(s:0, s:1, s:2)
    a = Identity(s:2)
  )",
                    {"i", "x"}, "m", {"a"});
  EXPECT_EQ(found.structure.irregular, "");
  EXPECT_EQ(found.When("a"), "i=2");
  EXPECT_EQ(found.When("m"), "");
}

struct Irregular {
  const char* why;
  std::string text;
};

TEST(StructureTest, SaysWhyAGraphWantsTokens) {
  const std::string cond = kCond;
  const std::string loop = kLoop;
  const Irregular cases[] = {
      {"'both' joins what is not the ways of one predicate", cond + "both = Merge(t, x)\n"},
      {"'both' waits for an Enter", loop + "both = Add(m, m, ^e)\n back = Exit(both)\n"},
      {"'both' waits for a NextIteration", loop + "both = Add(m, m, ^next)\n"},
      {"'both' takes a value of an Enter", loop + "both = Add(m, e)\n"},
      {"'both' does not leave its loop", loop + "both = Exit(m)\n"},
  };
  for (const Irregular& irregular : cases) {
    TestGraph g(irregular.text, OpRegistry::Standard());
    const bool is_cond = irregular.text.starts_with(kCond);
    const CallSpec call =
        g.Call(is_cond ? std::vector<std::string>{"p", "x"} : std::vector<std::string>{"x", "n"},
               {is_cond ? "m" : "out"}, {"both"});
    const Result<ValidatedCall> valid = ValidateCall(g.graph(), call);
    ASSERT_TRUE(valid.ok()) << valid.status().ToString();
    const Structure structure = RecoverStructure(g.graph(), call, *valid);
    EXPECT_TRUE(structure.irregular.starts_with(irregular.why)) << structure.irregular;
  }
}

TEST(StructureTest, VariablesThatEndSeparatelyWantTokens) {
  const Found found(R"(
    x = Placeholder() dtype=float
    e = Enter(x) frame_name=loop
    m = Merge(e, next)
    c = LoopCond(less)
    less = Less(m, m)
    s = Switch(m, c)
    next = NextIteration(s:1)
    e2 = Enter(x) frame_name=loop
    m2 = Merge(e2, next2)
    less2 = Less(m2, m)
    s2 = Switch(m2, less2)
    next2 = NextIteration(s2:1)
    out = Exit(s2:0)
  )",
                    {"x"}, "out", {"next"});
  EXPECT_NE(found.structure.irregular.find("do not go on under one predicate"), std::string::npos)
      << found.structure.irregular;
}

// A loop in the body of a loop; the inner one captures `n` from the root through both.
constexpr char kNested[] = R"(
  x = Placeholder() dtype=float
  n = Placeholder() dtype=float
  e = Enter(x) frame_name=outer
  k = Enter(n) frame_name=outer is_constant=true
  m = Merge(e, next)
  less = Less(m, k)
  c = LoopCond(less)
  s = Switch(m, c)
  e2 = Enter(s:1) frame_name=inner
  k2 = Enter(k) frame_name=inner is_constant=true
  m2 = Merge(e2, next2)
  less2 = Less(m2, k2)
  c2 = LoopCond(less2)
  s2 = Switch(m2, c2)
  body2 = Add(s2:1, k2)
  next2 = NextIteration(body2)
  out2 = Exit(s2:0)
  next = NextIteration(out2)
  out = Exit(s:0)
)";

TEST(StructureTest, AConstantMayEnterWhereTheVariablesAreDead) {
  const Found found(kNested, {"x", "n"}, "out");
  EXPECT_EQ(found.structure.irregular, "");
  EXPECT_EQ(found.When("e2"), "less");
  EXPECT_EQ(found.When("k2"), "");
}

TEST(StructureTest, UnlessAnEffectHangsOnIt) {
  const std::string with_effect = std::string(kNested) + "effect = RandomShuffle(k2)\n";
  const Found found(with_effect, {"x", "n"}, "out", {"effect"});
  EXPECT_EQ(found.structure.irregular, "'effect' may act or fail where its loop does not run");
}

TEST(StructureTest, OrADivisionThatMayFail) {
  const Found found(std::string(kNested) + R"(
    whole = Cast(k2) SrcT=float DstT=int32
    divided = FloorDiv(whole, whole) T=int32
  )",
                    {"x", "n"}, "out", {"divided"});
  EXPECT_EQ(found.structure.irregular, "'divided' may act or fail where its loop does not run");
}

// It fires where the inner loop is dead, and so does what waits for it.
TEST(StructureTest, OrOnATriggerInTheLoop) {
  const Found found(std::string(kNested) + R"(
    trigger = ControlTrigger(^body2)
    effect = RandomShuffle(k2, ^trigger)
  )",
                    {"x", "n"}, "out", {"effect"});
  EXPECT_EQ(found.structure.irregular, "'effect' may act or fail where its loop does not run");
}

TEST(StructureTest, OrOnAMergeOfIt) {
  const Found found(std::string(kNested) + R"(
    merge = Merge(k2, ^m2)
    effect = RandomShuffle(merge)
  )",
                    {"x", "n"}, "out", {"effect"});
  EXPECT_EQ(found.structure.irregular, "'effect' may act or fail where its loop does not run");
}

TEST(DependencyOrderTest, ProducersComeFirst) {
  TestGraph g(kLoop, OpRegistry::Standard());
  const CallSpec call = g.Call({"x", "n"}, {"out"});
  const FeedSet fed(g.graph(), call.feeds);
  const std::vector<NodeId> order = DependencyOrder(g.graph(), NeededNodes(g.graph(), call), fed);
  const auto place = [&](const char* name) {
    return std::find(order.begin(), order.end(), g.id(name)) - order.begin();
  };
  EXPECT_EQ(order.size(), g.graph().num_nodes() - 2);  // all but what is fed
  EXPECT_LT(place("e"), place("m"));
  EXPECT_LT(place("m"), place("less"));
  EXPECT_LT(place("body"), place("next"));
  EXPECT_TRUE(IsLoopVariable(g.graph(), g.node("m"), fed));
  EXPECT_TRUE(IsConstantEnter(g.node("k")));
  EXPECT_FALSE(IsConstantEnter(g.node("e")));
}

// x, in branches in branches: the innermost node hangs on `depth` predicates.
std::string Nested(int depth) {
  std::string text = "x = Placeholder() dtype=float\n";
  std::string inner = "x";
  for (int i = 0; i < depth; ++i) {
    const std::string number = std::to_string(i);
    text += "p" + number + " = Placeholder() dtype=bool\n";
    text += "s" + number + " = Switch(" + inner + ", p" + number + ")\n";
    inner = "s" + number + ":1";
  }
  return text + "y = Neg(" + inner + ")\n";
}

TEST(StructureTest, MoreNestedBranchesThanTheLimitAreToldAsMany) {
  for (const int depth : {kMostNestedBranches - 1, kMostNestedBranches}) {
    const Found found(Nested(depth), {}, "y");
    EXPECT_EQ(found.structure.irregular, "") << depth;
  }
  const Found found(Nested(kMostNestedBranches + 1), {}, "y");
  EXPECT_EQ(found.structure.irregular, "'y' is in more than 64 nested branches");
}

TEST(StructureTest, TheLimitIsTheCallers) {
  const TestGraph g(Nested(300), OpRegistry::Standard());
  const CallSpec call = g.Call({}, {"y"}, {});
  const Structure structure =
      RecoverStructure(g.graph(), call, *ValidateCall(g.graph(), call), 300);
  EXPECT_EQ(structure.irregular, "");
  EXPECT_EQ(structure.conditions.num_literals(structure.condition[Index(g.id("y"))]), 300);
}

}  // namespace
}  // namespace tagflow
