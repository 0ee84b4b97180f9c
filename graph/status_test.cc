#include "graph/status.h"

#include <gtest/gtest.h>

#include <memory>

namespace tagflow {
namespace {

TEST(StatusTest, OkHasNothingToSay) {
  const Status ok;
  EXPECT_TRUE(ok.ok());
  EXPECT_EQ(ok.code(), Code::kOk);
  EXPECT_EQ(ok.message(), "");
  EXPECT_EQ(ok.ToString(), "OK");
  EXPECT_TRUE(ok.WithNode("n").WithTag("f[0]").ok());
  EXPECT_TRUE(Status(Code::kOk, "ignored").ok());
}

TEST(StatusTest, IsOnePointer) { EXPECT_EQ(sizeof(Status), sizeof(void*)); }

TEST(StatusTest, CarriesWhereItHappened) {
  const Status status =
      InvalidArgument("bad").WithNode("n").WithTag("f[3]").WithRule("merge.3").WithDevice("d");
  EXPECT_EQ(status.code(), Code::kInvalidArgument);
  EXPECT_EQ(status.message(), "bad");
  EXPECT_EQ(status.node(), "n");
  EXPECT_EQ(status.tag(), "f[3]");
  EXPECT_EQ(status.rule(), "merge.3");
  EXPECT_EQ(status.device(), "d");
  EXPECT_EQ(status.ToString(), "INVALID_ARGUMENT: bad [node n, tag f[3], device d, rule merge.3]");
}

TEST(StatusTest, TheInnermostPlaceWins) {
  const Status status = NotFound("x").WithNode("inner").WithNode("outer");
  EXPECT_EQ(status.node(), "inner");
}

TEST(StatusTest, WithDoesNotChangeOtherCopies) {
  const Status plain = Internal("x");
  const Status copy = plain;
  const Status placed = copy.WithNode("n");
  EXPECT_EQ(plain.node(), "");
  EXPECT_EQ(placed.node(), "n");
}

TEST(StatusTest, AssignmentAndMove) {
  Status a = NotFound("a");
  Status b = Internal("b");
  a = b;
  EXPECT_EQ(a.message(), "b");
  const Status& same = a;
  a = same;
  EXPECT_EQ(a.message(), "b");
  const Status moved = std::move(b);
  EXPECT_EQ(moved.message(), "b");
  a = Status();
  EXPECT_TRUE(a.ok());
}

TEST(StatusTest, EachCodeHasItsNameAndMaker) {
  for (int code = 0; code <= 16; ++code) {
    const std::string_view name = CodeName(static_cast<Code>(code));
    EXPECT_EQ(CodeFromName(name), static_cast<Code>(code)) << name;
  }
  EXPECT_EQ(CodeFromName("NO_SUCH_CODE"), std::nullopt);
  EXPECT_EQ(InvalidArgument("").code(), Code::kInvalidArgument);
  EXPECT_EQ(NotFound("").code(), Code::kNotFound);
  EXPECT_EQ(AlreadyExists("").code(), Code::kAlreadyExists);
  EXPECT_EQ(FailedPrecondition("").code(), Code::kFailedPrecondition);
  EXPECT_EQ(OutOfRange("").code(), Code::kOutOfRange);
  EXPECT_EQ(Unimplemented("").code(), Code::kUnimplemented);
  EXPECT_EQ(Internal("").code(), Code::kInternal);
  EXPECT_EQ(ResourceExhausted("").code(), Code::kResourceExhausted);
  EXPECT_EQ(Cancelled("").code(), Code::kCancelled);
  EXPECT_EQ(DeadlineExceeded("").code(), Code::kDeadlineExceeded);
  EXPECT_EQ(DataLoss("").code(), Code::kDataLoss);
}

Result<int> Half(int x) {
  if (x % 2 != 0) return InvalidArgument("odd");
  return x / 2;
}

Result<int> Quarter(int x) {
  TAGFLOW_ASSIGN_OR_RETURN(const int half, Half(x));
  TAGFLOW_ASSIGN_OR_RETURN(const int quarter, Half(half));
  return quarter;
}

Status IsEven(int x) {
  TAGFLOW_RETURN_IF_ERROR(Half(x).status());
  return Status();
}

TEST(ResultTest, AValueOrAnError) {
  EXPECT_EQ(*Quarter(12), 3);
  EXPECT_EQ(Quarter(6).status().message(), "odd");
  EXPECT_FALSE(Quarter(6).ok());
  EXPECT_TRUE(Quarter(12).status().ok());
  EXPECT_TRUE(IsEven(2).ok());
  EXPECT_FALSE(IsEven(3).ok());
}

TEST(ResultTest, HoldsWhatOnlyMoves) {
  Result<std::unique_ptr<int>> result = std::make_unique<int>(7);
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(**result, 7);
  const std::unique_ptr<int> moved = *std::move(result);
  EXPECT_EQ(*moved, 7);
}

TEST(CheckTest, SaysWhatFailed) {
  TAGFLOW_CHECK(1 + 1 == 2);
  EXPECT_DEATH(TAGFLOW_CHECK(1 + 1 == 3), "check failed: 1 \\+ 1 == 3");
}

}  // namespace
}  // namespace tagflow
