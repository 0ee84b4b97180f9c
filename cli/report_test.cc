#include "cli/report.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>

#include "cli/outputs.h"
#include "conformance/command/json.h"

namespace tagflow::cli {
namespace {

TEST(ReportTest, TensorsAsJson) {
  EXPECT_EQ(TensorJson(Tensor::Scalar(1.5f)), R"({"dtype":"float","shape":[],"value":1.5})");
  EXPECT_EQ(TensorJson(Tensor::Of<int32_t>(Dims{2, 2}, std::vector<int32_t>{1, 2, 3, 4})),
            R"({"dtype":"int32","shape":[2,2],"value":[[1,2],[3,4]]})");
  EXPECT_EQ(TensorJson(Tensor::Vector<double>({NAN, -INFINITY, 0.1})),
            R"({"dtype":"double","shape":[3],"value":["NaN","-Infinity",0.1]})");
  EXPECT_EQ(TensorJson(Tensor::Scalar(std::complex<float>(1, -2))),
            R"({"dtype":"complex64","shape":[],"value":[1,-2]})");
  EXPECT_EQ(TensorJson(Tensor::Scalar(true)), R"({"dtype":"bool","shape":[],"value":true})");
  EXPECT_EQ(TensorJson(Tensor::Scalar(int8_t{-3})), R"({"dtype":"int8","shape":[],"value":-3})");
  EXPECT_EQ(TensorJson(Tensor::Vector<std::string>({"a\n\"", "\xff"})),
            R"({"dtype":"string","shape":[2],"value":["a\u000a\"",{"hex":"ff"}]})");
  EXPECT_EQ(TensorJson(*Tensor::Allocate(DType::kFloat, Dims{int64_t{1} << 40, 0})),
            R"({"dtype":"float","shape":[1099511627776,0],"value":[]})");
}

TEST(ReportTest, ErrorsNameThePlace) {
  const Status status = InvalidArgument("bad").WithNode("n").WithTag("f[3]").WithRule("merge.3");
  EXPECT_EQ(ErrorText(status),
            "error: INVALID_ARGUMENT: bad\n  node:   n\n  tag:    f[3]\n"
            "  rule:   merge.3 (docs/semantics.md)\n");
  EXPECT_EQ(
      ErrorJson(status),
      R"({"code":"INVALID_ARGUMENT","message":"bad","node":"n","tag":"f[3]","rule":"merge.3"})");
  EXPECT_EQ(ErrorText(NotFound("x")), "error: NOT_FOUND: x\n");
}

TEST(OutputsTest, FileNamesDiffer) {
  EXPECT_EQ(
      FileNames({"a/b:1", "a_b:1", "x", "x:0", "x_2"}),
      (std::vector<std::string>{"a_b_1.npy", "a_b_1_2.npy", "x.npy", "x_2.npy", "x_2_2.npy"}));
}

}  // namespace
}  // namespace tagflow::cli
