// What ops do that op scripts cannot say: what they print, that chance differs, and what would not
// end. On every engine.

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <sstream>
#include <utility>

#include "conformance/ops/op_runner.h"
#include "graph/tensor_list.h"

namespace tagflow::conformance {
namespace {

// The first output as text, the error, or nothing where there is no output.
std::string FirstText(OpRunner& runner, const std::string& op, const std::vector<Tensor>& inputs,
                      AttrMap attrs = {}) {
  std::vector<OpRunner::Value> values;
  for (const Tensor& input : inputs) values.push_back({input, nullptr});
  const auto outputs = runner.Run(op, std::move(values), std::move(attrs));
  if (!outputs.ok()) return outputs.status().ToString();
  return outputs->empty() ? "" : runner.Text(outputs->front());
}

class OpEffects : public testing::TestWithParam<OpEngine> {
 protected:
  std::unique_ptr<OpRunner> runner_ = GetParam().make();
};
INSTANTIATE_TEST_SUITE_P(, OpEffects,
                         testing::Values(ReferenceOps(), OptimizedOpsInPlace(),
                                         OptimizedOpsShared()),
                         [](const auto& info) { return info.param.name; });

TEST_P(OpEffects, AnInputIsWrittenOverInPlace) {
  std::vector<OpRunner::Value> inputs(1);
  inputs[0].tensor = Tensor::Vector<float>({1, 2, 3});
  const void* const data = inputs[0].tensor.raw_data();
  const auto outputs = runner_->Run("Neg", std::move(inputs), {});
  ASSERT_TRUE(outputs.ok());
  EXPECT_EQ(outputs->front().tensor.raw_data() == data, GetParam().name == "in_place");
}

TEST_P(OpEffects, PrintCountsAndSummarizes) {
  const AttrMap attrs = {{"message", "seen "}, {"first_n", 1}};
  const Tensor numbers = Tensor::Vector<int32_t>({1, 2, 3, 4});
  testing::internal::CaptureStderr();
  EXPECT_EQ(FirstText(*runner_, "Print", {Tensor::Scalar<int32_t>(5), numbers}, attrs),
            "int32[] 5");
  EXPECT_EQ(FirstText(*runner_, "Print", {Tensor::Scalar<int32_t>(6), numbers}, attrs),
            "int32[] 6");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "seen [1 2 3...]\n");
}

TEST_P(OpEffects, PrintV2KnowsItsStreams) {
  const auto print = [&](const std::string& stream) {
    return FirstText(*runner_, "PrintV2", {Tensor::Scalar(std::string("x"))},
                     {{"output_stream", stream}, {"end", "!"}});
  };
  const std::string path = testing::TempDir() + "/printed.txt";
  std::remove(path.c_str());
  testing::internal::CaptureStderr();
  testing::internal::CaptureStdout();
  for (const std::string& stream : {std::string("stderr"), std::string("stdout"),
                                    std::string("log(info)"), "file://" + path, "file://" + path}) {
    EXPECT_EQ(print(stream), "");
  }
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "x!");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "x!info: x!\n");
  std::stringstream file;
  file << std::ifstream(path).rdbuf();
  EXPECT_EQ(file.str(), "x!x!");
}

TEST_P(OpEffects, WithoutSeedsNoTwoStreamsAreAlike) {
  const Tensor shape = Tensor::Vector<int32_t>({2});
  const AttrMap attrs = {{"dtype", DType::kDouble}};
  EXPECT_NE(FirstText(*runner_, "RandomUniform", {shape}, attrs),
            FirstText(*GetParam().make(), "RandomUniform", {shape}, attrs));
}

Tensor ListHolding(const Tensor& element, int count) {
  TensorList list(DType::kVariant);
  for (int i = 0; i < count; ++i) list.Push(element);
  return TensorList::Wrap(std::move(list));
}

// A list that holds itself twice, and that again: 2^60 elements deep down. And one in a list in a
// list…. Made once, which takes seconds.
const std::vector<Tensor>& HugeNests() {
  static const auto* const nests = [] {
    Tensor wide = ListHolding(Tensor::Scalar(Variant()), 1);
    Tensor deep = wide;
    for (int i = 0; i < 60; ++i) wide = ListHolding(wide, 2);
    for (int i = 0; i < 100000; ++i) deep = ListHolding(deep, 1);
    return new std::vector<Tensor>{wide, deep};
  }();
  return *nests;
}

TEST(NestedLists, AreRefusedWhereTheyAreTooDeep) {
  for (const OpEngine& engine : {ReferenceOps(), OptimizedOpsShared()}) {
    const auto runner = engine.make();
    for (const Tensor& nested : HugeNests()) {
      EXPECT_TRUE(FirstText(*runner, "ZerosLike", {nested}).starts_with("RESOURCE_EXHAUSTED"));
      EXPECT_TRUE(FirstText(*runner, "AddN", {nested, nested}).starts_with("RESOURCE_EXHAUSTED"));
    }
  }
}

}  // namespace
}  // namespace tagflow::conformance
