#ifndef TAGFLOW_GRAPH_STATUS_H_
#define TAGFLOW_GRAPH_STATUS_H_

// Errors as values. A Status is one pointer: null is OK, else an immutable, shared record with the
// canonical code, the message and where it happened (rule of docs/semantics.md, node, tag, device).
// Result<T> is a T or an error.
//
// Thread safety: a Status may be copied and read from any thread; its record never changes once
// made.

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace tagflow {

// TensorFlow's canonical codes, with their numbers.
enum class Code : uint8_t {
  kOk = 0,
  kCancelled = 1,
  kUnknown = 2,
  kInvalidArgument = 3,
  kDeadlineExceeded = 4,
  kNotFound = 5,
  kAlreadyExists = 6,
  kPermissionDenied = 7,
  kResourceExhausted = 8,
  kFailedPrecondition = 9,
  kAborted = 10,
  kOutOfRange = 11,
  kUnimplemented = 12,
  kInternal = 13,
  kUnavailable = 14,
  kDataLoss = 15,
  kUnauthenticated = 16,
};

// "INVALID_ARGUMENT", …; "OK" for kOk.
std::string_view CodeName(Code code);
// The inverse of CodeName; nothing for an unknown name.
std::optional<Code> CodeFromName(std::string_view name);

class [[nodiscard]] Status {
 public:
  Status() = default;  // OK
  Status(Code code, std::string message);
  Status(const Status& other);
  Status(Status&& other) noexcept : rep_(std::exchange(other.rep_, nullptr)) {}
  Status& operator=(Status other) noexcept {
    std::swap(rep_, other.rep_);
    return *this;
  }
  ~Status() {
    if (rep_ != nullptr) [[unlikely]]
      Unref();
  }

  bool ok() const { return rep_ == nullptr; }
  Code code() const;
  const std::string& message() const;
  const std::string& rule() const;
  const std::string& node() const;
  const std::string& tag() const;
  const std::string& device() const;

  // Each returns this status with one more field set, unless that field is set already (the
  // innermost place wins). On OK they do nothing.
  Status WithRule(std::string_view rule) const;
  Status WithNode(std::string_view node) const;
  Status WithTag(std::string_view tag) const;
  Status WithDevice(std::string_view device) const;

  // "OK", or "CODE: message [node 'n' at tag f[3], rule merge.3]".
  std::string ToString() const;

 private:
  struct Rep;
  Status With(std::string Rep::*field, std::string_view value) const;
  void Unref();
  const Rep* rep_ = nullptr;
};

Status InvalidArgument(std::string message);
Status NotFound(std::string message);
Status AlreadyExists(std::string message);
Status FailedPrecondition(std::string message);
Status OutOfRange(std::string message);
Status Unimplemented(std::string message);
Status Internal(std::string message);
Status ResourceExhausted(std::string message);
Status Cancelled(std::string message);
Status DeadlineExceeded(std::string message);
Status DataLoss(std::string message);

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value)
      : state_(std::in_place_index<1>, std::move(value)) {}  // NOLINT: converts on return
  Result(Status status)
      : state_(std::in_place_index<0>, std::move(status)) {}  // NOLINT. REQUIRES: !status.ok()

  bool ok() const { return state_.index() == 1; }
  Status status() const { return ok() ? Status() : std::get<0>(state_); }

  // REQUIRES: ok()
  T& operator*() & { return std::get<1>(state_); }
  const T& operator*() const& { return std::get<1>(state_); }
  T&& operator*() && { return std::get<1>(std::move(state_)); }
  T* operator->() { return &std::get<1>(state_); }
  const T* operator->() const { return &std::get<1>(state_); }

 private:
  std::variant<Status, T> state_;
};

// Prints and ends the process. Only for what cannot happen in a validated graph: a bug of ours,
// never a user's error.
[[noreturn]] void CheckFailed(const char* file, int line, const char* condition);

}  // namespace tagflow

#define TAGFLOW_CONCAT_INNER(a, b) a##b
#define TAGFLOW_CONCAT(a, b) TAGFLOW_CONCAT_INNER(a, b)

#define TAGFLOW_RETURN_IF_ERROR(expr)                                                           \
  do {                                                                                          \
    if (::tagflow::Status tagflow_status = (expr); !tagflow_status.ok()) return tagflow_status; \
  } while (0)

#define TAGFLOW_ASSIGN_OR_RETURN(lhs, expr) \
  TAGFLOW_ASSIGN_OR_RETURN_INNER(TAGFLOW_CONCAT(tagflow_result_, __LINE__), lhs, expr)
#define TAGFLOW_ASSIGN_OR_RETURN_INNER(result, lhs, expr) \
  auto result = (expr);                                   \
  if (!result.ok()) return result.status();               \
  lhs = *std::move(result)

#define TAGFLOW_CHECK(condition) \
  (static_cast<bool>(condition) ? (void)0 : ::tagflow::CheckFailed(__FILE__, __LINE__, #condition))

#endif  // TAGFLOW_GRAPH_STATUS_H_
