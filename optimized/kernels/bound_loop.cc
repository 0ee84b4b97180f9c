#include "optimized/kernels/bound_loop.h"

#include <memory>

namespace tagflow::optimized {
namespace {

template <typename Loop>
struct DeleteLoop {
  void operator()(const Loop* loop) const { delete loop; }
};

template <typename Loop>
BoundKernel Bind(BoundKernel::Function function, const Loop& loop) {
  return BoundKernel(function, std::shared_ptr<const void>(new Loop(loop), DeleteLoop<Loop>()));
}

template <typename Loop>
const Loop* LoopOf(const BoundKernel& kernel) {
  const bool is_loop = std::get_deleter<DeleteLoop<Loop>>(kernel.state()) != nullptr;
  return is_loop ? static_cast<const Loop*>(kernel.state().get()) : nullptr;
}

}  // namespace

BoundKernel BindLoop(BoundKernel::Function function, const PairLoop& loop) {
  return Bind(function, loop);
}
BoundKernel BindLoop(BoundKernel::Function function, const MapLoop& loop) {
  return Bind(function, loop);
}

const PairLoop* PairLoopOf(const BoundKernel& kernel) { return LoopOf<PairLoop>(kernel); }
const MapLoop* MapLoopOf(const BoundKernel& kernel) { return LoopOf<MapLoop>(kernel); }

}  // namespace tagflow::optimized
