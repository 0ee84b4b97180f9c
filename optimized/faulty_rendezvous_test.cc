// Steps over two devices whose messages come late, in any order, or not at all: the same values, or
// one clear error; and the session goes on.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/op_def.h"
#include "graph/test_graph.h"
#include "optimized/rendezvous/local_rendezvous.h"
#include "optimized/session.h"

namespace tagflow::optimized {
namespace {

using testing::HasSubstr;

// Two products in each iteration, of which the device `there` makes one.
constexpr char kLoop[] = R"(
  n = Placeholder() dtype=int32
  one = Const() dtype=int32 value=1
  i_enter = Enter(one) T=int32 frame_name=loop
  a_enter = Enter(one) T=int32 frame_name=loop
  n_enter = Enter(n) T=int32 frame_name=loop is_constant=true
  i = Merge(i_enter, i_next) T=int32
  a = Merge(a_enter, a_next) T=int32
  less = Less(i, n_enter) T=int32
  again = LoopCond(less)
  i_switch = Switch(i, again) T=int32
  a_switch = Switch(a, again) T=int32
  here = Mul(a_switch:1, i_switch:1) T=int32
  there = AddV2(here, i_switch:1) T=int32
  step = Const(^here) dtype=int32 value=1
  next = AddV2(i_switch:1, step) T=int32
  i_next = NextIteration(next) T=int32
  a_next = NextIteration(there) T=int32
  a_exit = Exit(a_switch:0) T=int32
)";

struct Kind {
  int threads;
  uint64_t seed;
  const char* other;  // the second device
};

class FaultyRendezvousTest : public testing::TestWithParam<Kind> {
 protected:
  FaultyRendezvousTest() {
    TestGraph graph(kLoop, OpRegistry::Standard());
    graph.mutable_graph().mutable_node(graph.id("there")).device = GetParam().other;
    SessionOptions options;
    options.devices = {"/device:CPU:0", GetParam().other};
    options.threads = GetParam().threads;
    options.executor =
        options.threads > 1 ? ExecutorChoice::kSharedTokens : ExecutorChoice::kTokens;
    session_ = *Session::Create(graph.Take(), options);
  }
  std::string Run(Rendezvous* rendezvous, int32_t n = 5) {
    RunOptions options;
    options.rendezvous = rendezvous;
    options.seed = GetParam().seed;
    const auto values = session_->Run({{"n", Tensor::Scalar(n)}}, {"a_exit"}, {}, options);
    return values.ok() ? (*values)[0].DebugString() : values.status().ToString();
  }
  std::unique_ptr<Session> session_;
};
INSTANTIATE_TEST_SUITE_P(Kinds, FaultyRendezvousTest,
                         testing::Values(Kind{1, 0, "/device:CPU:1"}, Kind{3, 0, "/device:CPU:1"},
                                         Kind{2, 7, "/device:CPU:1"}, Kind{1, 0, "/device:SIM:0"},
                                         Kind{2, 0, "/device:SIM:0"}),
                         [](const auto& info) { return "kind" + std::to_string(info.index); });

TEST_P(FaultyRendezvousTest, AGoodOneChangesNothing) {
  const std::string expected = Run(nullptr);
  EXPECT_EQ(expected, "int32[] 88");
  for (const int32_t n : {0, 1, 5}) {
    LocalRendezvous rendezvous;
    EXPECT_EQ(Run(&rendezvous, n), Run(nullptr, n));
  }
}

TEST_P(FaultyRendezvousTest, MessagesMayComeInAnyOrder) {
  for (uint64_t seed = 1; seed <= 50; ++seed) {
    LocalRendezvous rendezvous({.holds_back = true, .seed = seed});
    EXPECT_EQ(Run(&rendezvous), "int32[] 88");
    EXPECT_GT(rendezvous.sent(), 10);
  }
}

TEST_P(FaultyRendezvousTest, ATransferThatFailsIsOneErrorWithNodeAndTag) {
  LocalRendezvous whole;
  Run(&whole);
  for (int64_t k = 1; k <= whole.sent(); ++k) {
    LocalRendezvous rendezvous({.fails_at = k});
    const std::string text = Run(&rendezvous);
    EXPECT_THAT(text, HasSubstr("UNAVAILABLE: the transfer of the key")) << k;
    EXPECT_THAT(text, HasSubstr("/_send_")) << k;
    EXPECT_EQ(Run(nullptr), "int32[] 88");
  }
}

TEST_P(FaultyRendezvousTest, APeerThatDisappearsEndsTheStep) {
  LocalRendezvous whole;
  Run(&whole);
  for (int64_t k = 1; k <= whole.sent(); ++k) {
    LocalRendezvous rendezvous({.disappears_at = k});
    EXPECT_THAT(Run(&rendezvous), HasSubstr("UNAVAILABLE: the peer has disappeared")) << k;
    LocalRendezvous next;
    EXPECT_EQ(Run(&next), "int32[] 88");
  }
}

// Swallows a message and says nothing of it.
class Forgetful : public LocalRendezvous {
 public:
  explicit Forgetful(int64_t forgets) : forgets_(forgets) {}
  Status Send(const RendezvousKey& key, Token token) override {
    if (++seen_ == forgets_) return Status();
    return LocalRendezvous::Send(key, std::move(token));
  }

 private:
  const int64_t forgets_;
  std::atomic<int64_t> seen_{0};
};

TEST_P(FaultyRendezvousTest, AMessageThatNeverComesStarvesAndDoesNotHang) {
  Forgetful rendezvous(4);
  const std::string text = Run(&rendezvous);
  EXPECT_THAT(text, HasSubstr("FAILED_PRECONDITION: starved"));
  EXPECT_THAT(text, HasSubstr("a Recv waits for the key"));
  EXPECT_EQ(Run(nullptr), "int32[] 88");
}

}  // namespace
}  // namespace tagflow::optimized
