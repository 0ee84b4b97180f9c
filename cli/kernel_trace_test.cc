#include "cli/kernel_trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "graph/test_graph.h"
#include "optimized/session.h"

namespace tagflow::cli {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

// i = 1; while i < n: i = i + 1 / by; in a frame with a quote in its name
constexpr char kLoop[] = R"(
  n = Placeholder() dtype=int32
  by = Placeholder() dtype=int32
  one = Const() dtype=int32 value=1
  e = Enter(one) T=int32 frame_name=a"b
  k = Enter(n) T=int32 frame_name=a"b is_constant=true
  d = Enter(by) T=int32 frame_name=a"b is_constant=true
  o = Enter(one) T=int32 frame_name=a"b is_constant=true
  m = Merge(e, next) T=int32
  less = Less(m, k) T=int32
  c = LoopCond(less)
  s = Switch(m, c) T=int32
  i = Identity(s:1) T=int32
  part = FloorDiv(o, d, ^i) T=int32
  body = AddV2(i, part) T=int32
  next = NextIteration(body) T=int32
  out = Exit(s:0) T=int32
)";

struct Traced {
  Status status;
  std::vector<std::string> writes;
  std::string text;
};

Traced RunTraced(int32_t n, int32_t by) {
  Traced traced;
  KernelTrace trace([&traced](std::string_view bytes) {
    traced.writes.emplace_back(bytes);
    return Status();
  });
  optimized::SessionOptions options;
  options.observer = &trace;
  const auto session =
      *optimized::Session::Create(TestGraph(kLoop, OpRegistry::Standard()).Take(), options);
  traced.status =
      session->Run({{"n", Tensor::Scalar(n)}, {"by", Tensor::Scalar(by)}}, {"out"}).status();
  EXPECT_TRUE(trace.Finish().ok());
  for (const std::string& bytes : traced.writes) traced.text += bytes;
  return traced;
}

TEST(KernelTraceTest, HasAnEventForEachKernelAndStep) {
  const Traced traced = RunTraced(3, 1);  // two trips
  ASSERT_TRUE(traced.status.ok()) << traced.status.ToString();
  EXPECT_THAT(traced.text, ContainsRegex("^\\{\"displayTimeUnit\":\"ns\",\"traceEvents\":\\[\n"));
  EXPECT_THAT(traced.text, HasSubstr("\"name\":\"part\",\"cat\":\"FloorDiv\",\"args\":{\"op\":"
                                     "\"FloorDiv\",\"tag\":\"a\\\"b[1]\"}}"));
  EXPECT_THAT(traced.text, Not(HasSubstr("\"name\":\"part\",\"cat\":\"FloorDiv\",\"args\":{\"op\":"
                                         "\"FloorDiv\",\"tag\":\"a\\\"b[2]\"}}")));
  EXPECT_THAT(traced.text, HasSubstr("\"name\":\"step\",\"cat\":\"step\",\"args\":{\"ok\":true}}"));
  EXPECT_THAT(traced.text, HasSubstr("\"thread_name\",\"args\":{\"name\":\"worker 0\"}}\n]}\n"));
}

TEST(KernelTraceTest, AKernelThatFailsSaysSo) {
  const Traced traced = RunTraced(4, 0);
  EXPECT_FALSE(traced.status.ok());
  EXPECT_THAT(traced.text, HasSubstr("\"tag\":\"a\\\"b[0]\",\"error\":\"INVALID_ARGUMENT\"}"));
  EXPECT_THAT(traced.text, HasSubstr("\"args\":{\"ok\":false,\"error\":\"INVALID_ARGUMENT\"}"));
}

TEST(KernelTraceTest, IsWrittenInBlocksAsItGrows) {
  constexpr size_t kBlockMax = 70'000;
  const Traced traced = RunTraced(3'000, 1);
  EXPECT_GT(traced.writes.size(), 5u);
  for (const std::string& bytes : traced.writes) EXPECT_LT(bytes.size(), kBlockMax);
}

TEST(KernelTraceTest, TheFirstErrorOfWritingIsKept) {
  int calls = 0;
  KernelTrace trace([&calls](std::string_view) {
    return ++calls == 1 ? ResourceExhausted("full") : Internal("not asked again");
  });
  EXPECT_EQ(trace.Finish().code(), Code::kResourceExhausted);
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace tagflow::cli
