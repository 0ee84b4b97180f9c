// No failed allocation ends the process: whichever one it is, on whichever thread, the public call
// that it belongs to gives RESOURCE_EXHAUSTED, or succeeds with the right values, and a session can
// be used afterwards.
//
// Five small graphs are taken through the public calls. In each call allocation number 1 fails,
// then 2, and so on until a call needs no more: once that one alone, once all after it too.

#include <gtest/gtest.h>

#include <cstdio>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "graph/io/export.h"
#include "graph/io/import.h"
#include "graph/literal.h"
#include "optimized/session.h"
#include "reference/session.h"
#include "tools/allocations/failing_new.h"
#include "transform/gradients/gradients.h"

namespace tagflow::allocations {
namespace {

// A call of a graph of examples/, small enough that each of its allocations can fail in turn.
struct Call {
  std::string example;
  std::vector<std::pair<std::string, std::string>> feeds;  // as on a command line
  std::vector<std::string> fetches;
};

const std::vector<Call>& Calls() {
  static const std::vector<Call> calls = {
      {"newton", {{"a", "double:[2, 9]"}}, {"root"}},
      {"fizzbuzz", {{"n", "int32:3"}}, {"line"}},
      {"collatz", {{"n", "int32:3"}}, {"best", "start"}},
      {"gradient", {{"x", "float:1.5"}, {"n", "int32:2"}, {"rising", "true"}}, {"y", "dy"}},
      {"captures", {{"scale", "float:2"}, {"rows", "int32:2"}}, {"total"}},
  };
  return calls;
}

struct Example {
  Graph graph;
  std::vector<std::pair<std::string, Tensor>> feeds;
  std::vector<std::string> fetches;
};

Result<Example> ReadExample(const Call& call) {
  Example example;
  TAGFLOW_ASSIGN_OR_RETURN(example.graph,
                           ReadGraphFile("examples/" + call.example + "/graph.pbtxt"));
  for (const auto& [name, text] : call.feeds) {
    TAGFLOW_ASSIGN_OR_RETURN(Tensor value, ParseLiteral(text, std::nullopt));
    example.feeds.emplace_back(name, std::move(value));
  }
  example.fetches = call.fetches;
  return example;
}

Result<Graph> Copy(const Graph& graph) {
  TAGFLOW_ASSIGN_OR_RETURN(const std::string bytes, ExportGraphToBytes(graph));
  return ImportGraphFromBytes(bytes);
}

using Values = std::vector<Tensor>;

bool Equal(const Values& a, const Values& b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (!BitwiseEqual(a[i], b[i])) return false;
  }
  return true;
}

// Counts of what one call did under failing allocations.
struct Tally {
  int64_t places = 0;     // allocations that failed first
  int64_t refused = 0;    // RESOURCE_EXHAUSTED
  int64_t succeeded = 0;  // all the same: something kept for later was not kept
};

// Lets the k-th allocation of `call` fail, for each k from 1 on, until there is no k-th.
Tally FailEach(const std::function<Result<Values>()>& call, const Values& expected,
               bool all_after) {
  Tally tally;
  for (int64_t k = 1;; ++k) {
    Result<Values> values = Internal("not called");
    int64_t failed = 0;
    {
      const FailingNew failing(k, all_after);
      values = call();
      failed = failing.failed();
    }
    if (failed == 0) return tally;
    ++tally.places;
    if (values.ok()) {
      ++tally.succeeded;
      EXPECT_TRUE(Equal(*values, expected)) << "another value, when allocation " << k << " fails";
    } else {
      ++tally.refused;
      EXPECT_EQ(values.status().code(), Code::kResourceExhausted)
          << "allocation " << k << ": " << values.status().ToString();
    }
    const Result<Values> after = call();
    EXPECT_TRUE(after.ok()) << "after allocation " << k << ": " << after.status().ToString();
    EXPECT_TRUE(!after.ok() || Equal(*after, expected)) << "after allocation " << k;
    if (testing::Test::HasFailure()) return tally;
  }
}

class AllocationsTest : public testing::TestWithParam<Call> {
 protected:
  void SetUp() override {
    Result<Example> read = ReadExample(GetParam());
    ASSERT_TRUE(read.ok()) << read.status().ToString();
    example_ = *std::move(read);
  }

  void Check(const std::string& what, const std::function<Result<Values>()>& call) {
    const Result<Values> expected = call();
    ASSERT_TRUE(expected.ok()) << what << ": " << expected.status().ToString();
    for (const bool all_after : {false, true}) {
      const Tally tally = FailEach(call, *expected, all_after);
      std::printf("%-12s %-22s %-10s %7lld places, %lld refused, %lld succeeded\n",
                  GetParam().example.c_str(), what.c_str(), all_after ? "all after" : "one",
                  static_cast<long long>(tally.places), static_cast<long long>(tally.refused),
                  static_cast<long long>(tally.succeeded));
    }
  }

  // Runs in a session that stays.
  void CheckRuns(const std::string& what, const optimized::SessionOptions& options) {
    Result<Graph> graph = Copy(example_.graph);
    ASSERT_TRUE(graph.ok());
    const auto session = optimized::Session::Create(*std::move(graph), options);
    ASSERT_TRUE(session.ok()) << session.status().ToString();
    Check(what, [&] { return (*session)->Run(example_.feeds, example_.fetches); });
  }

  Example example_;
};

TEST_P(AllocationsTest, Import) {
  const auto import = [](const std::string& bytes) -> Result<Values> {
    TAGFLOW_ASSIGN_OR_RETURN(const Graph graph, ImportGraphFromBytes(bytes));
    const Sparing sparing;
    return Values{Tensor::Scalar(static_cast<int64_t>(graph.NodeIds().size()))};
  };
  const Result<std::string> binary = ExportGraphToBytes(example_.graph);
  ASSERT_TRUE(binary.ok());
  Check("import", [&] { return import(*binary); });
}

TEST_P(AllocationsTest, Export) {
  Check("export", [&]() -> Result<Values> {
    TAGFLOW_ASSIGN_OR_RETURN(std::string bytes, ExportGraphToBytes(example_.graph));
    const Sparing sparing;
    return Values{Tensor::Scalar(std::move(bytes))};
  });
}

TEST_P(AllocationsTest, Reference) {
  Result<Graph> graph = Copy(example_.graph);
  ASSERT_TRUE(graph.ok());
  const auto session = reference::Session::Create(*std::move(graph));
  ASSERT_TRUE(session.ok());
  Check("reference", [&] { return (*session)->Run(example_.feeds, example_.fetches); });
}

TEST_P(AllocationsTest, Straight) { CheckRuns("straight", {}); }

TEST_P(AllocationsTest, Tokens) {
  optimized::SessionOptions options;
  options.executor = optimized::ExecutorChoice::kTokens;
  CheckRuns("tokens", options);
}

TEST_P(AllocationsTest, TokensOfTwoThreads) {
  optimized::SessionOptions options;
  options.threads = 2;
  options.executor = optimized::ExecutorChoice::kSharedTokens;
  CheckRuns("tokens, 2 threads", options);
}

TEST_P(AllocationsTest, Devices) {
  optimized::SessionOptions options;
  options.devices = {"/device:SIM:0"};
  CheckRuns("simulated device", options);
}

// A session and its plan made anew for each run.
TEST_P(AllocationsTest, Planning) {
  for (const bool simplifies : {false, true}) {
    optimized::SessionOptions options;
    options.threads = 2;
    if (simplifies) options.passes = Passes::All();
    options.simplify_if_worthwhile = false;
    std::vector<std::string> feeds;
    for (const auto& [name, value] : example_.feeds) feeds.push_back(name);
    Check(simplifies ? "plan, simplified" : "plan", [&]() -> Result<Values> {
      TAGFLOW_ASSIGN_OR_RETURN(Graph graph, Copy(example_.graph));
      TAGFLOW_ASSIGN_OR_RETURN(const auto session,
                               optimized::Session::Create(std::move(graph), options));
      TAGFLOW_ASSIGN_OR_RETURN(const auto* callable,
                               session->MakeCallable(feeds, example_.fetches));
      const Sparing sparing;
      return Values{Tensor::Scalar(callable != nullptr)};
    });
  }
}

TEST_P(AllocationsTest, Gradient) {
  if (GetParam().example != "newton") GTEST_SKIP() << "one graph whose fetch is by a float";
  Check("gradient", [&]() -> Result<Values> {
    TAGFLOW_ASSIGN_OR_RETURN(Graph graph, Copy(example_.graph));
    TAGFLOW_ASSIGN_OR_RETURN(const Scope scope, Scope::Open(std::move(graph)));
    TAGFLOW_ASSIGN_OR_RETURN(const Output y, scope.Find("root"));
    TAGFLOW_ASSIGN_OR_RETURN(const Output x, scope.Find("a"));
    std::optional<Sparing> sparing(std::in_place);
    const OutputList ys(y);
    const OutputList xs(x);
    sparing.reset();
    TAGFLOW_ASSIGN_OR_RETURN(const OutputList gradient, Gradients(scope, ys, xs));
    sparing.emplace();
    return Values{Tensor::Scalar(gradient[0].name())};
  });
}

INSTANTIATE_TEST_SUITE_P(Examples, AllocationsTest, testing::ValuesIn(Calls()),
                         [](const auto& info) { return info.param.example; });

}  // namespace
}  // namespace tagflow::allocations
