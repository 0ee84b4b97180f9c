#ifndef TAGFLOW_OPTIMIZED_NATIVE_TEST_PROGRAM_H_
#define TAGFLOW_OPTIMIZED_NATIVE_TEST_PROGRAM_H_

// Programs that tests of machine code run by it and interpreted.

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "graph/builder/builder.h"
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

  std::unique_ptr<Session> Open(const NativeOptions& native) const {
    SessionOptions options;
    options.native = native;
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
