#include "conformance/gpu/bad_write.h"

namespace tagflow::conformance {

Status WriteBadly(optimized::DeviceStream&) {
  return FailedPrecondition("this was built without a CUDA toolkit");
}

}  // namespace tagflow::conformance
