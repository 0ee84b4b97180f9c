#ifndef TAGFLOW_CONFORMANCE_BUILDER_BUILDER_RUN_H_
#define TAGFLOW_CONFORMANCE_BUILDER_BUILDER_RUN_H_

// Running what the builder has built: one fresh session per order of nodes.

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "graph/builder/builder.h"
#include "graph/validate.h"
#include "reference/session.h"

namespace tagflow {

using Feeds = std::vector<std::pair<Output, Tensor>>;

// The values of `fetches` after one step, on every one of a few orders of ready nodes: the program
// must be free of races, so they all agree. A fresh session for each. Variables are initialized by
// running `init` first.
inline std::vector<Tensor> Fetch(const Scope& scope, const std::vector<Output>& fetches,
                                 const Feeds& feeds = {},
                                 const std::vector<Operation>& targets = {},
                                 const std::vector<Operation>& init = {}) {
  std::vector<Tensor> first;
  for (uint64_t seed = 0; seed < 6; ++seed) {
    Result<Graph> graph = scope.Finish();
    EXPECT_TRUE(graph.ok()) << graph.status().ToString();
    if (!graph.ok()) break;
    for (const Status& error : ValidateGraph(*graph)) ADD_FAILURE() << error.ToString();
    auto session = reference::Session::Create(*std::move(graph));
    EXPECT_TRUE(session.ok()) << session.status().ToString();
    if (!session.ok()) break;
    auto names = [](const auto& things) {
      std::vector<std::string> names;
      for (const auto& thing : things) names.push_back(thing.name());
      return names;
    };
    reference::NamedTensors named;
    for (const auto& [output, value] : feeds) named.emplace_back(output.name(), value);
    reference::RunOptions options;
    options.max_firings = 1000000;
    options.seed = seed;
    if (!init.empty()) {
      const auto ready = (*session)->Run({}, {}, names(init));
      EXPECT_TRUE(ready.ok()) << ready.status().ToString();
    }
    const auto values = (*session)->Run(named, names(fetches), names(targets), options);
    EXPECT_TRUE(values.ok()) << values.status().ToString();
    if (!values.ok()) break;
    if (seed == 0) first = *values;
    for (size_t i = 0; i < first.size(); ++i) {
      EXPECT_TRUE(BitwiseEqual(first[i], (*values)[i]))
          << "seed " << seed << ", " << fetches[i].name() << ": " << first[i].DebugString()
          << " and " << (*values)[i].DebugString();
    }
  }
  first.resize(fetches.size());  // after a failure: empty tensors
  return first;
}

template <typename T>
std::vector<T> Elements(const Tensor& tensor) {
  if (tensor.dtype() != DTypeOf<T>::value) {
    ADD_FAILURE() << "the dtype is " << DTypeName(tensor.dtype());
    return {};
  }
  const auto flat = tensor.flat<T>();
  return std::vector<T>(flat.begin(), flat.end());
}

template <typename T>
T Only(const Tensor& tensor) {
  const std::vector<T> elements = Elements<T>(tensor);
  EXPECT_EQ(elements.size(), 1u);
  return elements.size() == 1 ? elements[0] : T();
}

// The one element of `output`.
template <typename T>
T Value(const Scope& scope, const Output& output, const Feeds& feeds = {}) {
  return Only<T>(Fetch(scope, {output}, feeds)[0]);
}

template <typename T>
std::vector<T> Values(const Scope& scope, const Output& output, const Feeds& feeds = {}) {
  return Elements<T>(Fetch(scope, {output}, feeds)[0]);
}

// The error of one step.
inline Status RunError(const Scope& scope, const std::vector<Output>& fetches,
                       const Feeds& feeds = {}) {
  Result<Graph> graph = scope.Finish();
  if (!graph.ok()) return graph.status();
  auto session = reference::Session::Create(*std::move(graph));
  if (!session.ok()) return session.status();
  reference::NamedTensors named;
  for (const auto& [output, value] : feeds) named.emplace_back(output.name(), value);
  std::vector<std::string> names;
  for (const Output& fetch : fetches) names.push_back(fetch.name());
  reference::RunOptions options;
  options.max_firings = 1000000;
  return (*session)->Run(named, names, {}, options).status();
}

}  // namespace tagflow

#endif  // TAGFLOW_CONFORMANCE_BUILDER_BUILDER_RUN_H_
