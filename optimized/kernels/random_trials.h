#ifndef TAGFLOW_OPTIMIZED_KERNELS_RANDOM_TRIALS_H_
#define TAGFLOW_OPTIMIZED_KERNELS_RANDOM_TRIALS_H_

// Random numbers that are drawn by trials: a candidate is made of uniform or normal numbers and
// accepted or not, until one is. How many of a stream's blocks that takes is not known before.
//
// Block for block the trials are TensorFlow's; a number may differ where the rounding of log, exp,
// sin, cos, pow or lgamma turns an acceptance round. After 256 trials, when none can succeed any
// more, TensorFlow goes on for ever; here it is INVALID_ARGUMENT.

#include "graph/status.h"
#include "optimized/formulas/philox.h"

namespace tagflow::optimized {

// The gamma distribution of shape alpha, at least 0, and scale 1. Marsaglia and Tsang, "A simple
// method for generating gamma variables", ACM TOMS 26, 2000.
Result<double> GammaNumber(double alpha, const Philox& stream);

// A count of events of which `rate` are expected, not above `largest`; infinite for an infinite
// rate, 0 for a negative one. Products of uniform numbers (Knuth, "The art of computer
// programming", 3.4.1) below a rate of 10, else PTRS of Hoermann, "The transformed rejection method
// for generating Poisson random variables", Insurance: Mathematics and Economics 12, 1993.
Result<double> PoissonNumber(double rate, double largest, const Philox& stream);

// How many of `count` events happen that each have this probability.
//   ByGaps   adds up the distances between those that happen (Devroye, "Non-uniform random variate
//            generation", X.4, the second waiting time method): a trial for each
//   ByShape  BTRS of Hoermann, "The generation of binomial random variates", J. Stat. Comput.
//            Simul. 46, 1993: few trials, but wants count * probability of 10 or more
// REQUIRES: count > 0, 0 < probability <= 1/2
Result<double> BinomialNumberByGaps(double count, double probability, const Philox& stream);
Result<double> BinomialNumberByShape(double count, double probability, const Philox& stream);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_KERNELS_RANDOM_TRIALS_H_
