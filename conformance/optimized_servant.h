#ifndef TAGFLOW_CONFORMANCE_OPTIMIZED_SERVANT_H_
#define TAGFLOW_CONFORMANCE_OPTIMIZED_SERVANT_H_

// The engine behind the engine protocol.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "conformance/op_library.h"
#include "conformance/servant.h"
#include "optimized/session.h"

namespace tagflow::conformance {

// How the engine is run, unless a request says otherwise.
struct OptimizedOptions {
  std::string name = "optimized";  // by which it introduces itself
  optimized::ExecutorChoice executor = optimized::ExecutorChoice::kAuto;
  optimized::NativeOptions native = {};
  bool simplify = false;  // by all passes, whether worthwhile or not
  bool lowers_functions = true;
  bool borrows_feeds = false;  // whose memory is the caller's, who checks it (LentFeeds)
  int threads = 0;             // 0: one per core
  // Of simulated schedules, where there are tokens; 0: the real one. With an odd one, Sends and
  // Recvs meet in a rendezvous of the caller's, which in every second of these holds messages back.
  uint64_t seed = 0;
  std::vector<std::string> devices = {};  // of graphs that name none; empty: /device:CPU:0
  // Seed by which nodes that ask for no device are put on these (scatter.h); 0: all on the first.
  uint64_t scatter_seed = 0;
};

// Those of a session that is run so.
optimized::SessionOptions SessionOptionsOf(const OptimizedOptions& options);

std::unique_ptr<Servant> MakeOptimizedServant(const OpLibrary& library = {},
                                              const OptimizedOptions& options = {});

}  // namespace tagflow::conformance

#endif  // TAGFLOW_CONFORMANCE_OPTIMIZED_SERVANT_H_
