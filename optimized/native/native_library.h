#ifndef TAGFLOW_OPTIMIZED_NATIVE_NATIVE_LIBRARY_H_
#define TAGFLOW_OPTIMIZED_NATIVE_NATIVE_LIBRARY_H_

// The library that turns text in LLVM's language into machine code, libtagflow_native.so. It is
// opened when it is first asked for, and by itself: its LLVM is hidden, and none of a process that
// has another LLVM.
//
// Thread safety: any thread. Tested by llvm/tagflow_native_test.cc.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "graph/status.h"

namespace tagflow::optimized {

// What came of an instruction that machine code left to the machine.
enum class NativeOutcome : int32_t {
  kDone,         // go on behind it
  kFused,        // of a kTryFused: go on at its target
  kLeaveBefore,  // it was not run: the machine goes on with it
  kFailed,
};

struct NativeTensor;
struct TensorType;

// Who runs a loop, for what machine code does not do itself.
struct NativeHost {
  void* self;
  // Runs an instruction; a NativeOutcome.
  int32_t (*run)(void* self, int32_t instruction);
  // Opens a container of a CellsKind, for tensors of the type or, where that is null, for scalars;
  // and closes a list (open_cells.h).
  void* (*open)(void* self, int32_t kind, uint32_t slot, const TensorType* type);
  void (*close)(void* self, void* list, uint32_t slot);
  // Where the elements of a slot with a tensor are (loop_values.h); null where it holds another. If
  // instruction `writer` is to write them all, the slot gets new ones where others have them, too,
  // or there are none: null then where there is no memory, and the error is kept.
  //   writer: or kNativeReads; or kNativeChanges, for some of them: null where others have them
  void* (*elements)(void* self, const NativeTensor* tensor, int32_t writer);
  // Puts a slot's tensor into a Cell, which is empty or has another, and takes one from there: then
  // it says where the elements are; null where the tensor is of another type.
  //   moves: whether it is not to be in the slot any more; keeps: whether to be in the cell, too
  void (*put)(void* self, uint32_t slot, void* cell, int32_t moves);
  void* (*get)(void* self, const NativeTensor* tensor, void* cell, int32_t keeps);
  const TensorType* list;  // the type of lists as elements of lists
  // Of the loop that is run.
  const NativeTensor* tensors;
};

constexpr int32_t kNativeReads = -1, kNativeChanges = -2;

// A loop as machine code.
//   slots: of the step
//   iterations: by depth of frames
//   fuel: firings left
//   stop: another than 0 ends it
//   returns: the number of the instruction that comes next, or kNativeFailed
using NativeFunction = int32_t (*)(void* slots, int64_t* iterations, int64_t* fuel,
                                   const void* stop, const NativeHost* host);
constexpr int32_t kNativeFailed = -1;

// Machine code; it goes with its last owner.
struct NativeCode {
  NativeFunction loop() const { return reinterpret_cast<NativeFunction>(address); }

  void* address = nullptr;            // of the function
  double seconds = 0;                 // that it took to make it
  std::shared_ptr<const void> owner;  // what keeps it
};

class NativeLibrary {
 public:
  // Null where there is none: NativeLibrary::WhyNot says why.
  static const NativeLibrary* Get();
  static std::string WhyNot();
  // Opens it, if nobody has. Where there is no memory for it now, whoever asks next tries again.
  static void TryToOpen();
  // Nanoseconds that opening it took, and starting LLVM; 0: nobody has asked for it.
  static double OpenedNs();

  // Whether there is a function of this name that code may call: "Add_i32" of formulas::Add.
  bool HasBody(const std::string& name) const;
  //   source: a module in LLVM's language with a function `name`
  //   effort: kLittle for code that is run once in a while
  //   Errors: INTERNAL for a source that is none, RESOURCE_EXHAUSTED
  enum class Effort : uint8_t { kLittle, kFull };
  Result<NativeCode> Compile(std::string_view source, const std::string& name,
                             Effort effort = Effort::kFull) const;
  // The module after LLVM's passes, in its language.
  //   Errors: as Compile
  Result<std::string> Optimized(std::string_view source, Effort effort = Effort::kFull) const;
  // The module in the language of NVIDIA's drivers; its kernels are ptx_kernels.
  //   Errors: as Compile
  Result<std::string> Ptx(std::string_view source) const;

 private:
  struct Functions;
  explicit NativeLibrary(std::unique_ptr<const Functions> functions);
  static Result<std::unique_ptr<const NativeLibrary>> Open();

  const std::unique_ptr<const Functions> functions_;

 public:
  ~NativeLibrary();
};

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_NATIVE_NATIVE_LIBRARY_H_
