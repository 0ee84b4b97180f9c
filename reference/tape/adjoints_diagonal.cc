// Derivatives of the ops on the diagonals of matrices. They only move elements: which one went
// where is found by moving their numbers.

#include <algorithm>
#include <string>
#include <utility>

#include "reference/kernel.h"
#include "reference/tape/adjoint.h"

namespace tagflow::reference {
namespace {

// The op's outputs for other inputs, of doubles where they had real numbers.
Result<std::vector<Tensor>> RunOnDoubles(const Node& node, std::vector<Tensor> inputs) {
  Node of_doubles = node;
  std::erase_if(of_doubles.attrs, [](const auto& attr) { return attr.first == "T"; });
  of_doubles.attrs.emplace_back("T", DType::kDouble);
  std::sort(of_doubles.attrs.begin(), of_doubles.attrs.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  TAGFLOW_ASSIGN_OR_RETURN(const Signature signature, ResolveSignature(of_doubles));
  const Kernel* kernel = KernelRegistry::Standard().Find(node.op);
  if (kernel == nullptr) return NotFound("the reference has no kernel of op " + node.op);
  Resources resources;
  AccessLog accesses;
  const std::string tag;
  KernelContext context{
      of_doubles, signature, {},  {},      std::vector<Tensor>(signature.outputs.size()),
      {},         resources, tag, accesses};
  context.output_variables.resize(signature.outputs.size());
  context.variables.resize(inputs.size());
  context.inputs = std::move(inputs);
  TAGFLOW_RETURN_IF_ERROR((*kernel)(context));
  return context.outputs;
}

// Every element of output 0 is one of those inputs', or 0.
AdjointFunction Moves(std::vector<size_t> slots) {
  return [slots](FiringPartials& firing) -> Status {
    std::vector<Tensor> numbered;
    std::vector<std::pair<size_t, size_t>> places;  // of number k + 1: slot and element
    for (size_t slot = 0; slot < firing.num_inputs(); ++slot) {
      numbered.push_back(firing.input(slot));
      if (std::find(slots.begin(), slots.end(), slot) == slots.end()) continue;
      std::vector<double> numbers;
      for (int64_t i = 0; i < firing.input(slot).num_elements(); ++i) {
        places.emplace_back(slot, static_cast<size_t>(i));
        numbers.push_back(static_cast<double>(places.size()));
      }
      numbered.back() = Tensor::Of<double>(firing.input(slot).dims(), numbers);
    }
    TAGFLOW_ASSIGN_OR_RETURN(const std::vector<Tensor> moved,
                             RunOnDoubles(firing.node(), std::move(numbered)));
    const std::vector<double> from = ToDoubles(moved[0]);
    for (size_t o = 0; o < from.size(); ++o) {
      if (from[o] == 0) continue;
      const auto& [slot, i] = places[static_cast<size_t>(from[o]) - 1];
      firing.Add(0, o, slot, i, 1);
    }
    return Status();
  };
}

}  // namespace

void AddDiagonalAdjoints(AdjointTable& table) {
  for (const char* op : {"Diag", "DiagPart", "MatrixDiag", "MatrixDiagPart", "MatrixBandPart"}) {
    table.Set(op, Moves({0}));
  }
  // The other input is a value for what the diagonals leave empty …
  for (const char* op : {"MatrixDiagV2", "MatrixDiagV3"}) table.Set(op, Moves({0, 4}));
  for (const char* op : {"MatrixDiagPartV2", "MatrixDiagPartV3"}) table.Set(op, Moves({0, 2}));
  // … or the diagonals.
  for (const char* op : {"MatrixSetDiag", "MatrixSetDiagV2", "MatrixSetDiagV3"}) {
    table.Set(op, Moves({0, 1}));
  }
}

}  // namespace tagflow::reference
