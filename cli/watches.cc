#include "cli/watches.h"

#include <algorithm>
#include <utility>

namespace tagflow::cli {
namespace {

std::string WithoutBackslashes(std::string tag) {
  std::erase(tag, '\\');
  return tag;
}

std::string TextOf(const reference::TraceEvent::Output& output) {
  if (output.dead) return "dead";
  return output.reference.empty() ? output.value.DebugString() : "variable " + output.reference;
}

}  // namespace

Result<Watches> Watches::Parse(const Graph& graph, const std::vector<std::string>& words) {
  Watches parsed;
  for (const std::string& word : words) {
    const size_t at = word.find('@');
    const std::string name = word.substr(0, at);
    const Result<OutputRef> output = FindOutput(graph, name);
    if (!output.ok()) {
      return Status(output.status().code(), "--watch " + word + ": " + output.status().message());
    }
    Watch watch;
    watch.word = word;
    watch.node = graph.node(output->node).name;
    watch.output = static_cast<size_t>(output->index);
    watch.has_tag = at != word.npos;
    if (watch.has_tag) watch.tag = WithoutBackslashes(word.substr(at + 1));
    parsed.watches_.push_back(std::move(watch));
  }
  return parsed;
}

void Watches::Look(const reference::TraceEvent& event) {
  for (Watch& watch : watches_) {
    if (watch.node != event.node->name || watch.output >= event.outputs.size()) continue;
    if (watch.has_tag && watch.tag != WithoutBackslashes(event.tag)) continue;
    const std::string name =
        watch.output == 0 ? watch.node : watch.node + ":" + std::to_string(watch.output);
    const std::string where = event.tag.empty() ? "" : " @ " + event.tag;
    watch.lines.push_back(name + where + ": " + TextOf(event.outputs[watch.output]));
  }
}

std::string Watches::Text() const {
  std::string text;
  for (const Watch& watch : watches_) {
    for (const std::string& line : watch.lines) text += line + "\n";
    if (watch.lines.empty()) text += watch.word + ": never fired\n";
  }
  return text;
}

}  // namespace tagflow::cli
