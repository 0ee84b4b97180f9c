#ifndef TAGFLOW_FUZZ_HARNESS_CHILD_H_
#define TAGFLOW_FUZZ_HARNESS_CHILD_H_

// A forked copy of this process, so that code that may crash, hang or eat the memory can be run and
// lost. Fork before there are threads.

#include <sys/types.h>

#include <functional>
#include <memory>
#include <string>

#include "graph/status.h"

namespace tagflow::fuzz {

// What the child prints goes to a file in memory, whose end is kept for when it dies. Not
// thread-safe. Destroying it kills the child.
class Child {
 public:
  // Calls `body` in the child with the ends of two pipes, one to read from and one to write to; the
  // child ends when it returns, without running destructors or flushing streams. Interrupts
  // (SIGINT) and broken pipes are ignored in the child, and it dies with its parent. It has no
  // other file of the parent's open.
  //   Errors: RESOURCE_EXHAUSTED when the system gives no process or pipe.
  static Result<std::unique_ptr<Child>> Fork(const std::function<void(int in, int out)>& body);
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  int in() const { return in_; }    // the child reads what is written here
  int out() const { return out_; }  // what the child writes can be read here
  void Kill();
  // Waits for the child's end: "killed by SIGSEGV; it said: …", or "" for a child that returned.
  std::string Reap();

 private:
  Child() = default;
  std::string Tail() const;

  pid_t pid_ = -1;
  int in_ = -1;
  int out_ = -1;
  int said_ = -1;  // what the child printed
};

// In a child: forgets what it has printed so far.
void ForgetPrinted();

// Runs `body` in a child and gives what it returns.
//   Errors: ABORTED when the child died, saying how; DEADLINE_EXCEEDED; RESOURCE_EXHAUSTED.
Result<std::string> CallInChild(const std::function<std::string()>& body, double timeout_s);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_HARNESS_CHILD_H_
