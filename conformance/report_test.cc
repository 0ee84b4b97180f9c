#include "conformance/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tagflow::conformance {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::vector<CaseResult> Results() {
  std::vector<CaseResult> results(4);
  results[0].name = "good";
  results[1].name = "bad";
  results[1].verdict = Verdict::kFail;
  results[1].why = "1 < 2 &\t\"so\"\non";
  results[2].name = "known";
  results[2].verdict = Verdict::kCrash;
  results[2].why = "died";
  results[2].expected = "an old bug";
  results[3].name = "lacking";
  results[3].verdict = Verdict::kUnsupported;
  results[3].why = "no op";
  return results;
}

TEST(Report, SummaryCountsEachKindOnce) {
  EXPECT_EQ(Summary(Count(Results())),
            "4 cases: 1 passed, 1 failed, 1 unsupported, 1 failed as expected");
}

TEST(Report, TsvHasOneLinePerCase) {
  EXPECT_EQ(Tsv(Results()),
            "good\tPASS\t\n"
            "bad\tFAIL\t1 < 2 & \"so\" on\n"
            "known\tCRASH\texpected (an old bug): died\n"
            "lacking\tUNSUPPORTED\tno op\n");
}

TEST(Report, JunitEscapesAndCounts) {
  const std::string xml = JunitXml(Results(), "reference");
  EXPECT_THAT(xml, HasSubstr("tests=\"4\" failures=\"1\" errors=\"0\" skipped=\"2\""));
  EXPECT_THAT(xml, HasSubstr("1 &lt; 2 &amp;"));
  EXPECT_THAT(xml, Not(HasSubstr("1 < 2")));
}

TEST(Report, HtmlShowsBadCasesFirst) {
  const std::string html = Html(Results(), "a<b");
  EXPECT_THAT(html, HasSubstr("a&lt;b"));
  EXPECT_LT(html.find("<b>bad</b>"), html.find("<b>good</b>"));
}

TEST(Report, AFileThatCannotBeWrittenIsNamed) {
  EXPECT_THAT(WriteFile("no/such/folder/x.tsv", "").message(), HasSubstr("no/such/folder/x.tsv"));
}

}  // namespace
}  // namespace tagflow::conformance
