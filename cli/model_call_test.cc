#include "cli/model_call.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tagflow::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Result<ModelCall> Call(const std::vector<std::string>& words) {
  SavedModelGraph model;
  model.signatures["serving_default"] = {{{"x", "in:0"}}, {{"y", "out:0"}, {"z", "out:1"}}};
  model.signatures["other"] = {{}, {{"total", "sum:0"}}};
  const auto args = Args::Parse(words, {{"--signature"}, {"--feed"}, {"--fetch"}, {"--target"}});
  return CallOf(model, *args);
}

TEST(ModelCallTest, NamesOfTheSignatureStandForTensors) {
  const auto call = Call({"--feed", "x=x=1", "--feed", "w:1=2", "--fetch", "z", "--fetch", "w"});
  ASSERT_TRUE(call.ok());
  EXPECT_THAT(call->feeds, ElementsAre("in:0=x=1", "w:1=2"));
  EXPECT_THAT(call->fetches, ElementsAre("out:1", "w"));
  EXPECT_THAT(call->labels, ElementsAre("z", "w"));
}

TEST(ModelCallTest, AllThatASignatureGivesIsFetched) {
  EXPECT_THAT(Call({})->fetches, ElementsAre("out:0", "out:1"));
  EXPECT_THAT(Call({})->labels, ElementsAre("y", "z"));
  EXPECT_THAT(Call({"--signature", "other"})->fetches, ElementsAre("sum:0"));
  EXPECT_TRUE(Call({"--target", "n"})->fetches.empty());
  EXPECT_THAT(Call({"--signature", "none"}).status().ToString(),
              HasSubstr("has no signature 'none'; it has 'other', 'serving_default'"));
}

TEST(ModelCallTest, TagsStandBetweenCommas) {
  const auto args = Args::Parse({"--tags", "serve,gpu", "--tags", "train"}, {{"--tags"}});
  EXPECT_THAT(TagsOf(*args), ElementsAre("serve", "gpu", "train"));
}

}  // namespace
}  // namespace tagflow::cli
