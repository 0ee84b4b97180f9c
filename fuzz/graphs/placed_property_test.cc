// Tests: firing_counts.cc

#include "fuzz/graphs/placed_property.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fuzz/engines/on_devices.h"
#include "fuzz/engines/reference_engine.h"
#include "fuzz/generate/choices.h"
#include "graph/test_graph.h"

namespace tagflow::fuzz {
namespace {

using ::testing::HasSubstr;

// Runs everything on one device, wherever it is to be, and refuses nothing but what it is told to.
class Whole : public Engine {
 public:
  explicit Whole(bool is_reference, bool is_strict = false)
      : is_reference_(is_reference), is_strict_(is_strict) {}
  Result<std::unique_ptr<EngineSession>> Open(Graph graph,
                                              const std::vector<std::string>&) const override {
    return StandardReference().Open(std::move(graph));
  }
  Result<std::unique_ptr<EngineSession>> OpenPlaced(Graph graph, const Placement& placement,
                                                    uint64_t) const override {
    const bool is_in_vain =
        std::ranges::find(placement.device_of, "/device:NONE:0") != placement.device_of.end();
    if (is_strict_ && is_in_vain) return NotFound("there is no such device");
    return Open(std::move(graph), {});
  }
  Capabilities capabilities() const override {
    return {.is_reference = is_reference_, .is_in_process = true};
  }

 private:
  const bool is_reference_, is_strict_;
};

// Runs what is fetched alone.
class Forgiving : public Engine {
 public:
  Result<std::unique_ptr<EngineSession>> Open(Graph graph,
                                              const std::vector<std::string>&) const override {
    TAGFLOW_ASSIGN_OR_RETURN(auto session, StandardReference().Open(std::move(graph)));
    return std::unique_ptr<EngineSession>(new Session(std::move(session)));
  }
  Result<std::unique_ptr<EngineSession>> OpenPlaced(Graph graph, const Placement&,
                                                    uint64_t) const override {
    return Open(std::move(graph), {});
  }
  Capabilities capabilities() const override {
    return {.is_reference = true, .is_in_process = true};
  }

 private:
  class Session : public EngineSession {
   public:
    explicit Session(std::unique_ptr<EngineSession> session) : session_(std::move(session)) {}
    Result<std::vector<Tensor>> Run(const reference::NamedTensors& feeds,
                                    const std::vector<std::string>& fetches,
                                    const std::vector<std::string>&,
                                    const reference::RunOptions& options) override {
      return session_->Run(feeds, fetches, {}, options);
    }
    const Graph& graph() const override { return session_->graph(); }

   private:
    const std::unique_ptr<EngineSession> session_;
  };
};

// Takes two inputs of a Merge for a race, wherever there may be accelerators.
class Uncompared : public Engine {
 public:
  Result<std::unique_ptr<EngineSession>> Open(Graph graph,
                                              const std::vector<std::string>&) const override {
    return StandardReference().Open(std::move(graph));
  }
  Result<std::unique_ptr<EngineSession>> OpenPlaced(Graph graph, const Placement&,
                                                    uint64_t seed) const override {
    if (!DeviceWay(seed).has_accelerators) return Open(std::move(graph), {});
    return std::unique_ptr<EngineSession>(new Session(graph.Clone()));
  }
  Capabilities capabilities() const override {
    return {.is_reference = false, .is_in_process = true};
  }

 private:
  class Session : public EngineSession {
   public:
    explicit Session(Graph graph) : graph_(std::move(graph)) {}
    Result<std::vector<Tensor>> Run(const reference::NamedTensors&, const std::vector<std::string>&,
                                    const std::vector<std::string>&,
                                    const reference::RunOptions&) override {
      return InvalidArgument("two are live").WithRule("merge.3");
    }
    const Graph& graph() const override { return graph_; }

   private:
    const Graph graph_;
  };
};

// A Merge of so many live inputs, all equal.
GraphSample Joined(int inputs) {
  TestGraph graph(inputs == 1 ? R"(
    x    = Placeholder() dtype=float
    join = Merge(x) T=float
  )"
                              : R"(
    x    = Placeholder() dtype=float
    join = Merge(x, x) T=float
  )",
                  OpRegistry::Standard());
  GraphSample sample;
  sample.graph = graph.Take();
  sample.runs = {{{"x", Tensor::Vector<float>({3, 4})}}};
  sample.fetches = {"join"};
  return sample;
}

// A loop of no trip. A target needs its second variable, which goes on once where the LoopCond says
// no; or else that is idle.
GraphSample Loop(const std::vector<std::string>& targets) {
  TestGraph graph(R"(
    limit = Placeholder() dtype=int32
    x     = Placeholder() dtype=int32
    enter = Enter(limit) frame_name=f T=int32
    merge = Merge(enter, next) T=int32
    less  = Less(merge, merge) T=int32
    cond  = LoopCond(less)
    next  = NextIteration(switch:1) T=int32
    switch = Switch(merge, cond) T=int32
    exit  = Exit(switch) T=int32
    enter2 = Enter(x) frame_name=f T=int32
    merge2 = Merge(enter2, next2) T=int32
    switch2 = Switch(merge2, cond) T=int32
    next2 = NextIteration(switch2) T=int32
  )",
                  OpRegistry::Standard());
  GraphSample sample;
  sample.graph = graph.Take();
  sample.runs = {{{"limit", Tensor::Scalar<int32_t>(3)}, {"x", Tensor::Scalar<int32_t>(4)}}};
  sample.fetches = {"exit"};
  sample.targets = targets;
  return sample;
}

// What is said of one of some placements of it.
std::string SaidOf(const GraphSample& sample, const Engine& engine) {
  for (uint64_t seed = 0; seed < 100; ++seed) {
    Choices choices = Choices::FromSeed(seed);
    if (const Problem problem = SurvivesCutting(sample, choices, engine)) return *problem;
  }
  return "";
}

TEST(PlacedProperty, WhoRefusesWhatCannotBeCutIsRight) {
  EXPECT_EQ(SaidOf(Loop({"switch2"}), StandardReference()), "");
}

TEST(PlacedProperty, AFrameThatGoesOnAfterItsEndMustBeRefused) {
  EXPECT_THAT(SaidOf(Loop({"switch2"}), Whole(true)),
              HasSubstr("frame 'f' goes on after its end, and is not refused"));
}

TEST(PlacedProperty, WhatNobodySendsIsOwed) {
  EXPECT_THAT(SaidOf(Loop({}), Forgiving()),
              HasSubstr("what nobody sends is received on /device:CPU:"));
}

TEST(PlacedProperty, WhatDoesNotRunMayAskForADeviceThatIsNotThere) {
  EXPECT_THAT(SaidOf(Loop({}), Whole(false, true)), HasSubstr("there is no such device"));
}

TEST(PlacedProperty, EqualInputsInTheMemoryOfADeviceMayBeARace) {
  EXPECT_EQ(SaidOf(Joined(2), Uncompared()), "");
  EXPECT_THAT(SaidOf(Joined(1), Uncompared()), HasSubstr("two are live"));
}

}  // namespace
}  // namespace tagflow::fuzz
