#ifndef TAGFLOW_GRAPH_FEED_SET_H_
#define TAGFLOW_GRAPH_FEED_SET_H_

// The fed outputs of a call, for asking about one output at a time: one bit for all the nodes that
// are not fed, a search only for those that are.

#include <algorithm>
#include <vector>

#include "graph/call.h"

namespace tagflow {

class FeedSet {
 public:
  FeedSet(const Graph& graph, const std::vector<OutputRef>& feeds)
      : feeds_(feeds), fed_node_(graph.id_limit()) {
    std::sort(feeds_.begin(), feeds_.end());
    for (const OutputRef& feed : feeds_) fed_node_[Index(feed.node)] = true;
  }

  bool Contains(OutputRef output) const {
    return Index(output.node) < fed_node_.size() && fed_node_[Index(output.node)] &&
           std::binary_search(feeds_.begin(), feeds_.end(), output);
  }
  // A fed placeholder waits for nothing and runs nothing ([feed.2]).
  bool IsFedPlaceholder(const Node& node) const {
    return fed_node_[Index(node.id)] && IsPlaceholderOp(node);
  }

 private:
  std::vector<OutputRef> feeds_;  // sorted
  std::vector<bool> fed_node_;
};

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_FEED_SET_H_
