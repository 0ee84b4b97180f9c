#ifndef TAGFLOW_GRAPH_ROUNDING_H_
#define TAGFLOW_GRAPH_ROUNDING_H_

// How far the results of an op hang on rounding: what two engines that are both right may differ
// by, and on which inputs they may differ altogether. Integers and text are never rounded.

#include <cstdint>

namespace tagflow {

struct OpDef;

enum class Rounding : uint8_t {
  // Each element is the sum of as many terms as there are, in any order: huge ones that cancel
  // leave what the order says. So it is with every op that is none of the others.
  kOfSums,
  // Sums, too, of terms that cancel where inputs are not whole numbers: what is left has an error
  // of the terms' size.
  kOfRemainders,
  // Remainders after many steps, as those of a Fourier transform or of a recurrent network: one
  // engine may round to zero what another keeps as 1e-80, and infinity times the one is no number,
  // and times the other infinite.
  kOfManySteps,
  // Each element is made of one element of each input, or of a few.
  kOfElements,
  // Each element is the product of as many factors as there are, in any order: whether some zero
  // comes before the others overflow is up to the order.
  kOfProducts,
  // Each element is one minus what an engine computes, or a wave of about that height (BesselJ0):
  // near zero it has the error of a number near one.
  kOfComplements,
  // Each element is rounded once, to the nearest number ([number.1]): there is but one result.
  kToNearest,
};

// What its definition says (OpDef::rounding), or its arguments.
Rounding RoundingOf(const OpDef& op);

// Whether what is left where its terms cancel has an error of the terms' size.
bool LeavesRemainders(Rounding rounding);

// Whether it gives what it takes as another dtype, of its attrs SrcT and DstT.
bool IsConversion(const OpDef& op);

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_ROUNDING_H_
