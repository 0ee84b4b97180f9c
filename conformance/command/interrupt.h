#ifndef TAGFLOW_CONFORMANCE_COMMAND_INTERRUPT_H_
#define TAGFLOW_CONFORMANCE_COMMAND_INTERRUPT_H_

// Ctrl-C, for commands that run long.   Tested by interrupt_test.cc.

namespace tagflow {

// From now on the first Ctrl-C (or SIGTERM) only sets what Interrupted() tells, so that the step
// can end cleanly; a second one ends the process.
void CatchInterrupts();
bool Interrupted();

}  // namespace tagflow

#endif  // TAGFLOW_CONFORMANCE_COMMAND_INTERRUPT_H_
