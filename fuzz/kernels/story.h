#ifndef TAGFLOW_FUZZ_KERNELS_STORY_H_
#define TAGFLOW_FUZZ_KERNELS_STORY_H_

// What one op does to an array, a list, a stack or a variable, others see. A story makes one of
// these and lets ops write to it and read it, one after the other; all that is read is fetched, and
// so is what it holds in the end.

#include "fuzz/generate/choices.h"
#include "fuzz/graphs/sample.h"

namespace tagflow::fuzz {

// Its first node, which makes what the story is about, is kCalled (kernel_call.h); it runs twice in
// one session.
GraphSample DrawStory(Choices& choices);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_KERNELS_STORY_H_
