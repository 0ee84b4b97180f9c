#ifndef TAGFLOW_FUZZ_HARNESS_REGISTRY_H_
#define TAGFLOW_FUZZ_HARNESS_REGISTRY_H_

// All properties there are, by name.

#include <string_view>
#include <vector>

#include "fuzz/harness/property.h"

namespace tagflow::fuzz {

// `equal` first: it is the default.
const std::vector<Property>& AllProperties();

// NOT_FOUND, listing the names there are.
Result<Property> PropertyOf(std::string_view name);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_HARNESS_REGISTRY_H_
