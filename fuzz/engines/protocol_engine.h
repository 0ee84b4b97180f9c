#ifndef TAGFLOW_FUZZ_ENGINES_PROTOCOL_ENGINE_H_
#define TAGFLOW_FUZZ_ENGINES_PROTOCOL_ENGINE_H_

// A program that speaks the engine protocol (conformance/engine.proto), as an engine under test.
//
// Tested by engine_names_test.cc.

#include <memory>

#include "conformance/engine.h"
#include "fuzz/engines/engine.h"

namespace tagflow::fuzz {

// timeout_s: for all that is asked of one session.
std::unique_ptr<Engine> ProtocolEngine(std::unique_ptr<conformance::Engine> engine,
                                       double timeout_s);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_ENGINES_PROTOCOL_ENGINE_H_
