#include "optimized/kernels/product_shapes.h"

#include <algorithm>
#include <string>
#include <utility>

namespace tagflow::optimized {

Status RequireMatrices(DimsView a, DimsView b, bool is_single) {
  for (const auto& [name, dims] : {std::pair("In[0] ", a), std::pair("In[1] ", b)}) {
    if (dims.size() == 2 || (!is_single && dims.size() > 2)) continue;
    return InvalidArgument(std::string(name) +
                           (is_single ? "is not a matrix" : "ndims must be >= 2") +
                           ", but of shape " + DimsString(dims));
  }
  return Status();
}

Status RequireOneInnerSize(DimsView a, DimsView b, int64_t a_columns, int64_t b_rows) {
  if (a_columns == b_rows) return Status();
  return InvalidArgument("Matrix size-incompatible: In[0]: " + DimsString(a) +
                         ", In[1]: " + DimsString(b));
}

Status RequireOneBatch(DimsView a, DimsView b) {
  if (std::ranges::equal(BatchOf(a), BatchOf(b))) return Status();
  return InvalidArgument("the batches must have one shape: " + DimsString(a) + " and " +
                         DimsString(b));
}

}  // namespace tagflow::optimized
