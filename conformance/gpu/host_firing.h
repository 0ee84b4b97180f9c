#ifndef TAGFLOW_CONFORMANCE_GPU_HOST_FIRING_H_
#define TAGFLOW_CONFORMANCE_GPU_HOST_FIRING_H_

// For tests of what GPU kernels compute, run on the host: what a kernel is given, and its passes.

#include <cstdint>
#include <utility>
#include <vector>

#include "graph/tensor.h"
#include "optimized/devices/gpu/kernels/each_index.h"
#include "optimized/kernel.h"

namespace tagflow::optimized {

// The context of a firing with these inputs.
struct Firing {
  explicit Firing(std::vector<Tensor> inputs) : slots(std::move(inputs)) {
    for (size_t i = 0; i < slots.size(); ++i) args.push_back({static_cast<uint32_t>(i), 0});
    context.Point(args.data(), nullptr, static_cast<int>(args.size()));
  }
  std::vector<Tensor> slots;
  std::vector<Arg> args;
  StepServices services;
  KernelContext context{slots.data(), services};
};

struct RunsPassOnHost {
  template <typename Body>
  int operator()(const Body& body, int64_t count) const {
    OnHost(body, count);
    return 0;
  }
};

}  // namespace tagflow::optimized

#endif  // TAGFLOW_CONFORMANCE_GPU_HOST_FIRING_H_
