#ifndef TAGFLOW_OPTIMIZED_NATIVE_TEST_PROGRAM_H_
#define TAGFLOW_OPTIMIZED_NATIVE_TEST_PROGRAM_H_

// Programs that tests of machine code run by it and interpreted.

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "graph/builder/builder.h"
#include "optimized/canceller.h"
#include "optimized/native/native_library.h"
#include "optimized/session.h"

namespace tagflow::optimized {

inline constexpr NativeOptions kInterpreted = {NativeChoice::kOff};

// A graph and a call of it.
struct Program {
  Program(const std::function<OutputList(const Scope&)>& make) {  // NOLINT: made of functions
    const Scope scope = Scope::Root();
    for (const Output& output : make(scope)) fetches.push_back(output.name());
    graph = *scope.Finish();
  }

  std::unique_ptr<Session> Open(const NativeOptions& native, int threads = 1) const {
    SessionOptions options;
    options.native = native;
    options.threads = threads;
    return *Session::Create(graph.Clone(), options);
  }

  Graph graph;
  std::vector<std::string> fetches;
};

// The same with every NaN as the same bits: processors choose their sign.
inline Tensor WithOneNan(const Tensor& value) {
  const auto replaced = [&]<typename T>(T nan) {
    Tensor copy = *value.Clone();
    for (T& element : copy.mutable_flat<T>()) element = std::isnan(element) ? nan : element;
    return copy;
  };
  if (value.dtype() == DType::kFloat) return replaced(std::numeric_limits<float>::quiet_NaN());
  if (value.dtype() == DType::kDouble) return replaced(std::numeric_limits<double>::quiet_NaN());
  return value;
}

// What a step gives, bit for bit: values, or the error with node and tag.
inline std::string Outcome(const Result<std::vector<Tensor>>& results) {
  if (!results.ok()) return results.status().ToString();
  std::string outcome;
  for (const Tensor& value : *results) {
    outcome += DTypeName(value.dtype()) + DimsString(value.dims());
    const Tensor bits = WithOneNan(value);
    outcome.append(static_cast<const char*>(bits.raw_data()), bits.byte_size());
  }
  return outcome;
}
inline std::string OutcomeOf(const Program& program, const NamedTensors& feeds,
                             const NativeOptions& native, const RunOptions& options = {}) {
  return Outcome(program.Open(native)->Run(feeds, program.fetches, {}, options));
}
inline std::string NotesOf(Session& session, const Program& program,
                           const std::vector<std::string>& feeds) {
  std::string notes;
  for (const std::string& note : (*session.MakeCallable(feeds, program.fetches))->Notes()) {
    notes += note + "\n";
  }
  return notes;
}

// The loops as they were compiled.
inline std::string ListingOf(const Program& program, const NamedTensors& feeds) {
  const std::unique_ptr<Session> session =
      program.Open({NativeChoice::kAlways, 0, /*lists_loops=*/true});
  (void)session->Run(feeds, program.fetches);
  std::vector<std::string> names;
  for (const auto& [name, value] : feeds) names.push_back(name);
  return NotesOf(*session, program, names);
}

inline Tensor Int(int32_t value) { return Tensor::Scalar<int32_t>(value); }
// An int32 that is fed.
inline Output FedInt(const Scope& scope, const char* name) {
  return Placeholder(scope.WithOpName(name), DType::kInt32, Dims{});
}

// for i in [0, n): values = body(i, values); the values behind the loop.
inline std::vector<Output> ForEach(
    const Scope& scope, const Output& n, std::vector<Output> values,
    const std::function<OutputList(const Scope&, const Output& i, const std::vector<Output>&)>&
        body) {
  values.insert(values.begin(), Const(scope, 0));
  const OutputList last = WhileLoop(
      scope, values, [&](const Scope& s, const OutputList& v) { return Less(s, v[0], n); },
      [&](const Scope& s, const OutputList& v) -> OutputList {
        const OutputList changed = body(s, v[0], {v.begin() + 1, v.end()});
        std::vector<Output> next(changed.begin(), changed.end());
        next.insert(next.begin(), Add(s, v[0], 1));
        return next;
      },
      {.back_prop = false});
  return {last.begin() + 1, last.end()};
}

class NativeTest : public testing::Test {
 protected:
  void SetUp() override {
    if (NativeLibrary::Get() == nullptr) GTEST_SKIP() << NativeLibrary::WhyNot();
  }
  // The same by machine code, from some iteration on, as interpreted.
  static void ExpectSame(const Program& program, const NamedTensors& feeds) {
    const std::string expected = OutcomeOf(program, feeds, kInterpreted);
    for (const int64_t after : {0, 1, 2, 7}) {
      EXPECT_EQ(OutcomeOf(program, feeds, {NativeChoice::kAlways, after}), expected) << after;
    }
  }
  // The same with each limit of firings below `most`.
  static void ExpectSameLimits(const Program& program, const NamedTensors& feeds, int64_t most) {
    for (int64_t limit = 1; limit < most; ++limit) {
      RunOptions options;
      options.max_firings = limit;
      for (const int64_t after : {0, 1}) {
        ASSERT_EQ(OutcomeOf(program, feeds, {NativeChoice::kAlways, after}, options),
                  OutcomeOf(program, feeds, kInterpreted, options))
            << limit;
      }
    }
  }
  // A step that never ends by itself is cancelled from another thread.
  static void ExpectCancelled(Session& session, const Program& program) {
    Canceller canceller;
    std::thread other([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      canceller.Cancel();
    });
    RunOptions options;
    options.canceller = &canceller;
    const auto results = session.Run({}, program.fetches, {}, options);
    other.join();
    ASSERT_FALSE(results.ok());
    EXPECT_EQ(results.status().code(), tagflow::Code::kCancelled) << results.status().ToString();
  }
  static void ExpectCompiled(const Program& program, const NamedTensors& feeds) {
    const std::unique_ptr<Session> session = program.Open({NativeChoice::kAlways});
    (void)session->Run(feeds, program.fetches);
    std::vector<std::string> names;
    for (const auto& [name, value] : feeds) names.push_back(name);
    EXPECT_NE(NotesOf(*session, program, names).find("machine code, compiled in"),
              std::string::npos)
        << NotesOf(*session, program, names);
  }
};

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_NATIVE_TEST_PROGRAM_H_
