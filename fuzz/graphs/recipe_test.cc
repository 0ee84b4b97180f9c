// Tests: branch_recipes.cc, frame_recipes.cc, message.cc, state_recipes.cc,
// value_recipes.cc

#include "fuzz/graphs/recipe.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "fuzz/graphs/growth_recipes.h"
#include "graph/frames.h"
#include "graph/test_graph.h"
#include "graph/validate.h"

namespace tagflow::fuzz {
namespace {

// A value and others of its frame, all of them in the root or in a loop.
class TestSite : public RecipeSite {
 public:
  TestSite(const std::string& type, bool is_in_root)
      : is_in_root_(is_in_root),
        graph_("x = Placeholder() dtype=" + type + " \n o = Identity(x) T=" + type +
                   "\n w = Merge(x, o) N=2 T=" + type + R"(
                 p = Placeholder() dtype=bool
                 n = Placeholder() dtype=int32 shape=[]
                 np = Enter(p) T=bool frame_name=loop is_constant=true
                 nn = Enter(n) T=int32 frame_name=loop is_constant=true
                 a = Enter(n) T=int32 frame_name=loop
                 m = Merge(a, r) T=int32
                 c = LoopCond(np)
                 s = Switch(m, c) T=int32
                 r = NextIteration(s:1) T=int32
                 no = Enter(o) frame_name=loop is_constant=true T=)" +
                   type + "\n nx = Identity(no, ^s) T=" + type + "\n nw = Merge(nx, no) T=" + type,
               OpRegistry::Standard()) {}

  Graph& graph() override { return graph_.mutable_graph(); }
  OutputRef input() const override { return Of("x"); }
  bool is_in_root() const override { return is_in_root_; }
  NodeId AnyNode() override { return Of("o").node; }
  std::optional<OutputRef> Named(std::string_view name) override {
    if (name == "p" || name == "q") return Of("p");
    if (name == "n") return Of("n");
    if (name == "other") return Of("o");
    if (name == "merge") return Of("w");
    return is_in_root_ ? std::nullopt : std::optional(Of("o"));
  }
  std::optional<OutputRef> Brought(OutputRef value) override {
    if (is_in_root_) return value;
    const NodeId enter = *graph().AddNode(graph().UniqueName("brought"), "Enter");
    graph().mutable_node(enter).inputs = {value};
    graph().SetAttr(enter, "T", TypeOf(graph(), value)->dtype);
    graph().SetAttr(enter, "frame_name", "loop");
    graph().SetAttr(enter, "is_constant", true);
    graph().SetAttr(enter, "parallel_iterations", 10);
    return OutputRef{enter, 0};
  }

 private:
  OutputRef Of(const std::string& name) const {
    return {graph_.id(is_in_root_ ? name : "n" + name), 0};
  }

  const bool is_in_root_;
  TestGraph graph_;
};

Result<Added> Add(const std::string& text, uint64_t seed = 0) {
  TestSite site("int32", true);
  Choices choices = Choices::FromSeed(seed);
  return AddRecipe(text, site, choices);
}

// The graph is as it should be, with what the recipe wants fed.
Status Validate(const Graph& graph, const Added& added, bool feeds) {
  CallSpec call;
  if (feeds) {
    call.feeds = added.feeds;
    call.fetches = {added.end};
    return ValidateCall(graph, call).status();
  }
  const std::vector<Status> faults = ValidateGraph(graph);
  if (!faults.empty()) return faults[0];
  return AssignFrames(graph, std::vector<bool>(graph.id_limit(), true), call).status();
}

TEST(Recipes, EveryDrawingIsValidAtEverySite) {
  std::map<std::string_view, int> drawn;
  for (const Recipe& recipe : Recipes()) {
    for (const char* type : {"int32", "float", "double", "bool", "string"}) {
      for (const bool is_in_root : {true, false}) {
        if (!Fits(recipe, *DTypeFromName(type), is_in_root)) continue;
        for (uint64_t seed = 0; seed < 100; ++seed) {
          TestSite site(type, is_in_root);
          Choices choices = Choices::FromSeed(seed);
          const Result<Added> added = AddRecipe(recipe.text, site, choices);
          if (!added.ok()) {
            ASSERT_EQ(added.status().code(), Code::kNotFound)
                << recipe.name << " of " << type << ": " << added.status().ToString();
            continue;
          }
          ++drawn[recipe.name];
          const Status status = Validate(site.graph(), *added, recipe.needs == Needs::kForcedFeed);
          ASSERT_TRUE(status.ok())
              << recipe.name << " of " << type << ", seed " << seed
              << (is_in_root ? " in the root: " : " in a loop: ") << status.ToString();
          EXPECT_EQ(TypeOf(site.graph(), added->end)->dtype, *DTypeFromName(type)) << recipe.name;
        }
      }
    }
    EXPECT_GE(drawn[recipe.name], 10) << recipe.name;
  }
}

TEST(Recipes, NamesAreTheirOwn) {
  std::set<std::string_view> names;
  for (const Recipe& recipe : Recipes()) EXPECT_TRUE(names.insert(recipe.name).second);
}

TEST(Recipes, AGraphGrowsByAllWhoseOpsTheNaiveExecutorHas) {
  EXPECT_GE(RecipesOfGrowth().size(), Recipes().size() / 2);
}

TEST(RecipeText, AttrsFollowFromInputs) {
  TestSite site("int32", true);
  Choices choices = Choices::FromNumbers({});
  const Result<Added> added = AddRecipe("y = Merge(Neg*2(x), x, 3@)", site, choices);
  ASSERT_TRUE(added.ok()) << added.status().ToString();
  const Node& merge = site.graph().node(added->end.node);
  EXPECT_EQ(merge.op, "Merge");
  EXPECT_EQ(*IntAttr(merge, "N"), 3);
  EXPECT_EQ(*TypeAttr(merge, "T"), DType::kInt32);
  const Node& neg = site.graph().node(merge.inputs[0].node);
  EXPECT_EQ(site.graph().node(neg.inputs[0].node).op, "Neg");
  EXPECT_TRUE(site.graph().node(merge.inputs[2].node).control_inputs.empty());
}

TEST(RecipeText, ANameMayBeUsedBeforeItIsGiven) {
  TestSite site("int32", true);
  Choices choices = Choices::FromNumbers({});
  const Result<Added> added = AddRecipe(
      "m = Merge(Enter[frame_name=f](x), next); next = NextIteration(m); y = m", site, choices);
  ASSERT_TRUE(added.ok()) << added.status().ToString();
  const Node& merge = site.graph().node(added->end.node);
  EXPECT_EQ(site.graph().node(merge.inputs[1].node).op, "NextIteration");
}

TEST(RecipeText, ChoicesLettersAndRepetitions) {
  std::set<std::string> ops;
  for (uint64_t seed = 0; seed < 50; ++seed) {
    TestSite site("int32", true);
    Choices choices = Choices::FromSeed(seed);
    const size_t before = site.graph().num_nodes();
    const Result<Added> added = AddRecipe(
        "$o $n = {Neg 1|Abs 2}\n y = x\n repeat $n: y = $o(y)\n {~target y}", site, choices);
    ASSERT_TRUE(added.ok()) << added.status().ToString();
    const std::string& op = site.graph().node(added->end.node).op;
    EXPECT_EQ(site.graph().num_nodes() - before, op == "Neg" ? 1u : 2u);
    ops.insert(op + (added->targets.empty() ? "" : " asked for"));
  }
  EXPECT_EQ(ops.size(), 4u);
}

TEST(RecipeText, TheSimplestIsTheFirst) {
  TestSite site("int32", true);
  Choices choices = Choices::FromNumbers({});
  const Result<Added> added = AddRecipe("y = {Neg|Abs}({|~x}x)", site, choices);
  ASSERT_TRUE(added.ok()) << added.status().ToString();
  EXPECT_EQ(site.graph().node(added->end.node).op, "Neg");
}

TEST(RecipeText, ErrorsSayWhereAndLeaveNothing) {
  for (const char* text :
       {"y = NoSuchOp(x)", "y = Neg(x, {1|2)", "y = Neg[none=1](x)", "y = Enter[is_constant](x)",
        "y = Neg(missing)", "y = ", "repeat many: y = x", "$a = 1 2", "y = x:one",
        "y = Unpack[num=few](x)", "y = Neg(^missing)", "y = Reshape(x, <one>)"}) {
    TestSite site("int32", true);
    Choices choices = Choices::FromNumbers({});
    const size_t before = site.graph().num_nodes();
    const Result<Added> added = AddRecipe(text, site, choices);
    ASSERT_FALSE(added.ok()) << text;
    EXPECT_EQ(added.status().code(), Code::kInvalidArgument) << text;
    EXPECT_EQ(site.graph().num_nodes(), before) << text;
  }
  EXPECT_EQ(Add("y = Add(x, invariant)").status().code(), Code::kNotFound);
}

}  // namespace
}  // namespace tagflow::fuzz
