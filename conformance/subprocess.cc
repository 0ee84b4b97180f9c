#include "conformance/subprocess.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <mutex>

#include "conformance/frame_io.h"

extern char** environ;

namespace tagflow::conformance {
namespace {

constexpr size_t kErrorTailBytes = 600;

struct Pipe {
  int read_end = -1;
  int write_end = -1;
  bool Open() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return false;
    read_end = ends[0];
    write_end = ends[1];
    return true;
  }
  void Close() {
    if (read_end >= 0) close(read_end);
    if (write_end >= 0) close(write_end);
  }
};

void SetNonBlocking(int fd) { fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK); }

// Starts the program in a process group of its own, with the default action for SIGPIPE.
int Spawn(const std::vector<std::string>& arguments, const Pipe& in, const Pipe& out,
          const Pipe& err, pid_t& pid) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, in.read_end, 0);
  posix_spawn_file_actions_adddup2(&files, out.write_end, 1);
  posix_spawn_file_actions_adddup2(&files, err.write_end, 2);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
  posix_spawnattr_setpgroup(&attributes, 0);
  sigset_t defaults;
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGPIPE);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  const int error = posix_spawnp(&pid, argv[0], &files, &attributes, argv.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  return error;
}

std::string SignalName(int signal) {
  const char* name = sigabbrev_np(signal);
  return name == nullptr ? "signal " + std::to_string(signal) : std::string("SIG") + name;
}

std::string OneLine(std::string_view text) {
  std::string line;
  for (char c : text) {
    const bool blank = c == '\n' || c == '\r' || c == '\t' || c == ' ';
    if (!blank) {
      line += c;
    } else if (!line.empty() && line.back() != ' ') {
      line += ' ';
    }
  }
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

int MillisecondsUntil(Clock::time_point deadline) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
  return static_cast<int>(std::clamp<int64_t>(left, 0, 100));
}

}  // namespace

Result<std::unique_ptr<Subprocess>> Subprocess::Start(const std::vector<std::string>& arguments) {
  static std::once_flag once;
  std::call_once(once, IgnoreBrokenPipes);
  Pipe in, out, err;
  const bool opened = in.Open() && out.Open() && err.Open();
  auto child = std::unique_ptr<Subprocess>(new Subprocess);
  const int error = opened ? Spawn(arguments, in, out, err, child->pid_) : errno;
  if (error != 0) {
    in.Close();
    out.Close();
    err.Close();
    child->pid_ = -1;
    return NotFound("cannot start '" + arguments[0] + "': " + std::strerror(error));
  }
  close(in.read_end);
  close(out.write_end);
  close(err.write_end);
  child->input_ = in.write_end;
  child->output_ = out.read_end;
  child->errors_ = err.read_end;
  for (int fd : {child->input_, child->output_, child->errors_}) SetNonBlocking(fd);
  return child;
}

Subprocess::~Subprocess() {
  Kill();
  for (int fd : {input_, output_, errors_}) {
    if (fd >= 0) close(fd);
  }
}

void Subprocess::Kill() {
  if (pid_ < 0) return;
  kill(-pid_, SIGKILL);  // the group: a shell and the engine it started
  int ignored;
  while (waitpid(pid_, &ignored, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
}

Result<std::string> Subprocess::Exchange(std::string_view frame, Clock::time_point deadline) {
  if (pid_ < 0) return Status(Code::kAborted, "the engine has ended");
  received_.clear();
  bool open = true;
  while (open) {
    const std::optional<uint32_t> length = FrameLength(received_);
    if (length.has_value() && *length > kFrameBytesMax) {
      Kill();
      return DataLoss("the engine's answer is no frame (something printed to its output?)");
    }
    if (length.has_value() && received_.size() >= 4 + size_t{*length}) {
      if (received_.size() > 4 + size_t{*length}) {
        Kill();
        return DataLoss("the engine said more than one answer (something printed to its output?)");
      }
      return received_.substr(4);
    }
    if (Clock::now() >= deadline) {
      DrainErrors();
      Kill();
      return DeadlineExceeded("no answer in time");
    }
    pollfd watched[3] = {{output_, POLLIN, 0}, {errors_, POLLIN, 0}, {input_, POLLOUT, 0}};
    poll(watched, frame.empty() ? 2 : 3, MillisecondsUntil(deadline));
    if (watched[1].revents != 0) DrainErrors();
    if (watched[0].revents != 0) open = ReadOutput();
    if (!frame.empty() && watched[2].revents != 0 && !WriteSome(frame)) frame = {};
    // A grandchild may keep the pipes open after the engine is gone.
    siginfo_t info{};
    if (open && waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
        info.si_pid != 0) {
      open = ReadOutput() && FrameLength(received_).has_value();
    }
  }
  return EndedStatus();
}

bool Subprocess::ReadOutput() {
  char chunk[1 << 16];
  while (true) {
    const ssize_t got = read(output_, chunk, sizeof(chunk));
    if (got > 0) {
      received_.append(chunk, static_cast<size_t>(got));
    } else if (got == 0) {
      return false;
    } else if (errno != EINTR) {
      return errno == EAGAIN;
    }
  }
}

bool Subprocess::WriteSome(std::string_view& rest) const {
  const ssize_t put = write(input_, rest.data(), rest.size());
  if (put > 0) rest.remove_prefix(static_cast<size_t>(put));
  return put >= 0 || errno == EINTR || errno == EAGAIN;
}

void Subprocess::DrainErrors() {
  char chunk[1 << 12];
  ssize_t got;
  while ((got = read(errors_, chunk, sizeof(chunk))) > 0) {
    error_tail_.append(chunk, static_cast<size_t>(got));
    if (error_tail_.size() > 2 * kErrorTailBytes) {
      error_tail_.erase(0, error_tail_.size() - kErrorTailBytes);
    }
  }
  // At its end poll would report it for ever.
  if (got == 0) {
    close(errors_);
    errors_ = -1;
  }
}

Status Subprocess::EndedStatus() {
  // It closed its output; give it a moment to end, so that its own reason can be told.
  int state = 0;
  pid_t ended = 0;
  for (int i = 0; i < 100 && ended == 0; ++i) {
    ended = waitpid(pid_, &state, WNOHANG);
    if (ended == 0) poll(nullptr, 0, 10);
  }
  if (errors_ >= 0) DrainErrors();
  const pid_t group = pid_;
  if (ended == 0) {
    Kill();
    return Status(Code::kAborted, "the engine closed its output");
  }
  pid_ = -1;
  kill(-group, SIGKILL);  // what it may have started
  if (WIFSIGNALED(state)) {
    return Status(Code::kAborted, "the engine was killed by " + SignalName(WTERMSIG(state)));
  }
  return Status(Code::kAborted,
                "the engine ended with exit code " + std::to_string(WEXITSTATUS(state)));
}

std::string Subprocess::ErrorTail() const {
  const size_t skip =
      error_tail_.size() > kErrorTailBytes ? error_tail_.size() - kErrorTailBytes : 0;
  return OneLine(std::string_view(error_tail_).substr(skip));
}

}  // namespace tagflow::conformance
