#include "bench/engines.h"

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "optimized/executor_names.h"
#include "optimized/session.h"
#include "reference/session.h"

namespace tagflow::bench {
namespace {

// Those that nodes ask for, in the order of their names.
std::vector<std::string> DevicesOf(const Graph& graph) {
  std::set<std::string> devices;
  for (const NodeId id : graph.NodeIds()) devices.insert(graph.node(id).device);
  devices.erase("");
  return {devices.begin(), devices.end()};
}

Result<Step> PrepareOptimized(Program program, int threads, const optimized::ExecutorWay& way) {
  optimized::SessionOptions options;
  options.threads = threads;
  options.executor = way.executor;
  options.native = way.native;
  options.devices = DevicesOf(program.graph);
  auto session = optimized::Session::Create(std::move(program.graph), options);
  if (!session.ok()) return session.status();
  std::vector<std::string> names;
  std::vector<Tensor> values;
  for (auto& [name, value] : program.feeds) {
    names.push_back(name);
    values.push_back(std::move(value));
  }
  auto callable = (*session)->MakeCallable(names, program.fetches);
  if (!callable.ok()) return callable.status();
  const std::shared_ptr<optimized::Session> kept = *std::move(session);
  return Step([kept, run = *callable, values] { return run->Run(values); });
}

Result<Step> PrepareReference(Program program) {
  reference::SessionOptions options;
  options.devices = DevicesOf(program.graph);
  auto session = reference::Session::Create(std::move(program.graph), options);
  if (!session.ok()) return session.status();
  const std::shared_ptr<reference::Session> kept = *std::move(session);
  return Step([kept, feeds = std::move(program.feeds), fetches = std::move(program.fetches)] {
    return kept->Run(feeds, fetches);
  });
}

}  // namespace

Result<Step> Prepare(Program program, const EngineChoice& engine) {
  using optimized::ExecutorChoice;
  using optimized::NativeChoice;
  static const std::map<std::string, optimized::ExecutorWay> ways = {
      {"engine", {}},
      {"engine-fresh", {}},
      {"engine-interpreted", {.native = {NativeChoice::kOff}}},
      {"engine-native", {.native = {NativeChoice::kAlways}}},
      {"engine-straight", {ExecutorChoice::kStraight, {NativeChoice::kOff}}},
      {"engine-tokens", {ExecutorChoice::kTokens}}};
  if (const auto found = ways.find(engine.name); found != ways.end()) {
    return PrepareOptimized(std::move(program), engine.threads, found->second);
  }
  if (engine.name == "reference") return PrepareReference(std::move(program));
  return InvalidArgument("no engine is called '" + engine.name +
                         "': engine, engine-native, engine-interpreted, engine-fresh, "
                         "engine-straight, engine-tokens or reference");
}

std::vector<double> CheckValues(const std::vector<Tensor>& outputs) {
  std::vector<double> values;
  for (const Tensor& output : outputs) values.push_back(CheckValue(output));
  return values;
}

}  // namespace tagflow::bench
