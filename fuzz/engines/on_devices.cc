#include "fuzz/engines/on_devices.h"

#include <algorithm>
#include <iterator>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "fuzz/engines/optimized_engine.h"
#include "optimized/devices/kinds.h"
#include "optimized/devices/sim/sim_devices.h"

namespace tagflow::fuzz {
namespace {

// Control loops, Sends and Recvs fire too, on each device.
constexpr int64_t kMoreFirings = 10;
constexpr int64_t kPlentyBytes = int64_t{1} << 26;
constexpr double kSwapAbove = 1e-6;  // of plenty

using Memory = DeviceWay::Memory;

std::unique_ptr<OptimizedSession> Wrapped(std::unique_ptr<optimized::Session> session,
                                          const DeviceWay& way) {
  OptimizedSession::Options options;
  options.schedule = way.schedule;
  options.more_firings = kMoreFirings;
  options.meets_outside = way.meets_outside;
  return std::make_unique<OptimizedSession>(std::move(session), options);
}

optimized::DeviceKinds WithSim(const optimized::SimOptions& sim) {
  return optimized::WithKind(optimized::StandardDeviceKinds(), optimized::SimDevices(sim));
}

// Finds out at the first run how much memory is just enough.
class JustEnoughSession : public EngineSession {
 public:
  JustEnoughSession(Graph graph, const DeviceWay& way, const optimized::SessionOptions& options,
                    const optimized::SimOptions& sim)
      : graph_(std::move(graph)), way_(way), options_(options), sim_(sim) {}

  Result<std::vector<Tensor>> Run(const reference::NamedTensors& feeds,
                                  const std::vector<std::string>& fetches,
                                  const std::vector<std::string>& targets,
                                  const reference::RunOptions& asked) override {
    if (session_ == nullptr) {
      TAGFLOW_ASSIGN_OR_RETURN(const auto without_limit, Open());
      optimized::DeviceReport report;
      (void)without_limit->RunAndReport(feeds, fetches, targets, asked, &report);
      int64_t& enough = sim_.memory_bytes = 1;
      for (const optimized::DeviceStats& device : report.devices) {
        enough = std::max(enough, device.memory.bytes_resident_max);
      }
      TAGFLOW_ASSIGN_OR_RETURN(session_, Open());
    }
    return session_->Run(feeds, fetches, targets, asked);
  }
  const Graph& graph() const override { return graph_; }

 private:
  Result<std::unique_ptr<OptimizedSession>> Open() {
    options_.device_kinds = WithSim(sim_);
    TAGFLOW_ASSIGN_OR_RETURN(auto session, optimized::Session::Create(graph_.Clone(), options_));
    return Wrapped(std::move(session), way_);
  }

  const Graph graph_;
  const DeviceWay way_;
  optimized::SessionOptions options_;
  optimized::SimOptions sim_;
  std::unique_ptr<OptimizedSession> session_;
};

// The engine's names for the placement's devices.
class Names {
 public:
  Names(const Placement& placement, bool has_accelerators)
      : devices_(placement.devices), has_accelerators_(has_accelerators) {}
  std::string Of(const std::string& device) const {
    const auto index = static_cast<size_t>(std::ranges::find(devices_, device) - devices_.begin());
    const bool is_accelerator = has_accelerators_ && index % 2 == 1 && index < devices_.size();
    return is_accelerator ? "/device:SIM:" + std::to_string(index) : device;
  }

 private:
  const std::vector<std::string>& devices_;
  const bool has_accelerators_;
};

}  // namespace

DeviceWay::DeviceWay(uint64_t seed) {
  static constexpr Memory kMemories[] = {Memory::kAny,    Memory::kAny,        Memory::kPlenty,
                                         Memory::kPlenty, Memory::kJustEnough, Memory::kLittle,
                                         Memory::kLittle, Memory::kLittle};
  static constexpr int64_t kLittleBytes[] = {4096, 1024, 256};
  std::mt19937_64 random(seed);
  const auto chance = [&](uint64_t percent) { return random() % 100 < percent; };
  if (chance(50)) schedule = random();
  has_accelerators = chance(50);
  memory = kMemories[random() % std::size(kMemories)];
  if (memory == Memory::kPlenty) memory_bytes = kPlentyBytes;
  if (memory == Memory::kLittle) memory_bytes = kLittleBytes[random() % std::size(kLittleBytes)];
  receives_at_once = chance(50);
  meets_outside = chance(40);
  is_by_cost = chance(25);
  is_as_it_is = chance(50);
}

bool DeviceWay::MayLackMemory(size_t run) const {
  return memory == Memory::kLittle || (memory == Memory::kJustEnough && run > 0);
}

Result<std::unique_ptr<EngineSession>> OpenOnDevices(Graph graph, const Placement& placement,
                                                     uint64_t seed,
                                                     const optimized::SessionOptions& given) {
  const DeviceWay way(seed);
  const Names names(placement, way.has_accelerators);
  std::mt19937_64 random(~seed);
  for (const NodeId id : graph.NodeIds()) {
    const bool asks = !way.is_by_cost || random() % 2 == 0;
    graph.mutable_node(id).device = asks ? names.Of(placement.device_of[Index(id)]) : "";
  }
  optimized::SessionOptions options = given;
  for (const std::string& device : placement.devices) options.devices.push_back(names.Of(device));
  if (way.is_as_it_is) options.simplify_if_worthwhile = false;
  if (way.is_by_cost) options.spread.placement = optimized::PlacementChoice::kByCost;
  options.spread.soft = way.is_by_cost;
  if (way.receives_at_once) options.spread.recvs = RecvStart::kAtOnce;
  optimized::SimOptions sim;
  sim.transfer_ns = 300;
  sim.jitter = 2;
  sim.seed = seed;
  sim.memory_bytes = way.memory_bytes;
  if (way.memory == Memory::kPlenty) sim.swap_above = kSwapAbove;
  if (options.executor == optimized::ExecutorChoice::kStraight) {
    options.executor = optimized::ExecutorChoice::kAuto;  // which Sends and Recvs are not for
  }
  if (way.memory == Memory::kJustEnough) {
    return std::unique_ptr<EngineSession>(
        new JustEnoughSession(std::move(graph), way, options, sim));
  }
  options.device_kinds = WithSim(sim);
  TAGFLOW_ASSIGN_OR_RETURN(auto session, optimized::Session::Create(std::move(graph), options));
  return std::unique_ptr<EngineSession>(Wrapped(std::move(session), way));
}

}  // namespace tagflow::fuzz
