#ifndef TAGFLOW_REFERENCE_TAPE_TAPE_H_
#define TAGFLOW_REFERENCE_TAPE_TAPE_H_

// The tape: gradients of a run, not of a graph. The run is recorded and differentiated backwards as
// the straight line it was, so loops, branches and frames are gone: a value's adjoint goes to where
// the value came from, whatever lay between. That makes it an oracle for graph gradients: the two
// share no derivative and no treatment of control flow.
//
// What it says is the derivative of what happened: branches taken and trips made do not change, and
// variables are constants. Elements of arrays are followed by (array, index), those of lists from
// the list they are put into to those they are read from, stacks by push and pop.
//
// Cost: time and memory in proportion to the run's firings and elements; a partial derivative that
// is not zero is one multiplication. Sequential.

#include <string>
#include <utility>
#include <vector>

#include "reference/session.h"
#include "reference/tape/adjoint.h"

namespace tagflow::reference {

struct GradientCall {
  NamedTensors feeds;
  std::vector<std::string> ys;  // what is differentiated: floating tensors that can be fetched
  // One per y, of its shape and any floating dtype; none at all: ones, so that all elements of all
  // ys are added up.
  std::vector<Tensor> grad_ys;
  // By what: floating tensors that are fed, or outputs in the root frame.
  std::vector<std::string> xs;
  std::vector<std::string> targets;  // more nodes to run
  RunOptions options;
  const AdjointTable* adjoints = &AdjointTable::Standard();
};

struct TapeGradient {
  // Doubles of x's shape; no value where x was dead or did not run.
  Tensor gradient;
  // For each element the sum of the magnitudes of what was added up to it: however the sums are
  // ordered, the gradient computed in precision eps is within a small multiple of eps * magnitude,
  // as far as the values of the run themselves are exact.
  Tensor magnitude;
  // Whether any derivative led here, be it 0.
  bool connected = false;
};

struct GradientRun {
  std::vector<Tensor> ys;
  std::vector<TapeGradient> gradients;  // one per x
};

// Runs one step of the session and differentiates it.
//   Errors: those of the run; NOT_FOUND for names; INVALID_ARGUMENT for ys and xs that are not
//   floating, an x inside a frame, grad_ys that do not fit, a PreventGradient on the way;
//   UNIMPLEMENTED naming op, node and tag where the derivative of an op is needed and not known.
Result<GradientRun> GradientsOfRun(Session& session, const GradientCall& call);

}  // namespace tagflow::reference

#endif  // TAGFLOW_REFERENCE_TAPE_TAPE_H_
