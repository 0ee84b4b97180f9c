#include "graph/near_names.h"

#include <algorithm>
#include <cctype>
#include <tuple>

namespace tagflow {
namespace {

constexpr size_t kMaxSuggestions = 3;

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

std::string_view LastPart(std::string_view name) { return name.substr(name.rfind('/') + 1); }

// Number of inserted, deleted and changed letters between a and b, or limit + 1 when there are
// more.
size_t EditDistance(std::string_view a, std::string_view b, size_t limit) {
  if (std::max(a.size(), b.size()) - std::min(a.size(), b.size()) > limit) return limit + 1;
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i);
    size_t least = row[0];
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t changed = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({changed, row[j] + 1, row[j - 1] + 1});
      least = std::min(least, row[j]);
    }
    if (least > limit) return limit + 1;
  }
  return std::min(row[b.size()], limit + 1);
}

}  // namespace

std::vector<std::string> NearNames(const Graph& graph, std::string_view name) {
  const std::string wanted = Lower(name);
  const size_t limit = std::min<size_t>(3, (name.size() + 2) / 3);
  std::vector<std::tuple<size_t, size_t, std::string>> found;  // distance, length, name
  for (NodeId id : graph.NodeIds()) {
    const std::string& candidate = graph.node(id).name;
    const std::string lower = Lower(candidate);
    size_t distance = EditDistance(wanted, lower, limit);
    // The same node in another scope is the likeliest after a typing slip.
    if (LastPart(lower) == LastPart(wanted)) distance = std::min<size_t>(distance, 1);
    if (distance <= limit) found.emplace_back(distance, candidate.size(), candidate);
  }
  const size_t count = std::min(found.size(), kMaxSuggestions);
  std::partial_sort(found.begin(), found.begin() + static_cast<ptrdiff_t>(count), found.end());
  std::vector<std::string> names;
  for (size_t i = 0; i < count; ++i) names.push_back(std::get<2>(found[i]));
  return names;
}

Status NoSuchNode(const Graph& graph, std::string_view name) {
  std::string message = "the graph has no node '" + std::string(name) + "'";
  const std::vector<std::string> near = NearNames(graph, name);
  for (size_t i = 0; i < near.size(); ++i) {
    message += (i == 0 ? ": did you mean '" : "', '") + near[i];
  }
  if (!near.empty()) message += "'?";
  return NotFound(std::move(message));
}

}  // namespace tagflow
