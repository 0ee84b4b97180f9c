#ifndef TAGFLOW_CLI_EXPLORE_PAGE_H_
#define TAGFLOW_CLI_EXPLORE_PAGE_H_

#include <string>

namespace tagflow::cli {

// The page of `tagflow explore` with its data, JSON that ExploreJson made.
std::string PageWith(const std::string& json);

}  // namespace tagflow::cli

#endif  // TAGFLOW_CLI_EXPLORE_PAGE_H_
