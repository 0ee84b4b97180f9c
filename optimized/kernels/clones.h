#ifndef TAGFLOW_OPTIMIZED_KERNELS_CLONES_H_
#define TAGFLOW_OPTIMIZED_KERNELS_CLONES_H_

// TAGFLOW_CLONES, before a function: it is compiled once for any processor and once for those with
// AVX2, and the dynamic loader takes the one that fits. So the default build has loops of 256 bits.
//
// The results are the same bits: vectors change how many elements are computed at a time and not
// what is computed, and AVX2 has no fused multiply-add (which -ffp-contract=off forbids anyway).
//
// TAGFLOW_WIDE_CLONES: and once for those with AVX-512. That is worth its build time for functions
// of many operations and choices, as exp, tanh and the logistic function are (a fifth of the time
// of 4,096 of them); sums and products are no quicker, since memory and the first cache are what
// they wait for.
//
// What the function calls must be inlined into it to gain from this. Sanitizers want no code before
// they are set up, which is when the loader asks; clang does not clone templates: there the
// macros are empty.

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__AVX2__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define TAGFLOW_CLONES __attribute__((target_clones("avx2", "default")))
#define TAGFLOW_WIDE_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define TAGFLOW_CLONES
#define TAGFLOW_WIDE_CLONES
#endif

#endif  // TAGFLOW_OPTIMIZED_KERNELS_CLONES_H_
