#ifndef TAGFLOW_GRAPH_TAG_H_
#define TAGFLOW_GRAPH_TAG_H_

// Tags: where in the execution of nested loops a token lives. A tag is a path of (frame name,
// iteration) pairs from the root; the root's tag is the empty path. Two executions of one loop in
// two iterations of its parent have different tags, so a tag identifies a frame instance and an
// iteration without any table ([frame.1]).

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "graph/status.h"

namespace tagflow {

struct TagStep {
  std::string frame;
  int64_t iteration = 0;
  friend auto operator<=>(const TagStep&, const TagStep&) = default;
};

struct Tag {
  std::vector<TagStep> path;

  bool is_root() const { return path.empty(); }
  // Lexicographic by (frame, iteration): the order errors are reported in ([error.2]).
  friend auto operator<=>(const Tag&, const Tag&) = default;
};

// "f[3]/g[0]"; "" for the root. In frame names '\\', '/', '[' and ']' are escaped by '\\', so that
// different tags print differently.
std::string ToString(const Tag& tag);
// The inverse of ToString; INVALID_ARGUMENT for anything else.
Result<Tag> ParseTag(std::string_view text);

// What a Send and its Recv meet under: never a bare hash ([rendezvous.1]).
struct RendezvousKey {
  std::string send_device;
  std::string recv_device;
  std::string tensor_name;
  Tag tag;
  friend auto operator<=>(const RendezvousKey&, const RendezvousKey&) = default;
};
// "/device:CPU:0;/device:CPU:1;edge_7;f[3]/g[0]"
std::string ToString(const RendezvousKey& key);

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_TAG_H_
