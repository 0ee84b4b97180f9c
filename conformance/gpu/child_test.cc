#include "conformance/gpu/child.h"

#include <gtest/gtest.h>

namespace tagflow::conformance {
namespace {

ChildEnd Shell(const std::string& script, const std::vector<std::string>& variables = {},
               int limit_s = 60) {
  const auto ended = RunChild({"/bin/sh", "-c", script}, variables, std::chrono::seconds(limit_s));
  EXPECT_TRUE(ended.ok()) << ended.status().ToString();
  return ended.ok() ? *ended : ChildEnd();
}

TEST(Child, SaysHowItEnded) {
  EXPECT_EQ(Shell("exit 0").why, "");
  EXPECT_EQ(Shell("exit 3").why, "exit code 3");
  EXPECT_EQ(Shell("kill -SEGV $$").why, "SIGSEGV");
  EXPECT_EQ(RunChild({"no/such"}, {}, std::chrono::seconds(1)).status().code(), Code::kNotFound);
}

TEST(Child, GivesAllItPrints) {
  EXPECT_EQ(Shell("echo out; echo err >&2").output, "out\nerr\n");
  EXPECT_EQ(Shell("echo \"[$HOME][$OWN]\"", {"HOME=", "OWN=1"}).output, "[][1]\n");
}

TEST(Child, IsKilledWhenItsTimeIsOver) {
  const ChildEnd ended = Shell("echo begun; exec tail -f /dev/null", {}, 1);
  EXPECT_EQ(ended.why, "hangs");
  EXPECT_EQ(ended.output, "begun\n");
}

}  // namespace
}  // namespace tagflow::conformance
