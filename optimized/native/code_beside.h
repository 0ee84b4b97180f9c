#ifndef TAGFLOW_OPTIMIZED_NATIVE_CODE_BESIDE_H_
#define TAGFLOW_OPTIMIZED_NATIVE_CODE_BESIDE_H_

// Machine code of a loop that an idle thread makes, beside steps that go on interpreted: they write
// the loop as text, which is quick, and take the code when it is there.
//
// Thread safety: state() may be asked by any thread; of the others one at a time, under a lock of
// the caller's. The thread at work keeps what it needs, and whoever asked may be gone.
// Tested by native_beside_test.cc.

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "graph/status.h"
#include "optimized/idle_threads.h"
#include "optimized/native/compiled_loop.h"
#include "optimized/native/native_library.h"

namespace tagflow::optimized {

// A loop as text, and all that goes with its machine code.
struct WrittenLoop {
  std::string source;
  std::string function;  // its name
  NativeLibrary::Effort effort = NativeLibrary::Effort::kFull;
  bool counts_firings = false;  // for steps with a limit of firings
  CompiledLoop loop;            // without code
};

// REQUIRES: there is a native library
//   Errors: as NativeLibrary::Compile
Result<NativeCode> CompileWritten(const WrittenLoop& written);

class CodeBeside {
 public:
  enum class State : uint8_t {
    kNone,    // nothing was asked for
    kMaking,  // a thread is at work, or will be
    kMade,    // it is to be taken
  };

  State state() const { return work_->state.load(std::memory_order_acquire); }
  // Asks for what is missing: the library, if nobody has opened it, and kNone then follows. Returns
  // whether a thread was idle.
  // REQUIRES: kNone; of Start also a native library
  bool StartOpening(IdleThreads& threads);
  bool Start(WrittenLoop written, IdleThreads& threads);
  // The loop with its machine code, or with the reason why there is none.
  // REQUIRES: kMade; kNone follows
  std::pair<WrittenLoop, Result<NativeCode>> Take();

 private:
  struct Work {
    std::atomic<State> state = State::kNone;
    // Its thread's in kMaking; the caller's otherwise.
    WrittenLoop written;
    Result<NativeCode> code = NativeCode();
  };

  // Has a thread call `make` of the work, which is in the state that it returns then.
  bool Start(State (*make)(Work& work), IdleThreads& threads);

  const std::shared_ptr<Work> work_ = std::make_shared<Work>();
};

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_NATIVE_CODE_BESIDE_H_
