// Tested by enumerate_test.cc.

#include <random>

#include "fuzz/graphs/enumerate.h"
#include "fuzz/graphs/naive.h"
#include "fuzz/graphs/observe.h"

namespace tagflow::fuzz {
namespace {

constexpr int64_t kFirings = 80;

bool Limited(Code code) { return code == Code::kResourceExhausted; }

// Errors of a firing come before its end, in whatever order; what the end says is one thing.
std::optional<std::string> Compare(const NaiveOutcome& wanted, const RunSeen& seen) {
  const Code code = seen.status.code();
  if (Limited(code) || Limited(wanted.code)) {
    if (Limited(code) == Limited(wanted.code) || code == Code::kInvalidArgument ||
        wanted.code == Code::kInvalidArgument) {
      return std::nullopt;
    }
  }
  if (code != wanted.code) {
    return "small steps give " + std::string(CodeName(wanted.code)) + " at '" + wanted.node +
           "', the reference " + seen.status.ToString();
  }
  if (!wanted.ended) return std::nullopt;
  EventSum events;
  for (const NaiveEvent& event : wanted.events) events.Add(EventText(event), false);
  if (events == seen.events) return std::nullopt;
  EventSum texts;
  for (const NaiveEvent& event : wanted.events) texts.Add(EventText(event), true);
  return "other firings than by small steps:" + Difference(texts, seen.events);
}

}  // namespace

std::optional<std::string> EnumeratedAgrees(const GraphSample& sample,
                                            const reference::Rules& rules) {
  using Kind = ReadyOrder::Kind;
  const Naive naive(sample);
  Observer observer(sample);
  ObserveOptions options;
  options.rules = &rules;
  options.max_firings = kFirings;
  std::minstd_rand random(1);
  for (size_t run = 0; run < sample.runs.size(); ++run) {
    NaiveVariables variables;
    const NaiveOutcome wanted = naive.Run(
        run, variables, [&](size_t count) { return random() % count; }, kFirings);
    for (const ReadyOrder& order :
         {ReadyOrder{Kind::kFirst, 0}, {Kind::kLast, 0}, {Kind::kByNode, run + 1}}) {
      options.order = order;
      options.keep_events = false;
      if (!Compare(wanted, observer.ObserveRun(run, options))) continue;
      options.keep_events = true;  // once more, to say which
      return "run " + std::to_string(run) + ", " + order.ToString() + ": " +
             Compare(wanted, observer.ObserveRun(run, options)).value_or("not every time");
    }
  }
  return std::nullopt;
}

}  // namespace tagflow::fuzz
