#include "fuzz/properties/properties.h"

#include "fuzz/properties/claims.h"

namespace tagflow::fuzz {

const std::vector<ProgramProperty>& ProgramProperties() {
  static const auto& all = *new std::vector<ProgramProperty>{
      {"direct", "the engine gives what the tree's evaluator gives", "default", EqualsDirect},
      {"nodes", "the order of the GraphDef's nodes changes nothing", "default", ShuffledNodes},
      {"round-trip", "a graph written as bytes or text and read again gives the same", "default",
       RoundTrip},
      {"runs", "several runs in one session give what each gives in a session of its own",
       "effects", Runs},
      {"fetches", "some of the fetches give what they give among all", "default", FetchSubset},
      {"feeds", "a tensor of the root frame fed with its value changes nothing", "default",
       FeedInner},
      {"limit", "a step stopped by its limit says where, and the session still works", "tiny",
       StepLimit},
      {"cancel", "a step that is cancelled says where, and the session still works", "default",
       Cancellation},
      {"orders", "there is no race, and random orders of firings give the same", "default",
       RandomOrder},
      {"parallel", "other parallel_iterations give the same", "default", Parallel},
      {"simplify", "each pass that simplifies a graph changes nothing, nor do all in any order",
       "default", Simplification},
      {"recover", "its loops and conds made functions (While, If, Case) change nothing", "default",
       Recovered, /*in_turn=*/true},
      {"functions",
       "made functions that call functions and, some, themselves, then primitives, then functions "
       "again, it gives the same",
       "default", Functional, /*in_turn=*/true},
      {"placement",
       "on several devices, placed in any way, it gives what it gives on one; so do its gradients",
       "default", Placed},
      {"placer", "on the devices that the placer chooses for it, it gives the same", "default",
       PlacedByCost},
  };
  return all;
}

}  // namespace tagflow::fuzz
