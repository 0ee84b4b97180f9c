#include "optimized/tokens/channels.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace tagflow::optimized::tokens {
namespace {

struct Ends {
  int sends = 0;
  int recvs = 0;
};

// All of a key but the iterations.
std::vector<std::string> StaticKey(const TokenPlan& plan, size_t node,
                                   const TransferPlan& transfer) {
  std::vector<std::string> key = {transfer.sender, transfer.receiver, transfer.tensor};
  for (int frame = plan.infos[node].frame; frame > FrameTree::kRoot;) {
    const FramePlan& around = plan.frames[static_cast<size_t>(frame)];
    key.push_back(around.name);
    frame = around.parent;
  }
  return key;
}

}  // namespace

void NumberChannels(TokenPlan& plan) {
  std::map<std::vector<std::string>, uint32_t> channels;
  std::vector<Ends> ends;  // by channel
  for (size_t i = 0; i < plan.nodes.size(); ++i) {
    const Role role = plan.nodes[i].role;
    if (role != Role::kSend && role != Role::kRecv) continue;
    TransferPlan& transfer = plan.transfers[plan.nodes[i].detail];
    const auto next = static_cast<uint32_t>(channels.size());
    transfer.channel = channels.try_emplace(StaticKey(plan, i, transfer), next).first->second;
    ends.resize(channels.size());
    ++(role == Role::kSend ? ends[transfer.channel].sends : ends[transfer.channel].recvs);
  }
  for (TransferPlan& transfer : plan.transfers) {
    const Ends& both = ends[transfer.channel];
    transfer.is_contested = both.sends > 1 || both.recvs > 1;
  }
}

void FindCrossings(const Devices& devices, TokenPlan& plan) {
  std::map<uint32_t, int> sent_from;  // by channel; not from the host
  for (const PlanNode& node : plan.nodes) {
    if (node.role != Role::kSend) continue;
    const TransferPlan& transfer = plan.transfers[node.detail];
    if (!devices.IsHost(transfer.from)) sent_from[transfer.channel] = transfer.from;
  }
  for (const PlanNode& node : plan.nodes) {
    if (node.role != Role::kRecv) continue;
    TransferPlan& transfer = plan.transfers[node.detail];
    const auto sender = sent_from.find(transfer.channel);
    transfer.from = sender == sent_from.end() ? -1 : sender->second;  // -1: the host
    transfer.crosses_memory = !devices.IsHost(transfer.from) || !devices.IsHost(transfer.to);
    plan.has_async |= transfer.crosses_memory;
  }
}

}  // namespace tagflow::optimized::tokens
