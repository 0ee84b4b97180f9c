// Tested by properties_test.cc.

#include "fuzz/graphs/calls.h"

#include <algorithm>
#include <string>

namespace tagflow::fuzz {
namespace {

void DrawTargets(const GraphSample& sample, Choices& choices, GraphCall& call) {
  for (const std::string& target : sample.targets) {
    if (choices.Chance(kEvenly)) call.targets.push_back(target);
  }
  if (choices.Chance(kSometimes)) {
    const NodeId id = choices.Of(sample.graph.NodeIds());
    call.targets.push_back(sample.graph.node(id).name);
  }
}

GraphCall DrawCall(const GraphSample& sample, Choices& choices) {
  GraphCall call;
  call.feeds = sample.runs[choices.Below(sample.runs.size())];
  for (const std::string& fetch : sample.fetches) {
    if (choices.Chance(kSometimes)) continue;
    if (choices.Chance(kSeldom)) {
      call.targets.push_back(fetch.substr(0, fetch.find(':')));
    } else {
      call.fetches.push_back(fetch);
    }
  }
  if (choices.Chance(kEvenly)) std::ranges::reverse(call.fetches);
  DrawTargets(sample, choices, call);
  return call;
}

// What was fetched first is fed, and no longer fetched, or the other way round.
void TurnRound(const GraphSample& sample, Choices& choices, GraphCall& call) {
  if (choices.Chance(kEvenly) && !call.feeds.empty()) {
    call.fetches.insert(call.fetches.begin(), call.feeds.back().first);
    call.feeds.pop_back();
    return;
  }
  if (call.fetches.empty()) return;
  const Result<OutputRef> output = FindOutput(sample.graph, call.fetches[0]);
  if (!output.ok()) return;
  const Result<Signature> signature = ResolveSignature(sample.graph.node(output->node));
  if (!signature.ok()) return;
  const ArgType type = signature->outputs[static_cast<size_t>(output->index)];
  const Result<Tensor> zero = Tensor::Allocate(type.dtype, {});
  if (type.is_ref || !zero.ok()) return;
  call.feeds.emplace_back(call.fetches[0], *zero);
  call.fetches.erase(call.fetches.begin());
}

}  // namespace

std::vector<GraphCall> DrawCalls(const GraphSample& sample, Choices& choices) {
  std::vector<GraphCall> calls;
  const int count = choices.Between(kTwoToFour);
  for (int i = 0; i < count; ++i) {
    const bool again = !calls.empty() && choices.Chance(kEvenly);
    calls.push_back(again ? calls[0] : DrawCall(sample, choices));
    if (!again) continue;
    if (choices.Chance(kSometimes)) {
      TurnRound(sample, choices, calls.back());
    } else if (choices.Chance(kEvenly)) {
      calls.back().feeds = choices.Of(sample.runs);
    } else {
      calls.back().targets.clear();
      DrawTargets(sample, choices, calls.back());
    }
  }
  return calls;
}

}  // namespace tagflow::fuzz
