#include "optimized/tokens/channels.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace tagflow::optimized::tokens {
namespace {

// Sends and Recvs of one tensor from a to b, in a frame each.
TokenPlan PlanOf(const std::vector<std::pair<Role, int>>& transfers) {
  TokenPlan plan;
  for (const auto& [name, parent] : std::vector<std::pair<const char*, int>>{
           {"", -1}, {"f", 0}, {"f", 0}, {"g", 1}, {"g", 2}, {"h", 1}}) {
    FramePlan& frame = plan.frames.emplace_back();
    frame.name = name;
    frame.parent = parent;
  }
  for (const auto& [role, frame] : transfers) {
    PlanNode& node = plan.nodes.emplace_back();
    node.role = role;
    node.detail = static_cast<uint32_t>(plan.transfers.size());
    plan.infos.emplace_back().frame = frame;
    TransferPlan& transfer = plan.transfers.emplace_back();
    transfer.sender = "a";
    transfer.receiver = "b";
    transfer.tensor = "t";
  }
  NumberChannels(plan);
  return plan;
}

TEST(ChannelsTest, ASendAndARecvInFramesOfTheSameNamesMeet) {
  const TokenPlan plan = PlanOf({{Role::kSend, 3}, {Role::kRecv, 4}});
  EXPECT_EQ(plan.transfers[0].channel, plan.transfers[1].channel);
  EXPECT_FALSE(plan.transfers[0].is_contested);
}

TEST(ChannelsTest, OtherFramesAreOtherChannels) {
  const TokenPlan plan = PlanOf({{Role::kSend, 3}, {Role::kRecv, 5}, {Role::kRecv, 1}});
  EXPECT_NE(plan.transfers[0].channel, plan.transfers[1].channel);
  EXPECT_NE(plan.transfers[0].channel, plan.transfers[2].channel);
  EXPECT_NE(plan.transfers[1].channel, plan.transfers[2].channel);
}

TEST(ChannelsTest, SeveralOfOneKindContest) {
  const TokenPlan plan =
      PlanOf({{Role::kSend, 0}, {Role::kRecv, 0}, {Role::kSend, 0}, {Role::kSend, 1}});
  EXPECT_TRUE(plan.transfers[0].is_contested);
  EXPECT_TRUE(plan.transfers[1].is_contested);
  EXPECT_TRUE(plan.transfers[2].is_contested);
  EXPECT_FALSE(plan.transfers[3].is_contested);
}

}  // namespace
}  // namespace tagflow::optimized::tokens
