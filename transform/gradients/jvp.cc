#include "transform/gradients/jvp.h"

#include <memory>
#include <string>
#include <utility>

#include "graph/builder/build_state.h"
#include "graph/builder/builder.h"
#include "graph/out_of_memory.h"

namespace tagflow {
namespace {

// The gradients of the gradients by what they are linear in.
Result<OutputList> Transpose(const Scope& scope, const OutputList& ys, const OutputList& xs,
                             const OutputList& directions, const GradientOptions& options) {
  OutputList us;  // their values do not matter
  for (const Output& y : ys) us.push_back(y.valid() ? ZerosLike(scope, y) : y);
  GradientOptions or_none = options;
  or_none.zeros_for_unreached = false;
  TAGFLOW_ASSIGN_OR_RETURN(const OutputList gradients, Gradients(scope, ys, xs, us, or_none));
  OutputList reached, along;
  for (size_t i = 0; i < gradients.size(); ++i) {
    if (!gradients[i].valid()) continue;
    reached.push_back(gradients[i]);
    along.push_back(directions[i]);
  }
  if (!reached.empty()) return Gradients(scope, reached, us, along, options);
  OutputList nothing;
  for (const Output& y : ys) {
    nothing.push_back(options.zeros_for_unreached ? ZerosLike(scope, y) : Output());
  }
  return nothing;
}

}  // namespace

Result<OutputList> Jvp(const Scope& scope, const OutputList& ys, const OutputList& xs,
                       const OutputList& directions, const GradientOptions& options) {
  TAGFLOW_RETURN_IF_ERROR(scope.status());
  if (xs.size() != directions.size()) {
    return InvalidArgument("there are " + std::to_string(directions.size()) + " directions for " +
                           std::to_string(xs.size()) + " xs: one for each is needed");
  }
  return OrOutOfMemory([&] {
    std::unique_ptr<internal::BuildState> before = scope.state()->Copy();
    Result<OutputList> derivatives =
        OrOutOfMemory([&] { return Transpose(scope, ys, xs, directions, options); });
    if (!derivatives.ok()) scope.state()->Restore(std::move(before));
    return derivatives;
  });
}

}  // namespace tagflow
