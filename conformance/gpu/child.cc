#include "conformance/gpu/child.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string_view>

extern char** environ;

namespace tagflow::conformance {
namespace {

using Clock = std::chrono::steady_clock;

// For a function of C: the strings outlive it.
std::vector<char*> Pointers(const std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  for (const std::string& each : strings) pointers.push_back(const_cast<char*>(each.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

std::vector<std::string> Environment(const std::vector<std::string>& variables) {
  std::vector<std::string> all = variables;
  for (char** each = environ; *each != nullptr; ++each) {
    const std::string_view inherited = *each;
    const std::string_view name = inherited.substr(0, inherited.find('=') + 1);
    const auto has_name = [&](const std::string& variable) { return variable.starts_with(name); };
    if (std::ranges::none_of(variables, has_name)) all.emplace_back(inherited);
  }
  return all;
}

// Whether the child has closed its output, as its end does, by then.
bool ReadAll(int output, Clock::time_point end, std::string& text) {
  char chunk[1 << 12];
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now()).count();
    if (left <= 0) return false;
    pollfd watched = {output, POLLIN, 0};
    if (poll(&watched, 1, static_cast<int>(left)) <= 0) continue;
    const ssize_t got = read(output, chunk, sizeof(chunk));
    if (got == 0 || (got < 0 && errno != EINTR)) return true;
    if (got > 0) text.append(chunk, static_cast<size_t>(got));
  }
}

std::string HowItEnded(int state) {
  if (WIFEXITED(state) && WEXITSTATUS(state) == 0) return "";
  if (WIFEXITED(state)) return "exit code " + std::to_string(WEXITSTATUS(state));
  const char* const name = sigabbrev_np(WTERMSIG(state));
  return name == nullptr ? "signal " + std::to_string(WTERMSIG(state)) : std::string("SIG") + name;
}

int Spawn(const std::vector<std::string>& arguments, const std::vector<std::string>& variables,
          int output, pid_t& child) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&files, output, STDERR_FILENO);
  const std::vector<std::string> environment = Environment(variables);
  const int error = posix_spawn(&child, arguments[0].c_str(), &files, nullptr,
                                Pointers(arguments).data(), Pointers(environment).data());
  posix_spawn_file_actions_destroy(&files);
  return error;
}

}  // namespace

Result<ChildEnd> RunChild(const std::vector<std::string>& arguments,
                          const std::vector<std::string>& variables, std::chrono::seconds limit) {
  const Clock::time_point end = Clock::now() + limit;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return Internal("no pipe");
  pid_t child = -1;
  const int error = Spawn(arguments, variables, ends[1], child);
  close(ends[1]);
  ChildEnd ended;
  const bool is_over = error == 0 && ReadAll(ends[0], end, ended.output);
  close(ends[0]);
  if (error != 0) return NotFound("cannot start '" + arguments[0] + "': " + std::strerror(error));
  if (!is_over) kill(child, SIGKILL);
  int state = 0;
  while (waitpid(child, &state, 0) < 0 && errno == EINTR) {
  }
  ended.why = is_over ? HowItEnded(state) : "hangs";
  return ended;
}

}  // namespace tagflow::conformance
