#include "optimized/devices/gpu/kernels/reduction_places.h"

#include <string>

namespace tagflow::optimized {

Result<ReductionPlaces> ReductionPlacesOf(DimsView input, DimsView kept) {
  ReductionPlaces places;
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t count, NumElements(input));
  TAGFLOW_ASSIGN_OR_RETURN(places.outputs, NumElements(kept));
  if (count == 0) return places;
  places.elements = count / places.outputs;
  int64_t stride = 1;
  DimGroups* last = nullptr;
  for (size_t i = input.size(); i-- > 0;) {
    if (input[i] == 1) continue;
    const bool is_reduced = kept[i] == 1;
    DimGroups* const groups = is_reduced ? &places.reduced : &places.kept;
    if (last == nullptr) places.reduced_is_innermost = is_reduced;
    if (groups == last) {
      groups->dims[groups->rank - 1] *= input[i];
    } else if (groups->rank == DimGroups::kRankMax) {
      return Unimplemented("a reduction of shape " + DimsString(input) + " to " + DimsString(kept) +
                           " has more than " + std::to_string(DimGroups::kRankMax) +
                           " groups of dimensions, which no GPU kernel here can");
    } else {
      groups->dims[groups->rank] = input[i];
      groups->strides[groups->rank++] = stride;
    }
    stride *= input[i];
    last = groups;
  }
  return places;
}

}  // namespace tagflow::optimized
