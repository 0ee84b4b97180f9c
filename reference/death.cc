#include "reference/death.h"

#include <algorithm>

#include "graph/control_ops.h"
#include "graph/join_of.h"

namespace tagflow::reference {
namespace {

constexpr size_t kMaxListed = 8;

// " at tag f[0]/g[1]".
std::string At(const TagPtr& tag) {
  return tag == nullptr ? "" : " at tag " + ToString(ToTag(tag));
}

// Whether its inputs are dead for several reasons, so that each has to be told.
bool IsDeadTwice(const Death& death) {
  return death.because.size() > 1 && std::ranges::any_of(death.because, [&](const auto& input) {
           return &OriginOf(*input.second) != &OriginOf(*death.because[0].second);
         });
}

// From the death back to where its chain ends, or to a Merge that is dead for several reasons.
std::vector<const Death*> PathOf(const Death& death) {
  std::vector<const Death*> path = {&death};
  while (!path.back()->because.empty() && !IsDeadTwice(*path.back())) {
    path.push_back(path.back()->because[0].second.get());
  }
  return path;
}

std::string PathText(std::vector<const Death*> path) {
  std::ranges::reverse(path);
  std::string text = "; path: ";
  for (size_t i = 0; i < path.size(); ++i) {
    if (path.size() > kMaxListed && i == kMaxListed / 2) {
      text += " -> ...";
      i = path.size() - kMaxListed / 2;
    }
    text += (i == 0 ? "" : " -> ") + path[i]->node->name;
  }
  return text;
}

// "Switch 's' at tag f[0] sent its value the other way (predicate false)"
std::string EndText(const Death& end) {
  const std::string who = end.node->op + " '" + end.node->name + "'" + At(end.tag);
  if (IsDeadTwice(end)) return "all inputs of " + who + " are dead";
  if (end.reason.empty()) return who + " had no value";
  return who + " sent its value the other way (" + end.reason + ")";
}

}  // namespace

Tag ToTag(const TagPtr& tag) {
  Tag steps;
  for (const TagLink* link = tag.get(); link != nullptr; link = link->parent.get()) {
    steps.path.push_back({*link->frame_name, link->iteration});
  }
  std::ranges::reverse(steps.path);
  return steps;
}

// Without recursion, as a chain may be longer than a stack is deep, and without memory of its own.
Death::~Death() {
  DeathPtr list;
  const auto take_causes = [&list](Death& death) {
    for (auto& [slot, cause] : death.because) {
      DeathPtr taken = std::move(cause);
      if (taken.use_count() > 1) continue;
      taken->next_to_go = std::move(list);
      list = std::move(taken);
    }
    death.because.clear();
  };
  for (take_causes(*this); list != nullptr;) {
    const DeathPtr gone = std::move(list);
    list = std::move(gone->next_to_go);
    take_causes(*gone);
  }
}

const Death& OriginOf(const Death& death) {
  const Death* origin = &death;
  while (!origin->because.empty()) origin = origin->because[0].second.get();
  return *origin;
}

std::string Explain(const Graph& graph, OutputRef fetch, const Death& death) {
  const std::vector<const Death*> path = PathOf(death);
  const Death& end = *path.back();
  std::string text = ": " + EndText(end) + PathText(path);
  if (IsDeadTwice(end)) {
    for (const auto& [slot, input] : end.because) {
      const std::vector<const Death*> way = PathOf(*input);
      text += "; '" + OutputName(graph, end.node->inputs[static_cast<size_t>(slot)]) +
              "': " + EndText(*way.back()) + PathText(way);
    }
    return text;
  }
  if (end.way < 0) return text;
  const NodeId join = FindJoinOf(graph, fetch, OutputRef{end.node->id, end.way});
  return join == NodeId::kNone
             ? text
             : text + ". Fetch '" + graph.node(join).name + "', which joins the branches, instead";
}

}  // namespace tagflow::reference
