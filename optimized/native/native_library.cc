#include "optimized/native/native_library.h"

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <climits>
#include <cstdlib>
#include <utility>
#include <vector>

#include "graph/out_of_memory.h"
#include "optimized/native/llvm/tagflow_native.h"

namespace tagflow::optimized {
namespace {

using Clock = std::chrono::steady_clock;
double SecondsSince(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

constexpr char kFile[] = "libtagflow_native.so";
// The path of the library, for those who keep it elsewhere; "none": no library.
constexpr char kVariable[] = "TAGFLOW_NATIVE_LIBRARY";

// LLVM ends the process where it gets no memory, so it is asked for before. Of a source of 20,000
// instructions, 3 MB long, compiling took 100 MB; of a short one 40, with what the first one takes.
constexpr size_t kLeastRoom = size_t{64} << 20, kRoomForByte = 64;
bool HasRoomFor(std::string_view source) {
  const size_t bytes = kLeastRoom + kRoomForByte * source.size();
  void* const room =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (room == MAP_FAILED) return false;
  munmap(room, bytes);
  return true;
}
Status NoRoom() { return ResourceExhausted("there is no memory to compile in"); }

std::string FolderOf(const std::string& path) { return path.substr(0, path.rfind('/') + 1); }

std::string Program() {
  char path[PATH_MAX];
  const ssize_t size = readlink("/proc/self/exe", path, sizeof path);
  return size > 0 ? std::string(path, static_cast<size_t>(size)) : "";
}
// The file that this function was loaded from. A path that is not absolute is a program's, as it
// was called: nothing is loaded from wherever the process happens to be.
std::string OwnFile() {
  Dl_info info;
  const bool is_known = dladdr(reinterpret_cast<const void*>(&FolderOf), &info) != 0;
  const std::string file = is_known && info.dli_fname != nullptr ? info.dli_fname : "";
  return file.starts_with('/') ? file : Program();
}

// Where the library may be: beside the engine or in the folder above (as in the Python package, for
// its command), or among a program's files as Bazel lays them out.
std::vector<std::string> Candidates() {
  if (const char* const named = std::getenv(kVariable)) return {named};
  const std::string in_runfiles = std::string(".runfiles/tagflow/optimized/native/llvm/") + kFile;
  const std::string own = FolderOf(OwnFile());
  std::vector<std::string> candidates = {own + kFile, own + "../" + kFile, Program() + in_runfiles};
  if (const char* const runfiles = std::getenv("TEST_SRCDIR")) {
    candidates.push_back(std::string(runfiles) + "/tagflow/optimized/native/llvm/" + kFile);
  }
  return candidates;
}

}  // namespace

struct NativeLibrary::Functions {
  decltype(&tagflow_native_has_body) has_body;
  decltype(&tagflow_native_compile) compile;
  decltype(&tagflow_native_function) function;
  decltype(&tagflow_native_release) release;
  decltype(&tagflow_native_optimized) optimized;
  decltype(&tagflow_native_ptx) ptx;
  decltype(&tagflow_native_free) free;

  // What the library gave, or what was wrong.
  Result<std::string> Taken(char* text, char* error) const {
    if (text == nullptr) return Failed(error);
    std::string taken = text;
    free(text);
    return taken;
  }
  Status Failed(char* error) const {
    Status status = error == nullptr ? NoRoom() : Internal(std::string("LLVM: ") + error);
    free(error);
    return status;
  }
};

NativeLibrary::NativeLibrary(std::unique_ptr<const Functions> functions)
    : functions_(std::move(functions)) {}
NativeLibrary::~NativeLibrary() = default;

Result<std::unique_ptr<const NativeLibrary>> NativeLibrary::Open() {
  std::string tried;
  for (const std::string& path : Candidates()) {
    tried += (tried.empty() ? "" : ", ") + path;
    if (access(path.c_str(), R_OK) != 0) continue;
    // By itself, and with its own symbols first: its LLVM is nobody else's.
    void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return FailedPrecondition(dlerror());
    const auto find = [&](auto& function, const char* name) {
      function = reinterpret_cast<std::decay_t<decltype(function)>>(dlsym(library, name));
      return function != nullptr;
    };
    decltype(&tagflow_native_version) version = nullptr;
    if (!find(version, "tagflow_native_version") || version() != TAGFLOW_NATIVE_VERSION) {
      return FailedPrecondition(path + " is of another version of the engine");
    }
    auto functions = std::make_unique<Functions>();
    const bool has_all = find(functions->has_body, "tagflow_native_has_body") &&
                         find(functions->compile, "tagflow_native_compile") &&
                         find(functions->function, "tagflow_native_function") &&
                         find(functions->release, "tagflow_native_release") &&
                         find(functions->optimized, "tagflow_native_optimized") &&
                         find(functions->ptx, "tagflow_native_ptx") &&
                         find(functions->free, "tagflow_native_free");
    if (!has_all) return FailedPrecondition(path + " lacks some function");
    return std::unique_ptr<const NativeLibrary>(new NativeLibrary(std::move(functions)));
  }
  return NotFound(std::string("there is no ") + kFile + " (looked for: " + tried + ")");
}

namespace {

std::atomic<double> opened_ns = 0;

// It stays open as long as the process: machine code may run while that ends.
const Result<std::unique_ptr<const NativeLibrary>>& Opened(
    Result<std::unique_ptr<const NativeLibrary>> (*open)()) {
  static const auto* const opened = [open] {
    const Clock::time_point begin = Clock::now();
    const auto* const result = new Result<std::unique_ptr<const NativeLibrary>>(open());
    if (result->ok()) (void)(**result)->HasBody("");  // which starts LLVM
    opened_ns = std::max(1.0, SecondsSince(begin) * 1e9);
    return result;
  }();
  return *opened;
}

}  // namespace

double NativeLibrary::OpenedNs() { return opened_ns.load(std::memory_order_relaxed); }

const NativeLibrary* NativeLibrary::Get() {
  const auto& opened = Opened(&NativeLibrary::Open);
  return opened.ok() ? opened->get() : nullptr;
}

void NativeLibrary::TryToOpen() {
  (void)OrOutOfMemory([] {
    Get();
    return Status();
  });
}

std::string NativeLibrary::WhyNot() {
  const auto& opened = Opened(&NativeLibrary::Open);
  return opened.ok() ? "" : std::string(opened.status().message());
}

bool NativeLibrary::HasBody(const std::string& name) const {
  return functions_->has_body(name.c_str()) != 0;
}

Result<NativeCode> NativeLibrary::Compile(std::string_view source, const std::string& name,
                                          Effort effort) const {
  const Clock::time_point begin = Clock::now();
  if (!HasRoomFor(source)) return NoRoom();
  char* error = nullptr;
  tagflow_native_code* const made =
      functions_->compile(source.data(), source.size(), effort == Effort::kLittle, &error);
  if (made == nullptr) return functions_->Failed(error);
  NativeCode code;
  code.owner = std::shared_ptr<const void>(
      made, [release = functions_->release](tagflow_native_code* kept) { release(kept); });
  code.address = functions_->function(made, name.c_str());
  if (code.address == nullptr) return Internal("LLVM made no code of '" + name + "'");
  code.seconds = SecondsSince(begin);
  return code;
}

Result<std::string> NativeLibrary::Optimized(std::string_view source, Effort effort) const {
  if (!HasRoomFor(source)) return NoRoom();
  char* error = nullptr;
  char* const text =
      functions_->optimized(source.data(), source.size(), effort == Effort::kLittle, &error);
  return functions_->Taken(text, error);
}

Result<std::string> NativeLibrary::Ptx(std::string_view source) const {
  if (!HasRoomFor(source)) return NoRoom();
  char* error = nullptr;
  char* const text = functions_->ptx(source.data(), source.size(), &error);
  return functions_->Taken(text, error);
}

}  // namespace tagflow::optimized
