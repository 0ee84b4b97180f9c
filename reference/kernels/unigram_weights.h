#ifndef TAGFLOW_REFERENCE_KERNELS_UNIGRAM_WEIGHTS_H_
#define TAGFLOW_REFERENCE_KERNELS_UNIGRAM_WEIGHTS_H_

#include <vector>

#include "graph/graph.h"
#include "graph/status.h"

namespace tagflow::reference {

// The weights of the classes of a FixedUnigramCandidateSampler. A vocabulary is dealt to shards,
// word by word; a shard's first classes are reserved and weigh nothing, the others weigh, to the
// power of the distortion, what the attr unigrams or the last column of the file says.
//   range: how many classes that has to be
//   Errors: INVALID_ARGUMENT (attrs that do not fit, a line without a number, a weight that is
//   none, a sum of 0), NOT_FOUND (the file), RESOURCE_EXHAUSTED
Result<std::vector<float>> UnigramWeights(const Node& node, int64_t range);

}  // namespace tagflow::reference

#endif  // TAGFLOW_REFERENCE_KERNELS_UNIGRAM_WEIGHTS_H_
