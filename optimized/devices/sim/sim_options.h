#ifndef TAGFLOW_OPTIMIZED_DEVICES_SIM_SIM_OPTIONS_H_
#define TAGFLOW_OPTIMIZED_DEVICES_SIM_SIM_OPTIONS_H_

// What may be said of simulated devices, in a program or on a command line.
//
// Tested by sim_options_test.cc.

#include <cstdint>
#include <string_view>

#include "graph/status.h"

namespace tagflow::optimized {

// Of every SIM device of a session.
struct SimOptions {
  int64_t memory_bytes = 0;         // the limit of each; 0: none
  int64_t kernel_ns = 1000;         // of virtual time that every kernel takes,
  double kernel_ns_per_byte = 0;    // and for each byte of its inputs and outputs
  int64_t transfer_ns = 0;          // that every copy into or out of its memory takes,
  double transfer_ns_per_byte = 0;  // and for each byte
  double jitter = 0;                // each time is longer by up to this share of it, by the seed
  uint64_t seed = 0;                // of the jitter; with that of a step's schedule
  bool swaps = true;                // whether histories go to the host when memory runs low:
  double swap_above = 0.75;         // when more than this share of it is taken
};

// "memory_bytes=1048576,kernel_ns=2000": the fields by name, but for the seed.
//   Errors: INVALID_ARGUMENT naming the field, and those there are
Result<SimOptions> ParseSimOptions(std::string_view text);
// INVALID_ARGUMENT for options that make no sense.
Status CheckSimOptions(const SimOptions& options);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_DEVICES_SIM_SIM_OPTIONS_H_
