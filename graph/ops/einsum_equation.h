#ifndef TAGFLOW_GRAPH_OPS_EINSUM_EQUATION_H_
#define TAGFLOW_GRAPH_OPS_EINSUM_EQUATION_H_

// The equation of an Einsum, "ij,jk->ik": a label for each dimension of each input, and those of
// the output. "..." stands for any number of dimensions, which broadcast. A label is any character
// but
// ',', '.' and the arrow; one that comes twice on a side means the diagonal.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "graph/status.h"

namespace tagflow {

// Labels are numbers: those of the equation are 0 and up, the dimensions of "..." negative, -1
// being the last.
using EinsumLabels = std::vector<int>;

class EinsumEquation {
 public:
  // Errors: INVALID_ARGUMENT saying what is wrong: no arrow or two, as many inputs as there are
  // not,
  //   more than two, a lone '.', an output label that no input has
  static Result<EinsumEquation> Parse(std::string_view text, size_t num_inputs);

  // Whether input i names all its dimensions.
  bool is_fixed(size_t input) const { return !inputs_[input].has_ellipsis; }
  // The label of each dimension of input i, which has this rank.
  //   Errors: INVALID_ARGUMENT when there are too few or too many dimensions
  Result<EinsumLabels> InputLabels(size_t input, int rank) const;
  // The labels of the output, in which "..." stands for this many dimensions.
  //   Errors: INVALID_ARGUMENT when there are some, but the output has no "..."
  Result<EinsumLabels> OutputLabels(int ellipsis_rank) const;
  // How many dimensions "..." stands for in input i of this rank; 0 without one.
  int EllipsisRank(size_t input, int rank) const;

 private:
  struct Side {
    EinsumLabels before;  // "..."
    bool has_ellipsis = false;
    EinsumLabels after;
  };
  static Result<Side> ParseSide(std::string_view text);
  static EinsumLabels Spread(const Side& side, int ellipsis_rank);

  std::vector<Side> inputs_;
  Side output_;
};

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_OPS_EINSUM_EQUATION_H_
