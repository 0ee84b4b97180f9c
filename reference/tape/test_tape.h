#ifndef TAGFLOW_REFERENCE_TAPE_TEST_TAPE_H_
#define TAGFLOW_REFERENCE_TAPE_TEST_TAPE_H_

// Graphs in doubles, and what the tape says of them.

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "graph/builder/builder.h"
#include "reference/tape/tape.h"

namespace tagflow::reference {

inline constexpr DType kDouble = DType::kDouble;

inline Output DoubleInput(const Scope& scope, const char* name, Dims dims = {}) {
  return Placeholder(scope.WithOpName(name), kDouble, PartialShape(std::move(dims)));
}

inline std::unique_ptr<Session> MakeSession(Scope& scope) {
  Result<Graph> graph = scope.Finish();
  EXPECT_TRUE(graph.ok()) << graph.status().ToString();
  return *Session::Create(graph.ok() ? *std::move(graph) : Graph());
}

// The gradients of y (element sums) by each feed.
inline std::vector<TapeGradient> Gradients(Session& session, const Output& y, NamedTensors feeds) {
  GradientCall call;
  call.feeds = std::move(feeds);
  call.ys = {y.name()};
  for (const auto& [name, value] : call.feeds) call.xs.push_back(name);
  Result<GradientRun> run = GradientsOfRun(session, call);
  EXPECT_TRUE(run.ok()) << run.status().ToString();
  return run.ok() ? std::move(run->gradients) : std::vector<TapeGradient>(call.xs.size());
}

inline double Number(const TapeGradient& gradient) {
  return gradient.gradient.has_value() ? gradient.gradient.scalar<double>() : std::nan("");
}

inline std::vector<double> Numbers(const TapeGradient& gradient) {
  return ToDoubles(gradient.gradient);
}

}  // namespace tagflow::reference

#endif  // TAGFLOW_REFERENCE_TAPE_TEST_TAPE_H_
