// Tested by properties_test.cc.

#include "fuzz/graphs/calls.h"

#include <algorithm>
#include <string>

namespace tagflow::fuzz {
namespace {

void DrawTargets(const GraphSample& sample, Choices& choices, GraphCall& call) {
  for (const std::string& target : sample.targets) {
    if (choices.Chance(60)) call.targets.push_back(target);
  }
  if (choices.Chance(30)) {
    const NodeId id = choices.Of(sample.graph.NodeIds());
    call.targets.push_back(sample.graph.node(id).name);
  }
}

GraphCall DrawCall(const GraphSample& sample, Choices& choices) {
  GraphCall call;
  call.feeds = sample.runs[choices.Below(static_cast<uint32_t>(sample.runs.size()))];
  for (const std::string& fetch : sample.fetches) {
    if (choices.Chance(30)) continue;
    if (choices.Chance(15)) {
      call.targets.push_back(fetch.substr(0, fetch.find(':')));
    } else {
      call.fetches.push_back(fetch);
    }
  }
  if (choices.Chance(40)) std::ranges::reverse(call.fetches);
  DrawTargets(sample, choices, call);
  return call;
}

// What was fetched first is fed, and no longer fetched, or the other way round.
void TurnRound(const GraphSample& sample, Choices& choices, GraphCall& call) {
  if (choices.Chance(50) && !call.feeds.empty()) {
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
  const int count = choices.Between(2, 4);
  for (int i = 0; i < count; ++i) {
    const bool again = !calls.empty() && choices.Chance(50);
    calls.push_back(again ? calls[0] : DrawCall(sample, choices));
    if (!again) continue;
    if (choices.Chance(20)) {
      TurnRound(sample, choices, calls.back());
    } else if (choices.Chance(50)) {
      calls.back().feeds = choices.Of(sample.runs);
    } else {
      calls.back().targets.clear();
      DrawTargets(sample, choices, calls.back());
    }
  }
  return calls;
}

}  // namespace tagflow::fuzz
