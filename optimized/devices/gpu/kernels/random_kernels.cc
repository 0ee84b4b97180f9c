// Random numbers. The host reads what names their stream, and which numbers of it are next; the GPU
// makes the numbers. So a node draws the same ones wherever it is placed.
//
// Tested by conformance/ops/random.ops and gpu_random_test.cc, over a fake of CUDA.

#include <string>
#include <utility>
#include <vector>

#include "optimized/devices/gpu/kernels/families.h"
#include "optimized/devices/gpu/kernels/launching.h"
#include "optimized/devices/gpu/kernels/random.h"
#include "optimized/kernels/random_source.h"

namespace tagflow::optimized {
namespace {

using Kind = RandomSource::Kind;

struct RandomOp {
  std::string op;
  Distribution distribution;
  Kind kind;
};

const std::vector<RandomOp>& RandomOps() {
  using enum Distribution;
  static const auto& ops = *new std::vector<RandomOp>{
      {"RandomUniform", kUniform, Kind::kNode},
      {"RandomStandardNormal", kNormal, Kind::kNode},
      {"TruncatedNormal", kTruncatedNormal, Kind::kNode},
      {"RandomUniformInt", kIntsOfRange, Kind::kNode},
      {"StatelessRandomUniform", kUniform, Kind::kSeed},
      {"StatelessRandomNormal", kNormal, Kind::kSeed},
      {"StatelessTruncatedNormal", kTruncatedNormal, Kind::kSeed},
      {"StatelessRandomUniformInt", kIntsOfRange, Kind::kSeed},
      {"StatelessRandomUniformFullInt", kAllInts, Kind::kSeed},
      {"StatelessRandomUniformV2", kUniform, Kind::kKey},
      {"StatelessRandomNormalV2", kNormal, Kind::kKey},
      {"StatelessTruncatedNormalV2", kTruncatedNormal, Kind::kKey},
      {"StatelessRandomUniformIntV2", kIntsOfRange, Kind::kKey},
      {"StatelessRandomUniformFullIntV2", kAllInts, Kind::kKey},
  };
  return ops;
}

// All inputs.
std::vector<std::string> HostInputs(const RandomOp& op) {
  std::vector<std::string> names = {"shape"};
  if (op.kind == Kind::kSeed) names.push_back("seed");
  if (op.kind == Kind::kKey) names.insert(names.end(), {"key", "counter", "alg"});
  if (op.distribution == Distribution::kIntsOfRange) {
    names.insert(names.end(), {"minval", "maxval"});
  }
  return names;
}

Status RunRandom(const RandomOp& op, const RandomLaunch& numbers, const RandomSource& source,
                 const Dims& dims, KernelContext& context) {
  RandomArgs args = {nullptr, *NumElements(dims), Philox(0, 0, 0), {}};
  if (op.distribution == Distribution::kIntsOfRange) {
    TAGFLOW_ASSIGN_OR_RETURN(args.range, RangeInput(context, op.kind, args.count));
  }
  TAGFLOW_ASSIGN_OR_RETURN(args.stream, source.Take(context, BlocksFor(args.count)));
  TAGFLOW_ASSIGN_OR_RETURN(Tensor* const out, NewOutput(context, 0, numbers.dtype, dims));
  if (args.count == 0) return Status();
  args.out = CudaMemory::Address(*out);
  return LaunchOn(context, numbers.launch, args);
}

// A single number is the host's, as all scalars are whose inputs it has.
Result<BoundKernel> BindRandom(const RandomOp& op, const RandomLaunch& numbers,
                               const Binding& binding) {
  TAGFLOW_ASSIGN_OR_RETURN(const BoundKernel on_host, HostKernel(op.op).bind(binding));
  TAGFLOW_ASSIGN_OR_RETURN(const RandomSource source, RandomSource::Of(op.kind, binding));
  return BoundKernel([on_host, source, &op, &numbers](KernelContext& context) -> Status {
    TAGFLOW_ASSIGN_OR_RETURN(const Dims dims, ShapeInput(context));
    if (dims.empty()) return on_host(context);
    return RunRandom(op, numbers, source, dims, context);
  });
}

}  // namespace

void RegisterGpuRandomKernels(KernelRegistry& registry) {
  for (const RandomOp& op : RandomOps()) {
    for (const RandomLaunch& numbers : Cuda().random_launches()) {
      if (numbers.distribution != op.distribution) continue;
      const Binder bind = [&op, &numbers](const Binding& binding) {
        return BindRandom(op, numbers, binding);
      };
      RegisterForGpu(op.op, numbers.dtype, {.bind = bind, .host_inputs = HostInputs(op)}, registry);
    }
  }
}

}  // namespace tagflow::optimized
