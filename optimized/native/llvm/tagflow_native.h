#ifndef TAGFLOW_OPTIMIZED_NATIVE_LLVM_TAGFLOW_NATIVE_H_
#define TAGFLOW_OPTIMIZED_NATIVE_LLVM_TAGFLOW_NATIVE_H_

// The interface of libtagflow_native.so, which makes machine code of texts in LLVM's language. It
// is in C, so that the library and who opens it need no common C++, and no LLVM shows.
//
// Texts are UTF-8. A `char*` that is given belongs to the caller, who gives it back to
// tagflow_native_free. Functions may be called from several threads at once.

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// The version of this interface, which who opens the library asks for first.
#define TAGFLOW_NATIVE_VERSION 3
int tagflow_native_version(void);

// The attribute of functions whose loops are to become vectors, and its values: of 256 bits, or as
// long as the processor has them, which some processors need a while for. Other functions have none
// that are longer than 128 bits.
#define TAGFLOW_NATIVE_VECTORS "tagflow-vectors"
#define TAGFLOW_NATIVE_SHORT_VECTORS "short"
#define TAGFLOW_NATIVE_LONG_VECTORS "long"

// Machine code; null where there is none.
typedef struct tagflow_native_code tagflow_native_code;

// Whether a source may call a function of this name (bodies.cc).
int tagflow_native_has_body(const char* name);

// Compiles a module; null, and what is wrong in *error, where that cannot be.
//   quickly: not 0 for code that is run once or so: it takes a fiftieth of the time, and what comes
//   of it is slower
tagflow_native_code* tagflow_native_compile(const char* source, size_t size, int quickly,
                                            char** error);
// The address of a function in it; null where there is none.
void* tagflow_native_function(const tagflow_native_code* code, const char* name);
void tagflow_native_release(tagflow_native_code* code);

// The module as it is after LLVM's passes, in its language; null and *error as above.
char* tagflow_native_optimized(const char* source, size_t size, int quickly, char** error);

// The module in PTX, which the driver of an NVIDIA GPU makes code of: for those of
// TAGFLOW_NATIVE_PTX and all that came later. No multiplication and addition of it become one. Null
// and *error as above, and where a function is called that is neither the module's nor a body.
#define TAGFLOW_NATIVE_PTX "sm_75"
char* tagflow_native_ptx(const char* source, size_t size, char** error);

void tagflow_native_free(char* text);

#ifdef __cplusplus
}
#endif

#endif  // TAGFLOW_OPTIMIZED_NATIVE_LLVM_TAGFLOW_NATIVE_H_
