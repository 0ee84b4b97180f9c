#ifndef TAGFLOW_GRAPH_LIMITS_H_
#define TAGFLOW_GRAPH_LIMITS_H_

// The fixed limits of graphs, of ops and of the files that graphs come in: what any engine holds
// to. docs/limits.md lists them, what happens beyond each, and the test of each.

#include <cstddef>
#include <cstdint>
#include <limits>

namespace tagflow {

// ---- Graphs ----

// Arguments that an op takes or gives in one list: more than any graph means. Without a limit a
// corrupt attr could ask for all the memory.
inline constexpr int64_t kMostArguments = int64_t{1} << 20;

// Conditions that a node may hang on where it is asked whether some Switch may kill it, or whether
// two tokens may meet in a Merge. A node that hangs on more may be dead, and they may meet.
inline constexpr int32_t kMostConditions = 64;

// The outputs of an op that nobody defined.
inline constexpr int32_t kMostOutputsOfUnknownOp = 1 << 12;

// ---- Tensors and ops, as in TensorFlow where it has a limit ----

inline constexpr int64_t kMostDimensions = 254;
inline constexpr int kMostIndexedDimensions = 7;  // by coordinates of TensorScatter…, Scatter…Nd
inline constexpr int kMostReversedDimensions = 8;   // of what Reverse and ReverseV2 take
inline constexpr int kMostSequenceDimensions = 5;   // of what ReverseSequence takes
inline constexpr int kMostPaddedDimensions = 8;     // of what Pad and PadV2 take
inline constexpr int kMostMirroredDimensions = 5;   // of what MirrorPad takes
inline constexpr int kMostSearchedDimensions = 8;   // of what Where takes
inline constexpr int64_t kMostSlicePositions = 32;  // of StridedSlice: a mask has a bit for each

// Elements of a TensorArray, and those that one kernel puts into a list: the bookkeeping alone of
// more would take gigabytes.
inline constexpr int64_t kMostListElements = int64_t{1} << 24;

// Variants in variants that AddN and ZerosLike go into, and elements that they meet there: a list
// may hold a list twice, which holds another twice, and so on.
inline constexpr int kMostNestedVariants = 200;
inline constexpr int64_t kMostVariantElements = int64_t{1} << 22;

// Digits or letters that AsString fills a number up to.
inline constexpr int64_t kMostDigits = int64_t{1} << 20;

// ---- Files ----

// Bytes of a message: protobuf's format ends here.
inline constexpr size_t kMostMessageBytes = std::numeric_limits<int32_t>::max();

// Messages in messages, as protobuf's own reader has it, and functions in the attrs of functions.
inline constexpr int kMostNestedMessages = 100;

// Lists in lists that have a form in a file: each is several messages deep.
inline constexpr int kMostNestedLists = 32;

// Bytes that a compressed file, or a member of an archive, may unpack to: a few KB can stand for
// any amount of memory.
inline constexpr int64_t kMostUnpackedBytes = int64_t{1} << 31;

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_LIMITS_H_
