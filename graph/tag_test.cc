#include "graph/tag.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace tagflow {
namespace {

TEST(TagTest, PrintsThePath) {
  EXPECT_EQ(ToString(Tag{}), "");
  EXPECT_EQ(ToString(Tag{{{"f", 3}, {"g", 0}}}), "f[3]/g[0]");
  EXPECT_EQ(ToString(Tag{{{"while/while_context", 12}}}), "while\\/while_context[12]");
}

TEST(TagTest, ParsesWhatItPrints) {
  const Result<Tag> tag = ParseTag("a\\/b[9223372036854775807]/\\[\\]\\\\[0]");
  ASSERT_TRUE(tag.ok()) << tag.status().ToString();
  EXPECT_EQ(*tag, (Tag{{{"a/b", INT64_MAX}, {"[]\\", 0}}}));
}

TEST(TagTest, RefusesAnythingElse) {
  for (const char* text :
       {"f", "f[", "f[]", "f[1", "f[-1]", "f[+1]", "f[01]", "f[1]g[2]", "f[1]/", "/f[1]", "f[1]/g",
        "f]x[1]", "a/b[1]", "f\\", "f\\x[1]", "f[9223372036854775808]", "f[1] ", "f[1]]"}) {
    const Result<Tag> tag = ParseTag(text);
    ASSERT_FALSE(tag.ok()) << text;
    EXPECT_EQ(tag.status().code(), Code::kInvalidArgument);
  }
}

// Random tags over the letters that matter: they come back, and different tags print differently.
TEST(TagTest, RoundTripsAndDoesNotCollide) {
  std::mt19937 random(7);
  auto below = [&random](int n) { return std::uniform_int_distribution<int>(0, n - 1)(random); };
  std::set<Tag> tags;
  std::set<std::string> texts;
  for (int i = 0; i < 20000; ++i) {
    Tag tag;
    for (int depth = below(4); depth > 0; --depth) {
      TagStep& step = tag.path.emplace_back();
      for (int length = below(4); length > 0; --length) step.frame += "ab/\\[]01"[below(8)];
      step.iteration = below(12);
    }
    const std::string text = ToString(tag);
    const Result<Tag> parsed = ParseTag(text);
    ASSERT_TRUE(parsed.ok()) << text;
    EXPECT_EQ(*parsed, tag) << text;
    tags.insert(tag);
    texts.insert(text);
  }
  EXPECT_EQ(tags.size(), texts.size());
}

TEST(TagTest, OrdersByFrameThenIterationOuterFirst) {
  const Tag root;
  const Tag f2{{{"f", 2}}};
  const Tag f2g0{{{"f", 2}, {"g", 0}}};
  const Tag f10{{{"f", 10}}};
  EXPECT_LT(root, f2);
  EXPECT_LT(f2, f2g0);
  EXPECT_LT(f2g0, f10);
  EXPECT_TRUE(root.is_root());
  EXPECT_FALSE(f2.is_root());
}

TEST(RendezvousKeyTest, HoldsTheStructuredTag) {
  const RendezvousKey key{"/device:CPU:0", "/device:CPU:1", "edge_7", {{{"f", 3}, {"g", 0}}}};
  EXPECT_EQ(ToString(key), "/device:CPU:0;/device:CPU:1;edge_7;f[3]/g[0]");
}

TEST(RendezvousKeyTest, SeparatorsInNamesDoNotCollide) {
  const RendezvousKey a{"d", "e", "x;y", {}};
  const RendezvousKey b{"d", "e;x", "y", {}};
  EXPECT_NE(ToString(a), ToString(b));
}

}  // namespace
}  // namespace tagflow
