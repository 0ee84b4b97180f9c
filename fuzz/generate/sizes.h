#ifndef TAGFLOW_FUZZ_GENERATE_SIZES_H_
#define TAGFLOW_FUZZ_GENERATE_SIZES_H_

// The ranges that small numbers are drawn from, by name: choices.Between(kFew). A size at which an
// engine begins to work in another way is none of these: it comes from the engine's own headers of
// limits, and choices.AroundLimit draws near it.

namespace tagflow::fuzz {

struct SizeRange {
  int least;
  int most;
};

inline constexpr SizeRange kNoneOrOne = {0, 1};
inline constexpr SizeRange kOneOrTwo = {1, 2};
inline constexpr SizeRange kUpToTwo = {0, 2};
inline constexpr SizeRange kFew = {1, 3};
inline constexpr SizeRange kUpToThree = {0, 3};
inline constexpr SizeRange kUpToFour = {0, 4};  // below, at and above what a tensor of kFew has
inline constexpr SizeRange kTwoToFour = {2, 4};
inline constexpr SizeRange kSeveral = {1, 7};
inline constexpr SizeRange kEitherSign = {-5, 5};
inline constexpr SizeRange kMany = {8, 40};       // more elements than loops take at once
inline constexpr SizeRange kVeryMany = {30, 70};  // more operations than engines fuse into one

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_GENERATE_SIZES_H_
