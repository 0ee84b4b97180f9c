#ifndef TAGFLOW_FUZZ_GRAPHS_GROWTH_RECIPES_H_
#define TAGFLOW_FUZZ_GRAPHS_GROWTH_RECIPES_H_

// Recipes in a graph that grows: of those whose ops the naive executor has.
//
// Tested by unstructured_test.cc.

#include <vector>

#include "fuzz/generate/swarm.h"
#include "fuzz/graphs/growth_base.h"
#include "fuzz/graphs/recipe.h"

namespace tagflow::fuzz {

// Rows of Recipes().
const std::vector<const Recipe*>& RecipesOfGrowth();

// Puts one of the recipes that are in into the frame; what it asks to feed is added to `feeds`.
// can_enter: a frame may be begun within this one
void AddRecipeTo(GrowthBase& growth, int frame, bool can_enter, const Swarm& recipes,
                 std::vector<Value>& feeds);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_GRAPHS_GROWTH_RECIPES_H_
