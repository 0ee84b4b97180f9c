// Ops that share texts out to numbered buckets, by a hash of their bytes.
//
// Sources:
//   StringToHashBucket        MurmurHash64A of Appleby, https://github.com/aappleby/smhasher, with
//                             TensorFlow's seed
//   StringToHashBucketFast    fingerprint.h
//   StringToHashBucketStrong  SipHash-2-4 of Aumasson and Bernstein, "SipHash: a fast short-input
//                             PRF", INDOCRYPT 2012
// Tested by conformance/ops/string.ops.

#include <bit>
#include <cstring>
#include <string>
#include <string_view>

#include "optimized/kernels/families.h"
#include "optimized/kernels/fingerprint.h"
#include "optimized/kernels/registration.h"

namespace tagflow::optimized {
namespace {

static_assert(std::endian::native == std::endian::little);

// `size` bytes, at most eight, as an integer whose low byte comes first.
uint64_t LoadBytes(const char* bytes, size_t size) {
  uint64_t word = 0;
  std::memcpy(&word, bytes, size);
  return word;
}

// Calls take(word) for each eight bytes of the text; returns what is left.
template <typename F>
std::string_view ForEachWord(std::string_view text, F take) {
  size_t at = 0;
  for (; at + 8 <= text.size(); at += 8) take(LoadBytes(text.data() + at, 8));
  return text.substr(at);
}

uint64_t Murmur(std::string_view text) {
  constexpr uint64_t kFactor = 0xc6a4a7935bd1e995;
  const auto fold = [](uint64_t x) { return x ^ (x >> 47); };
  uint64_t hash = 0xDECAFCAFFE ^ (text.size() * kFactor);
  const std::string_view rest = ForEachWord(text, [&](uint64_t word) {
    hash ^= fold(word * kFactor) * kFactor;
    hash *= kFactor;
  });
  if (!rest.empty()) {
    hash ^= LoadBytes(rest.data(), rest.size());
    hash *= kFactor;
  }
  return fold(fold(hash) * kFactor);
}

struct SipKey {
  uint64_t low = 0;
  uint64_t high = 0;
};

// The letters are the paper's.
struct SipState {
  uint64_t v0, v1, v2, v3;

  void Round() {
    v0 += v1;
    v2 += v3;
    v1 = std::rotl(v1, 13) ^ v0;
    v3 = std::rotl(v3, 16) ^ v2;
    v0 = std::rotl(v0, 32);
    v2 += v1;
    v0 += v3;
    v1 = std::rotl(v1, 17) ^ v2;
    v3 = std::rotl(v3, 21) ^ v0;
    v2 = std::rotl(v2, 32);
  }
  void Compress(uint64_t word) {
    v3 ^= word;
    Round();
    Round();
    v0 ^= word;
  }
};

uint64_t Sip(std::string_view text, const SipKey& key) {
  SipState state = {key.low ^ 0x736f6d6570736575, key.high ^ 0x646f72616e646f6d,
                    key.low ^ 0x6c7967656e657261, key.high ^ 0x7465646279746573};
  const std::string_view rest = ForEachWord(text, [&](uint64_t word) { state.Compress(word); });
  state.Compress(LoadBytes(rest.data(), rest.size()) | uint64_t{text.size()} << 56);
  state.v2 ^= 0xff;
  for (int i = 0; i < 4; ++i) state.Round();
  return state.v0 ^ state.v1 ^ state.v2 ^ state.v3;
}

//   input: texts;  output: int64, the hash of each modulo the attr num_buckets
template <typename Hash>
Result<BoundKernel> BindBuckets(const Binding& binding, Hash hash) {
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t buckets, IntAttr(binding.node, "num_buckets"));
  if (buckets < 1) {
    return InvalidArgument("num_buckets must be at least 1, but it is " + std::to_string(buckets));
  }
  return BoundKernel([buckets = static_cast<uint64_t>(buckets), hash](KernelContext& context) {
    const Tensor& texts = context.input(0);
    Result<Tensor*> output = context.Allocate(0, DType::kInt64, texts.dims());
    if (!output.ok()) return output.status();
    int64_t* bucket = (*output)->mutable_data<int64_t>();
    for (const std::string& text : texts.flat<std::string>()) {
      *bucket++ = static_cast<int64_t>(hash(text) % buckets);
    }
    return Status();
  });
}

Result<BoundKernel> BindQuick(const Binding& binding) {
  return BindBuckets(binding, [](std::string_view text) { return Murmur(text); });
}

Result<BoundKernel> BindFast(const Binding& binding) {
  return BindBuckets(binding, [](std::string_view text) { return Fingerprint64(text); });
}

//   attr key: two numbers
Result<BoundKernel> BindStrong(const Binding& binding) {
  TAGFLOW_ASSIGN_OR_RETURN(const AttrList list, ListAttr(binding.node, "key"));
  if (list.ints.size() != 2) {
    return InvalidArgument("key must have two numbers, but it has " +
                           std::to_string(list.ints.size()));
  }
  const SipKey key = {static_cast<uint64_t>(list.ints[0]), static_cast<uint64_t>(list.ints[1])};
  return BindBuckets(binding, [key](std::string_view text) { return Sip(text, key); });
}

}  // namespace

Status RegisterStringHashKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"StringToHashBucket", BindQuick},
                                {"StringToHashBucketFast", BindFast},
                                {"StringToHashBucketStrong", BindStrong}});
}

}  // namespace tagflow::optimized
