#ifndef TAGFLOW_OPTIMIZED_KERNELS_FIXED_UNIGRAMS_H_
#define TAGFLOW_OPTIMIZED_KERNELS_FIXED_UNIGRAMS_H_

// Classes drawn by given weights, each in the same time, by Walker's aliases (Knuth, "The art of
// computer programming", 3.4.1): every class has a place, of which a share is its own and the rest
// another's, so that the shares of each class in all places are as large as its weight says. A draw
// takes any place, and a fraction that says whose it is. Which class gets whose rest is
// TensorFlow's choice, so that equal words make equal classes.
//
// Nothing changes once it is made: any number of threads may draw at once.
// Tested by unigrams_test.cc.

#include <cstdint>
#include <vector>

#include "graph/graph.h"
#include "graph/status.h"
#include "optimized/kernels/stream_words.h"

namespace tagflow::optimized {

class FixedUnigrams {
 public:
  //   weights: of classes 0, 1, 2, ...
  //   Errors: INVALID_ARGUMENT for one that is NaN, infinite or negative, and where their sum is 0
  //   or infinite
  static Result<FixedUnigrams> Of(std::vector<float> weights);
  // By the attrs of a FixedUnigramCandidateSampler: the classes of a shard, of which the first are
  // reserved and weigh nothing; the others weigh, to the power of the distortion, what a list or
  // the last columns of a file say.
  //   range: how many classes that has to be
  //   Errors: INVALID_ARGUMENT, NOT_FOUND (the file), RESOURCE_EXHAUSTED
  static Result<FixedUnigrams> OfNode(const Node& node, int64_t range);

  int64_t Draw(StreamWords& words) const;
  float ProbabilityOf(int64_t value) const;
  // How many classes a draw can give: not those of weight 0, nor of so little that no fraction is
  // as small.
  int64_t NumDrawable() const;

 private:
  struct Place {
    float own;  // share of the class that the place is of
    int32_t other;
  };

  explicit FixedUnigrams(std::vector<float> weights, float total);

  std::vector<float> weights_;
  float total_;
  std::vector<Place> places_;
};

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_KERNELS_FIXED_UNIGRAMS_H_
