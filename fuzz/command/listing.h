#ifndef TAGFLOW_FUZZ_COMMAND_LISTING_H_
#define TAGFLOW_FUZZ_COMMAND_LISTING_H_

// What `tagflow fuzz` can be told to do, by name.

#include <string>

namespace tagflow::fuzz {

// The properties, profiles and mutants, a line each.
std::string Listing();

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_COMMAND_LISTING_H_
