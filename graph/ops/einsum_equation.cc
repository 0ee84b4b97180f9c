#include "graph/ops/einsum_equation.h"

#include <algorithm>

namespace tagflow {
namespace {

constexpr std::string_view kArrow = "->";
constexpr std::string_view kEllipsis = "...";

Status BadEquation(std::string_view text, const std::string& what) {
  return InvalidArgument("the equation '" + std::string(text) + "' of Einsum " + what);
}

EinsumLabels LabelsOf(std::string_view text) {
  EinsumLabels labels;
  for (const char c : text) labels.push_back(static_cast<unsigned char>(c));
  return labels;
}

std::vector<std::string_view> SplitAtCommas(std::string_view text) {
  std::vector<std::string_view> parts;
  for (size_t comma = text.find(','); comma != text.npos; comma = text.find(',')) {
    parts.push_back(text.substr(0, comma));
    text.remove_prefix(comma + 1);
  }
  parts.push_back(text);
  return parts;
}

bool Has(const EinsumLabels& labels, int label) {
  return std::find(labels.begin(), labels.end(), label) != labels.end();
}

}  // namespace

Result<EinsumEquation::Side> EinsumEquation::ParseSide(std::string_view text) {
  const auto periods = std::count(text.begin(), text.end(), '.');
  const size_t at = text.find(kEllipsis);
  if (periods != (at == text.npos ? 0 : 3)) {
    return BadEquation(text, "may have one '...' on each side, and no other periods");
  }
  if (at == text.npos) return Side{LabelsOf(text), false, {}};
  return Side{LabelsOf(text.substr(0, at)), true, LabelsOf(text.substr(at + kEllipsis.size()))};
}

Result<EinsumEquation> EinsumEquation::Parse(std::string_view text, size_t num_inputs) {
  const size_t arrow = text.find(kArrow);
  if (arrow == text.npos || text.find(kArrow, arrow + kArrow.size()) != text.npos) {
    return BadEquation(text, "must have one '->'");
  }
  const auto inputs = SplitAtCommas(text.substr(0, arrow));
  if (inputs.size() > 2) {
    return BadEquation(text, "names " + std::to_string(inputs.size()) +
                                 " inputs; two at a time can be multiplied");
  }
  if (inputs.size() != num_inputs) {
    return BadEquation(text, "names " + std::to_string(inputs.size()) + " inputs, and there are " +
                                 std::to_string(num_inputs));
  }
  EinsumEquation equation;
  EinsumLabels known;
  for (const std::string_view input : inputs) {
    TAGFLOW_ASSIGN_OR_RETURN(Side side, ParseSide(input));
    known.insert(known.end(), side.before.begin(), side.before.end());
    known.insert(known.end(), side.after.begin(), side.after.end());
    equation.inputs_.push_back(std::move(side));
  }
  TAGFLOW_ASSIGN_OR_RETURN(equation.output_, ParseSide(text.substr(arrow + kArrow.size())));
  for (const int label : Spread(equation.output_, 0)) {
    if (Has(known, label)) continue;
    return BadEquation(text, std::string("has the output label '") + static_cast<char>(label) +
                                 "', which no input has");
  }
  return equation;
}

EinsumLabels EinsumEquation::Spread(const Side& side, int ellipsis_rank) {
  EinsumLabels labels = side.before;
  for (int i = ellipsis_rank; i > 0; --i) labels.push_back(-i);
  labels.insert(labels.end(), side.after.begin(), side.after.end());
  return labels;
}

int EinsumEquation::EllipsisRank(size_t input, int rank) const {
  const Side& side = inputs_[input];
  return side.has_ellipsis ? rank - static_cast<int>(side.before.size() + side.after.size()) : 0;
}

Result<EinsumLabels> EinsumEquation::InputLabels(size_t input, int rank) const {
  const int ellipsis_rank = EllipsisRank(input, rank);
  EinsumLabels labels = Spread(inputs_[input], std::max(ellipsis_rank, 0));
  if (ellipsis_rank >= 0 && static_cast<int>(labels.size()) == rank) return labels;
  return InvalidArgument("input " + std::to_string(input) + " of Einsum has " +
                         std::to_string(rank) + " dimensions, but its equation names " +
                         (is_fixed(input) ? "" : "at least ") + std::to_string(labels.size()));
}

Result<EinsumLabels> EinsumEquation::OutputLabels(int ellipsis_rank) const {
  if (ellipsis_rank == 0 || output_.has_ellipsis) return Spread(output_, ellipsis_rank);
  return InvalidArgument("the output of Einsum must have '...' for the " +
                         std::to_string(ellipsis_rank) + " dimensions that it stands for");
}

}  // namespace tagflow
