// The `tagflow` command, which knows one op more.

#include <cstdio>

#include "cli/command.h"
#include "examples/custom_op/polyval_engine_kernel.h"
#include "examples/custom_op/polyval_kernel.h"
#include "examples/custom_op/polyval_op.h"
#include "optimized/kernel.h"

int main(int argc, char** argv) {
  tagflow::OpRegistry ops;
  tagflow::reference::KernelRegistry reference_kernels;
  tagflow::optimized::KernelRegistry kernels;
  for (const tagflow::Status& status :
       {tagflow::RegisterStandardOps(ops), polyval::RegisterOps(ops),
        tagflow::reference::RegisterStandardKernels(reference_kernels),
        polyval::RegisterReferenceKernels(reference_kernels),
        tagflow::optimized::RegisterStandardKernels(kernels),
        polyval::RegisterEngineKernels(kernels)}) {
    if (status.ok()) continue;
    std::fprintf(stderr, "error: %s\n", status.ToString().c_str());
    return 1;
  }
  return tagflow::cli::Main(
      argc, argv, {.ops = &ops, .reference_kernels = &reference_kernels, .kernels = &kernels});
}
