#ifndef TAGFLOW_FUZZ_ENGINES_ON_DEVICES_H_
#define TAGFLOW_FUZZ_ENGINES_ON_DEVICES_H_

// In which ways the engine runs a graph that is placed on devices.
//
// Tested by on_devices_test.cc and engine_properties_test.cc.

#include <cstddef>
#include <cstdint>
#include <memory>

#include "fuzz/engines/engine.h"
#include "graph/graph.h"
#include "graph/status.h"
#include "optimized/session.h"
#include "transform/partition/partition.h"

namespace tagflow::fuzz {

struct DeviceWay {
  enum class Memory : uint8_t {
    kAny,         // there is no limit
    kPlenty,      // none that counts, but histories go out as if there were
    kJustEnough,  // what the first step takes where there is no limit
    kLittle,
  };
  explicit DeviceWay(uint64_t seed);

  uint64_t schedule = 0;          // the seed of a simulated one; 0: the real one
  bool has_accelerators = false;  // every second device is a simulated one
  Memory memory = Memory::kAny;   // of each of these
  int64_t memory_bytes = 0;       // if it is known beforehand and limited
  bool receives_at_once = false;  // and not late
  bool meets_outside = false;     // the graph's own messages do, in a rendezvous of the caller
  // Half of the nodes ask for no device, and the others softly, so never in vain: what must be on
  // one device is put there.
  bool is_by_cost = false;
  bool is_as_it_is = false;  // the graph is placed before it is simplified, if it is

  // Whether the run of that number may fail for want of memory.
  bool MayLackMemory(size_t run) const;
};

// seed: of the way, and of delays. A node of a device that the placement does not list asks for
// that one.
Result<std::unique_ptr<EngineSession>> OpenOnDevices(Graph graph, const Placement& placement,
                                                     uint64_t seed,
                                                     const optimized::SessionOptions& options);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_ENGINES_ON_DEVICES_H_
