#include "optimized/devices/gpu/kernels/training.h"

namespace tagflow::optimized {
namespace {

struct CollectsTraining {
  template <typename Formula, typename C>
  void operator()(const char* name, DType dtype) const {
    launches.push_back({.name = name,
                        .dtype = dtype,
                        .form = Formula::kForm,
                        .refuses_scalars = RefusesScalars<Formula, C>,
                        .refusal = RefusalOnHost<Formula, C>,
                        .launch = [](const TrainingArgs& args, cudaStream_t stream) {
                          return OnGpu(TrainingBody<Formula, C>(args), args.count, stream);
                        }});
  }
  std::vector<TrainingLaunch>& launches;
};

}  // namespace

const std::vector<TrainingLaunch>& TrainingLaunches() {
  static const auto& launches = *[] {
    auto* const made = new std::vector<TrainingLaunch>;
    ForEachTraining(CollectsTraining{*made});
    return made;
  }();
  return launches;
}

}  // namespace tagflow::optimized
