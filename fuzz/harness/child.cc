#include "fuzz/harness/child.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "conformance/frame_io.h"

namespace tagflow::fuzz {
namespace {

using Clock = std::chrono::steady_clock;

constexpr off_t kTailBytes = 600;

std::string SignalName(int signal) {
  const char* const name = sigabbrev_np(signal);
  return name == nullptr ? "signal " + std::to_string(signal) : std::string("SIG") + name;
}

void CloseAllBut(int a, int b) {
  const auto low = static_cast<unsigned>(std::min(a, b));
  const auto high = static_cast<unsigned>(std::max(a, b));
  if (low > 3) close_range(3, low - 1, 0);
  if (high > low + 1) close_range(low + 1, high - 1, 0);
  close_range(high + 1, ~0u, 0);
}

[[noreturn]] void Become(const std::function<void(int, int)>& body, pid_t parent, int in, int out,
                         int said) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(0);  // it died before that
  std::signal(SIGINT, SIG_IGN);
  std::signal(SIGTERM, SIG_DFL);
  std::signal(SIGPIPE, SIG_IGN);
  dup2(said, STDOUT_FILENO);
  dup2(said, STDERR_FILENO);
  CloseAllBut(in, out);
  body(in, out);
  _exit(0);
}

struct Pipe {
  int ends[2] = {-1, -1};
  bool Open() { return pipe2(ends, O_CLOEXEC) == 0; }
  void Close() {
    for (int end : ends) {
      if (end >= 0) close(end);
    }
  }
};

}  // namespace

Result<std::unique_ptr<Child>> Child::Fork(const std::function<void(int in, int out)>& body) {
  conformance::IgnoreBrokenPipes();
  auto child = std::unique_ptr<Child>(new Child);
  Pipe to, from;
  child->said_ = memfd_create("said", MFD_CLOEXEC);
  const bool opened = child->said_ >= 0 && to.Open() && from.Open();
  if (opened) fcntl(child->said_, F_SETFL, O_APPEND);
  const pid_t parent = getpid();
  const pid_t pid = opened ? fork() : -1;
  if (pid == 0) Become(body, parent, to.ends[0], from.ends[1], child->said_);
  if (pid < 0) {
    const int error = errno;
    to.Close();
    from.Close();
    return ResourceExhausted(std::string("cannot start a process: ") + std::strerror(error));
  }
  close(to.ends[0]);
  close(from.ends[1]);
  child->pid_ = pid;
  child->in_ = to.ends[1];
  child->out_ = from.ends[0];
  return child;
}

Child::~Child() {
  if (pid_ > 0) {
    Kill();
    Reap();
  }
  for (int fd : {in_, out_, said_}) {
    if (fd >= 0) close(fd);
  }
}

void Child::Kill() {
  if (pid_ > 0) kill(pid_, SIGKILL);
}

std::string Child::Reap() {
  if (pid_ <= 0) return "";
  int state = 0;
  while (waitpid(pid_, &state, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  std::string how;
  if (WIFSIGNALED(state)) {
    how = "killed by " + SignalName(WTERMSIG(state));
  } else if (WEXITSTATUS(state) != 0) {
    how = "ended with exit code " + std::to_string(WEXITSTATUS(state));
  } else {
    return "";
  }
  const std::string tail = Tail();
  return tail.empty() ? how : how + "; it said: " + tail;
}

std::string Child::Tail() const {
  char bytes[kTailBytes];
  const off_t size = lseek(said_, 0, SEEK_END);
  const ssize_t got = pread(said_, bytes, kTailBytes, std::max<off_t>(size - kTailBytes, 0));
  std::string line;
  for (ssize_t i = 0; i < got; ++i) {
    const char c = bytes[i];
    if (static_cast<unsigned char>(c) > ' ') {
      line += c;
    } else if (!line.empty() && line.back() != ' ') {
      line += ' ';
    }
  }
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

void ForgetPrinted() {
  std::fflush(stdout);
  if (ftruncate(STDERR_FILENO, 0) != 0) return;  // it is only a record
}

Result<std::string> CallInChild(const std::function<std::string()>& body, double timeout_s) {
  TAGFLOW_ASSIGN_OR_RETURN(const std::unique_ptr<Child> child, Child::Fork([&body](int, int out) {
                             (void)conformance::WriteAll(out, body());
                           }));
  const Clock::time_point deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                                        std::chrono::duration<double>(timeout_s));
  std::string answer;
  char bytes[1 << 14];
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return DeadlineExceeded("did not end in time");
    pollfd watched = {child->out(), POLLIN, 0};
    if (poll(&watched, 1, static_cast<int>(std::min<int64_t>(left, 1000))) <= 0) continue;
    const ssize_t got = read(child->out(), bytes, sizeof(bytes));
    if (got > 0) answer.append(bytes, static_cast<size_t>(got));
    if (got == 0) break;
  }
  const std::string how = child->Reap();
  if (!how.empty()) return Status(Code::kAborted, how);
  return answer;
}

}  // namespace tagflow::fuzz
