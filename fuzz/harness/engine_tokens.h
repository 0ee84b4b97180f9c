#ifndef TAGFLOW_FUZZ_HARNESS_ENGINE_TOKENS_H_
#define TAGFLOW_FUZZ_HARNESS_ENGINE_TOKENS_H_

// The tokens of an engine that knows only feeds and fetches. Every tensor of the root frame that
// was live in the guide, and that a fetch can give, is fetched beside what the call asks for: none
// of that makes any node run that would not have run. When the engine cannot do that all at once,
// each is fetched in a step of its own in a session of its own; so the one that the engine fails at
// is found.

#include <memory>
#include <string>

#include "fuzz/harness/token_trace.h"

namespace tagflow::fuzz {

//   Errors: the engine cannot be started.
Result<std::unique_ptr<TokenSource>> MakeEngineTokens(const std::string& name, double timeout_s);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_HARNESS_ENGINE_TOKENS_H_
