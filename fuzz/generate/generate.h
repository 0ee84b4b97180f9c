#ifndef TAGFLOW_FUZZ_GENERATE_GENERATE_H_
#define TAGFLOW_FUZZ_GENERATE_GENERATE_H_

// Random programs: valid, ending and numerically tame by construction.

#include "fuzz/generate/choices.h"
#include "fuzz/generate/profile.h"
#include "fuzz/program/program.h"

namespace tagflow::fuzz {

// The same choices and profile give the same program. It passes Check, runs without error, and has
// no NaN or infinity unless the profile asks for them.
Program GenerateProgram(Choices& choices, const Profile& profile);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_GENERATE_GENERATE_H_
