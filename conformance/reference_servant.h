#ifndef TAGFLOW_CONFORMANCE_REFERENCE_SERVANT_H_
#define TAGFLOW_CONFORMANCE_REFERENCE_SERVANT_H_

// The reference interpreter behind the engine protocol.

#include <memory>

#include "conformance/op_library.h"
#include "conformance/servant.h"

namespace tagflow::conformance {

std::unique_ptr<Servant> MakeReferenceServant(const OpLibrary& library = {});

}  // namespace tagflow::conformance

#endif  // TAGFLOW_CONFORMANCE_REFERENCE_SERVANT_H_
