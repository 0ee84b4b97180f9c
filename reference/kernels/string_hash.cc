// Ops that share texts out to numbered buckets, by a hash of their bytes.
//
// Sources:
//   StringToHashBucket        MurmurHash64A of Appleby, https://github.com/aappleby/smhasher, with
//   a
//                             seed of TensorFlow's
//   StringToHashBucketFast    fingerprint.h
//   StringToHashBucketStrong  SipHash-2-4 of Aumasson and Bernstein, "SipHash: a fast short-input
//                             PRF", INDOCRYPT 2012
// Both take the bytes eight at a time, as an integer whose low byte comes first.

#include <algorithm>
#include <bit>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "reference/kernels/array_util.h"
#include "reference/kernels/families.h"
#include "reference/kernels/fingerprint.h"

namespace tagflow::reference {
namespace {

// Up to eight bytes, the ones that are missing being 0.
uint64_t Word(std::string_view bytes) {
  uint64_t word = 0;
  for (size_t i = 0; i < std::min<size_t>(bytes.size(), 8); ++i) {
    word |= uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  }
  return word;
}

uint64_t Murmur(std::string_view text) {
  constexpr uint64_t kSeed = 0xDECAFCAFFE;
  constexpr uint64_t kFactor = 0xc6a4a7935bd1e995;
  const auto mix = [](uint64_t x) { return x ^ x >> 47; };
  uint64_t hash = kSeed ^ text.size() * kFactor;
  for (; text.size() >= 8; text.remove_prefix(8)) {
    hash = (hash ^ mix(Word(text) * kFactor) * kFactor) * kFactor;
  }
  if (!text.empty()) hash = (hash ^ Word(text)) * kFactor;
  return mix(mix(hash) * kFactor);
}

class SipHash {
 public:
  SipHash(uint64_t key0, uint64_t key1)
      : a_(key0 ^ 0x736f6d6570736575),  // "somepseudorandomlygeneratedbytes"
        b_(key1 ^ 0x646f72616e646f6d),
        c_(key0 ^ 0x6c7967656e657261),
        d_(key1 ^ 0x7465646279746573) {}

  uint64_t Of(std::string_view text) && {
    const uint64_t size = text.size();
    for (; text.size() >= 8; text.remove_prefix(8)) Take(Word(text));
    Take(Word(text) | size << 56);
    c_ ^= 0xff;
    for (int i = 0; i < 4; ++i) Round();
    return a_ ^ b_ ^ c_ ^ d_;
  }

 private:
  void Take(uint64_t word) {
    d_ ^= word;
    for (int i = 0; i < 2; ++i) Round();
    a_ ^= word;
  }
  void Round() {
    a_ += b_;
    b_ = std::rotl(b_, 13) ^ a_;
    a_ = std::rotl(a_, 32);
    c_ += d_;
    d_ = std::rotl(d_, 16) ^ c_;
    a_ += d_;
    d_ = std::rotl(d_, 21) ^ a_;
    c_ += b_;
    b_ = std::rotl(b_, 17) ^ c_;
    c_ = std::rotl(c_, 32);
  }

  uint64_t a_, b_, c_, d_;
};

// The texts' hashes modulo the attr num_buckets.
Status IntoBuckets(KernelContext& context, const std::function<uint64_t(std::string_view)>& hash) {
  const Tensor& texts = context.inputs[0];
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t buckets, IntAttr(context.node, "num_buckets"));
  if (buckets < 1) {
    return InvalidArgument("num_buckets must be at least 1, but it is " + std::to_string(buckets));
  }
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], Tensor::Allocate(DType::kInt64, texts.dims()));
  int64_t* bucket = context.outputs[0].mutable_data<int64_t>();
  for (const std::string& text : texts.flat<std::string>()) {
    *bucket++ = static_cast<int64_t>(hash(text) % static_cast<uint64_t>(buckets));
  }
  return Status();
}

//   input: texts;  output: int64, the bucket of each
Status StringToHashBucket(KernelContext& context) { return IntoBuckets(context, Murmur); }

Status StringToHashBucketFast(KernelContext& context) { return IntoBuckets(context, Fingerprint); }

//   as above; the attr key: two numbers
Status StringToHashBucketStrong(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const AttrList list, ListAttr(context.node, "key"));
  if (list.ints.size() != 2) {
    return InvalidArgument("key must have two numbers, but it has " +
                           std::to_string(list.ints.size()));
  }
  const SipHash keyed(static_cast<uint64_t>(list.ints[0]), static_cast<uint64_t>(list.ints[1]));
  return IntoBuckets(context, [&](std::string_view text) { return SipHash(keyed).Of(text); });
}

}  // namespace

Status RegisterStringHashKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"StringToHashBucket", StringToHashBucket},
                                {"StringToHashBucketFast", StringToHashBucketFast},
                                {"StringToHashBucketStrong", StringToHashBucketStrong}});
}

}  // namespace tagflow::reference
