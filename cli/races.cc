#include "cli/races.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "cli/report.h"
#include "cli/result_text.h"
#include "conformance/command/json.h"
#include "reference/session.h"

namespace tagflow::cli {
namespace {

std::string Counted(int64_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

std::string OutcomeText(const reference::Outcome& outcome, const std::vector<std::string>& labels) {
  if (!outcome.status.ok()) return "  " + ErrorText(outcome.status);
  std::string text;
  for (size_t i = 0; i < outcome.values.size(); ++i) {
    text += "  " + labels[i] + ": ";
    WriteResult(outcome.values[i], false, [&text](std::string_view piece) { text += piece; });
    text += "\n";
  }
  return text.empty() ? "  the step ends well\n" : text;
}

// Why there may be more than what was found; empty where there is not.
std::string Bound(const reference::Exploration& found, const reference::ExploreOptions& options) {
  if (found.exhaustive) return "";
  if (found.orders >= options.max_orders) {
    return "there may be more: stopped after " + Counted(found.orders, "order");
  }
  for (const reference::Outcome& outcome : found.outcomes) {
    if (outcome.status.code() != Code::kResourceExhausted) continue;
    return "there may be more: an order was followed for " +
           Counted(options.max_firings, "firing") + " and no further; --max-steps N says how far";
  }
  return "there may be more: stopped after " + Counted(found.orders, "order") +
         "; --deadline S says for how many seconds to look";
}

}  // namespace

Result<reference::Exploration> ExploreCall(const ExploredCall& call, Graph graph,
                                           const OpLibrary& library,
                                           const reference::ExploreOptions& options) {
  reference::SessionOptions session_options;
  session_options.kernels = library.reference_kernels;
  session_options.soft_placement = call.soft_placement;
  TAGFLOW_ASSIGN_OR_RETURN(const std::unique_ptr<reference::Session> session,
                           reference::Session::Create(std::move(graph), session_options));
  reference::RunOptions run;
  run.cancelled = options.cancelled;
  run.deadline_s = options.deadline_s;
  for (const ModelInit& init : call.model_init) {
    TAGFLOW_RETURN_IF_ERROR(session->Run(init.feeds, {}, {init.target}, run).status());
  }
  for (const std::string& node : call.init) {
    TAGFLOW_RETURN_IF_ERROR(session->Run(call.feeds, {}, {node}, run).status());
  }
  for (int64_t i = 0; i < call.steps_before; ++i) {
    TAGFLOW_RETURN_IF_ERROR(session->Run(call.feeds, call.fetches, call.targets, run).status());
  }
  return reference::Explore(*session, call.feeds, call.fetches, call.targets, options);
}

std::string RacesText(const reference::Exploration& found, const std::vector<std::string>& labels,
                      const reference::ExploreOptions& options) {
  std::string text;
  for (const std::string& race : found.races) text += race + "\n";
  if (found.races.empty()) text += "no race: whatever touches the same is in order\n";
  const auto outcomes = static_cast<int64_t>(found.outcomes.size());
  text += Counted(outcomes, "outcome") + ", of " + Counted(found.orders, "order") + " tried\n";
  for (const reference::Outcome& outcome : found.outcomes) {
    if (outcomes > 1) text += "in " + Counted(outcome.orders, "order") + ":\n";
    text += OutcomeText(outcome, labels);
  }
  const std::string bound = Bound(found, options);
  return text + (bound.empty() ? "" : bound + "\n");
}

std::string RacesJson(const reference::Exploration& found, const std::vector<std::string>& labels) {
  std::string races;
  for (const std::string& race : found.races)
    races += (races.empty() ? "" : ",") + JsonString(race);
  std::string outcomes;
  for (const reference::Outcome& outcome : found.outcomes) {
    outcomes += (outcomes.empty() ? "" : ",") + std::string("{\"orders\":") +
                std::to_string(outcome.orders) + ",";
    outcomes += outcome.status.ok() ? OutputsJson(labels, outcome.values)
                                    : "\"error\":" + ErrorJson(outcome.status);
    outcomes += "}";
  }
  return "{\"races\":[" + races + "],\"outcomes\":[" + outcomes +
         "],\"orders\":" + std::to_string(found.orders) +
         ",\"exhaustive\":" + (found.exhaustive ? "true" : "false") + "}\n";
}

}  // namespace tagflow::cli
