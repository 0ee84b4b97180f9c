#ifndef TAGFLOW_OPTIMIZED_KERNELS_CLONES_H_
#define TAGFLOW_OPTIMIZED_KERNELS_CLONES_H_

// TAGFLOW_CLONES, before a function: it is compiled once for any processor and once for those with
// AVX2, and the dynamic loader takes the one that fits. So the default build has loops of 256 bits.
//
// The results are the same bits: vectors change how many elements are computed at a time and not
// what is computed, and AVX2 has no fused multiply-add (which -ffp-contract=off forbids anyway).
// AVX-512 is left out: compilers prefer its 256-bit form, and each clone costs build time.
//
// What the function calls must be inlined into it to gain from this. Sanitizers want no code before
// they are set up, which is when the loader asks; clang does not clone templates: there the macro
// is empty.

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__AVX2__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define TAGFLOW_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define TAGFLOW_CLONES
#endif

#endif  // TAGFLOW_OPTIMIZED_KERNELS_CLONES_H_
