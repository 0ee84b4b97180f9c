#ifndef TAGFLOW_FUZZ_PARTITION_PLACED_SESSION_H_
#define TAGFLOW_FUZZ_PARTITION_PLACED_SESSION_H_

// A graph on several devices, run by the reference: each call is partitioned, and the parts run on
// an interpreter each. What it gives must be what the whole graph gives.
//
// Spec: [partition.*]

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "reference/partitioned.h"
#include "transform/partition/partition.h"

namespace tagflow::fuzz {

class PlacedSession {
 public:
  // placement: of all nodes. The rules must outlive the session.
  PlacedSession(Graph graph, Placement placement, const PartitionOptions& options = {},
                const reference::Rules& rules = reference::StandardRules())
      : graph_(std::move(graph)),
        placement_(std::move(placement)),
        options_(options),
        rules_(rules) {}

  // As reference::PartitionedSession::Run. Variables keep their values from call to call.
  //   Errors: PartitionCall's too
  Result<std::vector<Tensor>> Run(const reference::NamedTensors& feeds,
                                  const std::vector<std::string>& fetches,
                                  const std::vector<std::string>& targets = {},
                                  const reference::RunOptions& options = {},
                                  const reference::Delivery& delivery = nullptr);

  const Graph& graph() const { return graph_; }
  const Placement& placement() const { return placement_; }
  // Of the last run that could be partitioned.
  const reference::PartitionedSession& last() const { return *last_->session; }
  const std::vector<DevicePart>& last_parts() const { return last_->parts; }

 private:
  struct Call {
    CallSpec spec;
    std::vector<DevicePart> parts;
    std::unique_ptr<reference::PartitionedSession> session;
  };
  Result<Call*> Prepare(const reference::NamedTensors& feeds,
                        const std::vector<std::string>& fetches,
                        const std::vector<std::string>& targets);

  const Graph graph_;
  const Placement placement_;
  const PartitionOptions options_;
  const reference::Rules& rules_;
  reference::Resources resources_;
  std::map<std::vector<std::vector<std::string>>, std::unique_ptr<Call>> calls_;  // by their names
  const Call* last_ = nullptr;
};

// All nodes on the first device but those that are named.
Placement PlacementOf(const Graph& graph, const std::vector<std::string>& devices,
                      const std::map<std::string, std::string>& device_of);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_PARTITION_PLACED_SESSION_H_
