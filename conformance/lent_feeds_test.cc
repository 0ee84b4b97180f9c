#include "conformance/lent_feeds.h"

#include <gtest/gtest.h>

#include <complex>
#include <cstdint>
#include <memory>

namespace tagflow::conformance {
namespace {

LentFeeds::Feeds SomeFeeds() {
  return {{"scalar", Tensor::Scalar<float>(1)},
          {"vector", Tensor::Vector<double>({1, 2, 3})},
          {"words", Tensor::Vector<std::string>({"a"})},
          {"wide", Tensor::Vector<std::complex<double>>({{1, 2}})}};
}

TEST(LentFeedsTest, LendsWhatCanBeLentAlignedToItsElements) {
  LentFeeds lent;
  LentFeeds::Feeds feeds = SomeFeeds();
  ASSERT_TRUE(lent.Lend(feeds).ok());
  const LentFeeds::Feeds originals = SomeFeeds();
  for (size_t i = 0; i < feeds.size(); ++i) {
    EXPECT_TRUE(BitwiseEqual(feeds[i].second, originals[i].second));
    EXPECT_EQ(feeds[i].second.is_borrowed(), i == 1 || i == 3);
  }
  for (const size_t i : {1, 3}) {
    EXPECT_EQ(reinterpret_cast<uintptr_t>(feeds[i].second.raw_data()) % 64, 8u);
  }
  feeds.clear();
  EXPECT_TRUE(lent.TakeBack().ok());
}

TEST(LentFeedsTest, WhatIsChangedOrKeptIsAnError) {
  LentFeeds lent;
  LentFeeds::Feeds feeds = SomeFeeds();
  ASSERT_TRUE(lent.Lend(feeds).ok());
  Tensor kept = feeds[1].second;
  feeds.clear();
  EXPECT_NE(lent.TakeBack().message().find("'vector', which was lent, is still held"),
            std::string::npos);
  EXPECT_NE(kept.flat<double>()[0], 1) << "it reads nonsense";
  feeds = SomeFeeds();
  ASSERT_TRUE(lent.Lend(feeds).ok());
  feeds[1].second.mutable_flat<double>()[1] = 7;
  feeds.clear();
  EXPECT_NE(lent.TakeBack().message().find("changed the memory of feed 'vector'"),
            std::string::npos);
}

}  // namespace
}  // namespace tagflow::conformance
