// No failed allocation ends the command: neither while it puts together what ops there are, which a
// process does once, nor while it reads, plans, runs and prints.
//
// Each try is a process of its own, forked before anything of the command ran, in which allocation
// number k fails, alone or with all after it.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "cli/command.h"
#include "tools/allocations/failing_new.h"

namespace tagflow::allocations {
namespace {

// Written by the child before it ends.
struct Outcome {
  bool has_ended = false;
  int64_t failed = 0;
};

class CommandStart : public testing::Test {
 protected:
  void SetUp() override {
    void* const shared =
        mmap(nullptr, sizeof(Outcome), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(shared, MAP_FAILED);
    outcome_ = new (shared) Outcome;
  }
  void TearDown() override { munmap(outcome_, sizeof(Outcome)); }

  [[noreturn]] void BeTheCommand(int64_t k, bool all_after) {
    const int nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
    std::vector<char*> argv;
    for (std::string& word : words_) argv.push_back(word.data());
    int code = 0;
    {
      const FailingNew failing(k, all_after);
      code = cli::Main(static_cast<int>(argv.size()), argv.data());
      outcome_->failed = failing.failed();
    }
    outcome_->has_ended = true;
    _exit(code);
  }

  // Whether an allocation failed.
  bool Try(int64_t k, bool all_after) {
    *outcome_ = Outcome();
    const pid_t child = fork();
    if (child == 0) BeTheCommand(k, all_after);
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(outcome_->has_ended) << "allocation " << k << (all_after ? " and all after it" : "")
                                     << " ended the process, status " << status;
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    EXPECT_TRUE(code == 0 || outcome_->failed > 0) << "no allocation failed";
    return outcome_->failed > 0;
  }

  std::vector<std::string> words_ = {"tagflow",   "run",      "examples/newton/graph.pbtxt",
                                     "--feed",    "a=[2,9]",  "--fetch",
                                     "root",      "--engine", "optimized",
                                     "--threads", "2"};
  Outcome* outcome_ = nullptr;
};

// The number of an allocation, found by halving: those up to it take place, the next does not.
TEST_F(CommandStart, IsNotEndedByAFailedAllocation) {
  int64_t upto = 1, beyond = 2;
  while (Try(beyond, false)) beyond *= 2;
  for (upto = beyond / 2; upto + 1 < beyond;) {
    const int64_t middle = (upto + beyond) / 2;
    (Try(middle, false) ? upto : beyond) = middle;
  }
  // All of them with TAGFLOW_EVERY_ALLOCATION=1: two minutes.
  const bool is_every_one = std::getenv("TAGFLOW_EVERY_ALLOCATION") != nullptr;
  const int64_t stride = is_every_one ? 1 : upto / 1000 + 1;
  int64_t places = 0;
  for (int64_t k = 1; k <= upto; k += stride) {
    Try(k, false);
    Try(k, true);
    ++places;
    if (HasFailure()) return;
  }
  std::printf("%lld allocations, %lld places tried\n", static_cast<long long>(upto),
              static_cast<long long>(places));
}

}  // namespace
}  // namespace tagflow::allocations
