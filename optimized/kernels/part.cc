#include "optimized/kernels/part.h"

namespace tagflow::optimized {
namespace {

template <typename Loop>
BoundKernel Bind(BoundKernel::Function function, const Loop& loop) {
  const auto* const state = new Loop(loop);
  const auto destroy = [](const void* own) { delete static_cast<const Loop*>(own); };
  return BoundKernel(function,
                     std::shared_ptr<const void>(state, PartHolder{KernelPart(state), destroy}));
}

}  // namespace

BoundKernel BindLoop(BoundKernel::Function function, const PairLoop& loop) {
  return Bind(function, loop);
}
BoundKernel BindLoop(BoundKernel::Function function, const MapLoop& loop) {
  return Bind(function, loop);
}

const KernelPart* PartOf(const BoundKernel& kernel) {
  const auto* const holder = std::get_deleter<PartHolder>(kernel.state());
  return holder == nullptr ? nullptr : &holder->part;
}

}  // namespace tagflow::optimized
