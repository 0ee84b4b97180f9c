#ifndef TAGFLOW_OPTIMIZED_TOKENS_EDGE_TABLE_H_
#define TAGFLOW_OPTIMIZED_TOKENS_EDGE_TABLE_H_

// Collects edges in any order and lays them out by producer (plan.h). A producer is a node or a
// feed; `port` is the output a token leaves by, control edges come after all outputs.

#include <cstdint>
#include <vector>

#include "optimized/tokens/plan.h"

namespace tagflow::optimized::tokens {

class EdgeTable {
 public:
  explicit EdgeTable(size_t num_producers) : first_(num_producers + 1) {}

  void Add(uint32_t producer, uint32_t port, Edge edge) {
    loose_.push_back({producer, port, edge});
  }

  // Lays the edges out. `waits_for(target, producer)` is how many inputs the target has in all;
  // `has_ports(producer)` whether the outputs of a producer are to be kept apart.
  template <typename WaitsFor, typename HasPorts>
  void Lay(const WaitsFor& waits_for, const HasPorts& has_ports);

  // Of a producer, after Lay.
  uint32_t begin(uint32_t producer) const { return first_[producer]; }
  uint32_t end(uint32_t producer) const { return first_[producer + 1]; }
  std::vector<Edge> TakeEdges() { return std::move(edges_); }
  // Where the edges of port p of a producer end, from its begin.
  uint32_t PortEnd(uint32_t producer, uint32_t port) const;

 private:
  struct Loose {
    uint32_t producer;
    uint32_t port;
    Edge edge;
  };
  void SortByProducer();          // otherwise in the order they were added
  void SortByPort(size_t first);  // those of the producer of the first
  static bool Joins(const Loose& a, const Loose& b, bool ports) {
    return a.edge.target == b.edge.target && a.edge.kind == b.edge.kind &&
           (a.edge.kind == EdgeKind::kCount || a.edge.kind == EdgeKind::kMergeControl) &&
           (!ports || a.port == b.port);
  }

  std::vector<Loose> loose_;
  std::vector<uint32_t> first_;  // by producer, into edges_
  std::vector<Edge> edges_;
  std::vector<uint32_t> ports_;  // by edge
};

template <typename WaitsFor, typename HasPorts>
void EdgeTable::Lay(const WaitsFor& waits_for, const HasPorts& has_ports) {
  SortByProducer();
  edges_.reserve(loose_.size());
  ports_.reserve(loose_.size());
  size_t next = 0;
  for (uint32_t producer = 0; producer + 1 < first_.size(); ++producer) {
    first_[producer] = static_cast<uint32_t>(edges_.size());
    const bool ports = has_ports(producer);
    if (ports) SortByPort(next);
    for (; next < loose_.size() && loose_[next].producer == producer;) {
      Loose joined = loose_[next++];
      // A consumer's edges were added one after the other.
      while (next < loose_.size() && loose_[next].producer == producer &&
             Joins(joined, loose_[next], ports)) {
        joined.edge.detail += loose_[next++].edge.detail;
      }
      if (joined.edge.kind == EdgeKind::kCount &&
          joined.edge.detail == waits_for(joined.edge.target, producer)) {
        joined.edge.kind = EdgeKind::kOnly;
      }
      edges_.push_back(joined.edge);
      ports_.push_back(joined.port);
    }
  }
  first_.back() = static_cast<uint32_t>(edges_.size());
  loose_ = {};
}

}  // namespace tagflow::optimized::tokens

#endif  // TAGFLOW_OPTIMIZED_TOKENS_EDGE_TABLE_H_
