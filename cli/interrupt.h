#ifndef TAGFLOW_CLI_INTERRUPT_H_
#define TAGFLOW_CLI_INTERRUPT_H_

namespace tagflow::cli {

// From now on the first Ctrl-C (or SIGTERM) only sets what Interrupted() tells, so that the step
// can end cleanly; a second one ends the process.
void CatchInterrupts();
bool Interrupted();

}  // namespace tagflow::cli

#endif  // TAGFLOW_CLI_INTERRUPT_H_
