#include "optimized/rendezvous/local_rendezvous.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace tagflow::optimized {
namespace {

RendezvousKey Key(int64_t iteration) { return {"a", "b", "t", Tag{{{"f", iteration}}}}; }

Rendezvous::Token Token(int32_t value) { return {Tensor::Scalar(value), false}; }

// What Recvs were told, as text.
class Told {
 public:
  Rendezvous::Received As(const std::string& name) {
    return [this, name](Result<Rendezvous::Token> token) {
      text += name + "=" +
              (!token.ok()      ? token.status().message()
               : token->is_dead ? "dead"
                                : token->value.DebugString()) +
              ";";
    };
  }
  std::string text;
};

TEST(LocalRendezvousTest, EitherMayComeFirst) {
  LocalRendezvous rendezvous;
  Told told;
  EXPECT_TRUE(rendezvous.Send(Key(0), Token(1)).ok());
  rendezvous.Recv(Key(0), told.As("first"));
  rendezvous.Recv(Key(1), told.As("second"));
  EXPECT_EQ(told.text, "first=int32[] 1;");
  EXPECT_TRUE(rendezvous.Send(Key(1), {Tensor(), true}).ok());
  EXPECT_EQ(told.text, "first=int32[] 1;second=dead;");
  EXPECT_FALSE(rendezvous.Await());
}

TEST(LocalRendezvousTest, OneOfEachPerKey) {
  LocalRendezvous rendezvous;
  Told told;
  EXPECT_TRUE(rendezvous.Send(Key(0), Token(1)).ok());
  EXPECT_EQ(rendezvous.Send(Key(0), Token(2)).rule(), "rendezvous.3");
  rendezvous.Recv(Key(0), told.As("x"));
  rendezvous.Recv(Key(0), told.As("y"));
  EXPECT_EQ(told.text,
            "x=int32[] 1;y=two Recvs want the key a;b;t;f[0]: give each a tensor_name of its own;");
}

TEST(LocalRendezvousTest, AbortTellsWhoWaitsAndWhoComes) {
  LocalRendezvous rendezvous;
  Told told;
  rendezvous.Recv(Key(0), told.As("waits"));
  rendezvous.Abort(Status(Code::kUnavailable, "gone"));
  rendezvous.Recv(Key(1), told.As("comes"));
  EXPECT_EQ(told.text, "waits=gone;comes=gone;");
  EXPECT_EQ(rendezvous.Send(Key(2), Token(1)).message(), "gone");
}

TEST(LocalRendezvousTest, WhatIsHeldBackComesInAnyOrder) {
  std::set<std::string> orders;
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    LocalRendezvous rendezvous({.holds_back = true, .seed = seed});
    Told told;
    for (int32_t i = 0; i < 3; ++i) {
      rendezvous.Recv(Key(i), told.As(std::to_string(i)));
      EXPECT_TRUE(rendezvous.Send(Key(i), Token(i)).ok());
    }
    EXPECT_EQ(told.text, "");
    while (rendezvous.Await()) {
    }
    orders.insert(told.text);
  }
  EXPECT_EQ(orders.size(), 6u);
}

TEST(LocalRendezvousTest, ATransferFails) {
  LocalRendezvous rendezvous({.fails_at = 2});
  EXPECT_TRUE(rendezvous.Send(Key(0), Token(1)).ok());
  EXPECT_EQ(rendezvous.Send(Key(1), Token(1)).code(), Code::kUnavailable);
  EXPECT_TRUE(rendezvous.Send(Key(2), Token(1)).ok());
}

TEST(LocalRendezvousTest, APeerDisappears) {
  LocalRendezvous rendezvous({.disappears_at = 2});
  Told told;
  for (int32_t i = 0; i < 3; ++i) {
    rendezvous.Recv(Key(i), told.As(std::to_string(i)));
    EXPECT_TRUE(rendezvous.Send(Key(i), Token(i)).ok());
  }
  EXPECT_EQ(told.text, "0=int32[] 0;");
  EXPECT_TRUE(rendezvous.Await());
  EXPECT_EQ(told.text,
            "0=int32[] 0;1=the peer has disappeared: nothing arrives from it any more;"
            "2=the peer has disappeared: nothing arrives from it any more;");
  EXPECT_FALSE(rendezvous.Await());
}

}  // namespace
}  // namespace tagflow::optimized
