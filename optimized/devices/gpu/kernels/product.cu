#include "optimized/devices/gpu/kernels/product.h"

namespace tagflow::optimized {
namespace {

struct CollectsProducts {
  template <typename C>
  void operator()(const char* op, DType dtype) const {
    launches.push_back({op, dtype, [](const ProductArgs& args, cudaStream_t stream) {
                          return OnGpu(ProductBody<C>(args), args.count, stream);
                        }});
  }
  std::vector<GpuLaunch<ProductArgs>>& launches;
};

}  // namespace

const std::vector<GpuLaunch<ProductArgs>>& ProductLaunches() {
  static const auto& launches = *[] {
    auto* const made = new std::vector<GpuLaunch<ProductArgs>>;
    ForEachProduct(CollectsProducts{*made});
    return made;
  }();
  return launches;
}

}  // namespace tagflow::optimized
