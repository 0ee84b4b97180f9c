// Tests: exchange.cc

#include "reference/partitioned.h"

#include <gtest/gtest.h>

#include "reference/rendezvous.h"
#include "reference/test_step.h"

namespace tagflow::reference {
namespace {

constexpr char kKeyAToB[] =
    " tensor_name=x send_device=a send_device_incarnation=1 recv_device=b\n";
constexpr char kKeyBToA[] =
    " tensor_name=y send_device=b send_device_incarnation=1 recv_device=a\n";

TestGraph Parse(const std::string& text) { return TestGraph(text, OpRegistry::Standard()); }

// A cond over two devices: x goes to b when p is true; b's result, or its deadness, comes back.
TEST(Partitioned, ABranchOnAnotherDeviceLiveAndDead) {
  const TestGraph a = Parse(std::string(R"(
    p = Placeholder() dtype=bool
    x = Const() dtype=int32 value=3
    switch = Switch(x, p) T=int32
    send = _Send(switch:1) T=int32)") +
                            kKeyAToB + R"(
    recv = _Recv() tensor_type=int32)" +
                            kKeyBToA + R"(
    merge = Merge(switch, recv) T=int32
  )");
  const TestGraph b =
      Parse(std::string("    there = _Recv() tensor_type=int32") + kKeyAToB +
            "    neg = Neg(there) T=int32\n    back = _Send(neg) T=int32" + kKeyBToA);
  for (uint64_t seed = 0; seed < 20; ++seed) {
    RunOptions options;
    options.seed = seed;
    PartitionedSession session({&a.graph(), &b.graph()});
    auto taken = session.Run({{"p", Bool(true)}}, {"merge"}, {}, options);
    ASSERT_TRUE(taken.ok()) << taken.status().ToString();
    EXPECT_EQ((*taken)[0].scalar<int32_t>(), -3);
    EXPECT_EQ(session.messages().dead, 0);
    auto untaken = session.Run({{"p", Bool(false)}}, {"merge"}, {}, options);
    ASSERT_TRUE(untaken.ok()) << untaken.status().ToString();
    EXPECT_EQ((*untaken)[0].scalar<int32_t>(), 3);
    EXPECT_EQ(session.messages().all, 2);
    EXPECT_EQ(session.messages().dead, 2);
  }
}

TEST(Partitioned, ARecvThatNobodySendsToStarves) {
  const TestGraph a = Parse(std::string("    recv = _Recv() tensor_type=int32") + kKeyBToA);
  PartitionedSession session({&a.graph()});
  Status status = session.Run({}, {"recv"}).status();
  EXPECT_EQ(status.rule(), "step.2");
  EXPECT_NE(status.message().find("b;a;y;"), std::string::npos) << status.message();
}

// Two values on the way to b: whichever is chosen arrives first, and the sum is the same.
TEST(Partitioned, MessagesArriveInTheOrderThatIsChosen) {
  const char* kKeyZ = " tensor_name=z send_device=a send_device_incarnation=1 recv_device=b\n";
  const TestGraph a =
      Parse(std::string("    x = Const() dtype=int32 value=3\n") + "    send = _Send(x) T=int32" +
            kKeyAToB + "    also = _Send(x) T=int32" + kKeyZ);
  const TestGraph b =
      Parse(std::string("    one = _Recv() tensor_type=int32") + kKeyAToB +
            "    two = _Recv() tensor_type=int32" + kKeyZ + "    sum = AddV2(one, two) T=int32\n");
  for (const size_t first : {0, 1}) {
    PartitionedSession session({&a.graph(), &b.graph()});
    std::vector<std::string> arrived;
    auto sum = session.Run({}, {"sum"}, {}, {}, [&](const std::vector<std::string>& keys) {
      arrived.push_back(keys[first % keys.size()]);
      return first % keys.size();
    });
    ASSERT_TRUE(sum.ok()) << sum.status().ToString();
    EXPECT_EQ((*sum)[0].scalar<int32_t>(), 6);
    EXPECT_EQ(arrived[0], first == 0 ? "a;b;x;" : "a;b;z;");
    EXPECT_EQ(arrived.size(), 2u);
    EXPECT_EQ(session.sent().size(), 2u);
  }
}

// A limit on each stretch between two messages would never end a loop that goes through both parts.
TEST(Partitioned, ALimitIsOnAllFiringsWhateverMessagesArriveBetween) {
  const TestGraph a = Parse(std::string("    x = Const() dtype=int32 value=3\n") +
                            "    send = _Send(x) T=int32" + kKeyAToB);
  const TestGraph b = Parse(std::string("    one = _Recv() tensor_type=int32") + kKeyAToB +
                            "    square = Square(one) T=int32\n    out = Neg(square) T=int32\n");
  int64_t stopped = 0;
  for (int64_t limit = 1; limit <= 10; ++limit) {
    RunOptions options;
    options.max_firings = limit;
    PartitionedSession session({&a.graph(), &b.graph()});
    const Code at_once = session.Run({}, {"out"}, {}, options).status().code();
    const auto later = session.Run({}, {"out"}, {}, options, [](const auto&) { return 0; });
    EXPECT_EQ(later.status().code(), at_once) << limit;
    stopped += at_once == Code::kResourceExhausted ? 1 : 0;
  }
  EXPECT_EQ(stopped, 5);  // it takes six firings, the Recv's two among them
}

TEST(Rendezvous, AHeldTokenIsHandedOverWhenDelivered) {
  Rendezvous rendezvous(/*holds=*/true);
  int received = 0;
  EXPECT_TRUE(rendezvous.Send("k", {Int(4), false}).ok());
  EXPECT_TRUE(rendezvous.Deliverable().empty());
  EXPECT_TRUE(
      rendezvous
          .Recv("k", [&](const SentToken& token) { received = token.value.scalar<int32_t>(); })
          .ok());
  EXPECT_EQ(received, 0);
  EXPECT_EQ(rendezvous.Deliverable(), std::vector<std::string>{"k"});
  rendezvous.Deliver("k");
  EXPECT_EQ(received, 4);
  EXPECT_TRUE(rendezvous.Deliverable().empty());
}

TEST(Rendezvous, OneSendAndOneRecvPerKey) {
  Rendezvous rendezvous;
  int received = 0;
  EXPECT_TRUE(
      rendezvous
          .Recv("k", [&](const SentToken& token) { received = token.value.scalar<int32_t>(); })
          .ok());
  EXPECT_EQ(rendezvous.WaitingKeys(), std::vector<std::string>{"k"});
  EXPECT_TRUE(rendezvous.Send("k", {Int(4), false}).ok());
  EXPECT_EQ(received, 4);
  EXPECT_EQ(rendezvous.Send("k", {Int(5), false}).rule(), "rendezvous.3");
  EXPECT_EQ(rendezvous.Recv("k", [](const SentToken&) {}).rule(), "rendezvous.3");
}

}  // namespace
}  // namespace tagflow::reference
