#include "conformance/gpu/suite_children.h"

#include <gtest/gtest.h>

namespace tagflow::conformance {
namespace {

SuiteChild Shell(const std::string& script, int limit_s = 60) {
  return {"of '" + script + "'", {"/bin/sh", "-c", script}, std::chrono::seconds(limit_s)};
}

TEST(SuiteChildren, AllAreRunHoweverOneEnds) {
  testing::internal::CaptureStdout();
  const bool is_good = RunSuites({Shell("echo PASS one"),
                                  Shell("echo FAIL two; exit 1"),
                                  Shell("echo begun; kill -SEGV $$"),
                                  Shell("exit 3"),
                                  Shell("exec tail -f /dev/null", 1),
                                  {"gone", {"no/such"}, std::chrono::seconds(1)},
                                  Shell("echo PASS last")});
  EXPECT_EQ(testing::internal::GetCapturedStdout(),
            "PASS one\n"
            "FAIL two\n"
            "begun\nFAIL\tof 'echo begun; kill -SEGV $$'\tSIGSEGV\n"
            "FAIL\tof 'exit 3'\texit code 3\n"
            "FAIL\tof 'exec tail -f /dev/null'\thangs\n"
            "FAIL\tgone\tNOT_FOUND: cannot start 'no/such': No such file or directory\n"
            "PASS last\n");
  EXPECT_FALSE(is_good);
}

TEST(SuiteChildren, AreGoodWhereAllAre) {
  testing::internal::CaptureStdout();
  EXPECT_TRUE(RunSuites({Shell("true"), Shell("exit 0")}));
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
}

}  // namespace
}  // namespace tagflow::conformance
