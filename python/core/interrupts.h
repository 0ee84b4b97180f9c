#ifndef TAGFLOW_PYTHON_CORE_INTERRUPTS_H_
#define TAGFLOW_PYTHON_CORE_INTERRUPTS_H_

// Ctrl-C in a step. Python's own handler of SIGINT only notes the signal, and Python code looks at
// the note when it runs again, which is after the step. So while steps are run, a handler before
// Python's wakes a thread that cancels the step of the main thread; and the step's caller lets
// Python raise KeyboardInterrupt.
//
// Where SIGINT does what it does by default, or nothing, it is left alone: this is a Python inside
// of another program.

#include "optimized/canceller.h"

namespace tagflow::python {

// Between its constructor and destructor a step may run on this thread, with `canceller`. A handler
// of SIGINT that Python code has set within the last few milliseconds may still be the only one.
class InterruptibleStep {
 public:
  InterruptibleStep();
  InterruptibleStep(const InterruptibleStep&) = delete;
  ~InterruptibleStep();
  optimized::Canceller& canceller() { return canceller_; }

 private:
  optimized::Canceller canceller_;
  const bool is_watched_;
  optimized::Canceller* outer_ = nullptr;  // of the step whose kernel called Python, which is here
};

// How often this process was forked, its parents counted: threads do not survive that, and what
// has threads remembers the number it was made at.
int ForkGeneration();

}  // namespace tagflow::python

#endif  // TAGFLOW_PYTHON_CORE_INTERRUPTS_H_
