#ifndef TAGFLOW_REFERENCE_KERNELS_RANDOM_TRIALS_H_
#define TAGFLOW_REFERENCE_KERNELS_RANDOM_TRIALS_H_

// Numbers that take an unforeseeable count of uniform ones: each is the outcome of trials, repeated
// until one is accepted. All are computed in double from a stream of the number's own.
//
// The trials are TensorFlow's, word for word of the stream: a number is TensorFlow's as long as no
// rounding of log, exp, sin, cos, pow and lgamma turns an acceptance round.
//   - Uniform and normal numbers are made two at a time, of one block, and the second is used
//   first.
//   - A number has 256 blocks to itself. Where as many trials fail, none can succeed: TensorFlow
//     goes on for ever, and here it is INVALID_ARGUMENT, "no Poisson number was accepted".

#include "graph/status.h"
#include "reference/kernels/philox.h"

namespace tagflow::reference {

// A number of the gamma distribution with the shape alpha and the scale 1.
//   alpha: at least 0; below it the formula is computed all the same, and means nothing
Result<double> GammaNumber(double alpha, Philox stream);

// A count of events, of which `rate` are expected; of those that are not above `largest`. Infinite
// for an infinite rate, 0 for a negative one.
Result<double> PoissonNumber(double rate, double largest, Philox stream);

// How many of `count` independent events happen that each have this probability. By adding up the
// distances between those that happen, which takes a trial for each; or by the shape of the
// distribution, which takes few trials, but wants count * probability of 10 or more.
// REQUIRES: count > 0, 0 < probability <= 1/2, or NaN
Result<double> BinomialNumberOfFew(double count, double probability, Philox stream);
Result<double> BinomialNumberOfMany(double count, double probability, Philox stream);

}  // namespace tagflow::reference

#endif  // TAGFLOW_REFERENCE_KERNELS_RANDOM_TRIALS_H_
