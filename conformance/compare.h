#ifndef TAGFLOW_CONFORMANCE_COMPARE_H_
#define TAGFLOW_CONFORMANCE_COMPARE_H_

// Whether a value is what a case expects: same dtype, same shape, and every element within one of
// the bounds that the expectation gives (without bounds: bit for bit, with NaN equal to NaN and
// zeros told apart by sign).

#include <string>

#include "conformance/case.pb.h"
#include "graph/tensor.h"

namespace tagflow::conformance {

// Distances allowed; an element passes when it meets any one of them, or is bit for bit the same.
struct Bounds {
  int64_t ulps = 0;     // in units of the dtype's last place
  double relative = 0;  // of the expected element's magnitude
  double absolute = 0;
  double magnitude_relative = 0;  // of `magnitude`
  double magnitude = 0;           // a bound of the sum of the magnitudes of a reduction's terms

  bool exact() const {
    return ulps == 0 && relative == 0 && absolute == 0 && magnitude_relative == 0;
  }
};

// Empty when `actual` passes; else what differs: the dtype, the shape, or the first element that is
// off, with its index, both values, and how far off it is.
std::string Difference(const Tensor& expected, const Tensor& actual, const Bounds& bounds);

// The largest magnitude of a tensor's finite floating and complex numbers; 0 where it has none.
double LargestMagnitude(const Tensor& tensor);

// Empty when `actual` meets the expectation; else the difference to the nearest of its values (the
// only one, mostly). `magnitude` as in Bounds. A value that cannot be read says so.
std::string Mismatch(const Expectation& expectation, const TensorProto& actual, double magnitude);

// A bound for the sum of the magnitudes of the terms of any one reduction or product in the step:
// the case carries no terms, so it is made from the magnitudes of all that is fed and of all
// constants. Only read when an expectation has magnitude_relative.
double MagnitudeOfTerms(const GraphDef& graph, const Step& step);

}  // namespace tagflow::conformance

#endif  // TAGFLOW_CONFORMANCE_COMPARE_H_
