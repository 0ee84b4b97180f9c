#include "optimized/devices/gpu/kernels/row_training.h"

namespace tagflow::optimized {
namespace {

// Of this file alone: what it calls is compiled by nvcc, or is the fake of it.
struct RunsTrainingPass {
  template <typename Body>
  cudaError_t operator()(const Body& body, int64_t count) const {
    return OnGpu(body, count, stream);
  }
  cudaStream_t stream;
};

struct CollectsRowTraining {
  template <typename Formula, typename C>
  void operator()(const char* name, DType dtype) const {
    launches.push_back({.name = name,
                        .dtype = dtype,
                        .form = Formula::kForm,
                        .refuses_scalars = RefusesScalars<Formula, C>,
                        .refusal = RefusalOnHost<Formula, C>,
                        .launch = [](const RowTrainingArgs& args, cudaStream_t stream) {
                          return RowTrainingPasses<Formula, C>::RunAll(args,
                                                                       RunsTrainingPass{stream});
                        }});
  }
  std::vector<RowTrainingLaunch>& launches;
};

}  // namespace

const std::vector<RowTrainingLaunch>& RowTrainingLaunches() {
  static const auto& launches = *[] {
    auto* const made = new std::vector<RowTrainingLaunch>;
    ForEachRowTraining(CollectsRowTraining{*made});
    return made;
  }();
  return launches;
}

}  // namespace tagflow::optimized
