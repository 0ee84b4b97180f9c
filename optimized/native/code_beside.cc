#include "optimized/native/code_beside.h"

#include "graph/out_of_memory.h"

namespace tagflow::optimized {

Result<NativeCode> CompileWritten(const WrittenLoop& written) {
  return OrOutOfMemory([&] {
    return NativeLibrary::Get()->Compile(written.source, written.function, written.effort);
  });
}

bool CodeBeside::Start(State (*make)(Work& work), IdleThreads& threads) {
  work_->state = State::kMaking;
  // Without memory to ask in it is as if no thread were idle.
  bool is_started = false;
  (void)OrOutOfMemory([&] {
    is_started = threads.Start([work = work_, make] { work->state = make(*work); });
    return Status();
  });
  if (!is_started) work_->state = State::kNone;
  return is_started;
}

bool CodeBeside::StartOpening(IdleThreads& threads) {
  const auto open = [](Work& /*work*/) {
    NativeLibrary::TryToOpen();
    return State::kNone;
  };
  return Start(open, threads);
}

bool CodeBeside::Start(WrittenLoop written, IdleThreads& threads) {
  work_->written = std::move(written);
  const auto compile = [](Work& work) {
    work.code = CompileWritten(work.written);
    return State::kMade;
  };
  return Start(compile, threads);
}

std::pair<WrittenLoop, Result<NativeCode>> CodeBeside::Take() {
  std::pair<WrittenLoop, Result<NativeCode>> made(std::move(work_->written),
                                                  std::move(work_->code));
  work_->state = State::kNone;
  return made;
}

}  // namespace tagflow::optimized
