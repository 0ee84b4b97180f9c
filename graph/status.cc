#include "graph/status.h"

#include <array>
#include <cstdio>
#include <cstdlib>

namespace tagflow {
namespace {

constexpr std::array<std::string_view, 17> kCodeNames = {
    "OK",
    "CANCELLED",
    "UNKNOWN",
    "INVALID_ARGUMENT",
    "DEADLINE_EXCEEDED",
    "NOT_FOUND",
    "ALREADY_EXISTS",
    "PERMISSION_DENIED",
    "RESOURCE_EXHAUSTED",
    "FAILED_PRECONDITION",
    "ABORTED",
    "OUT_OF_RANGE",
    "UNIMPLEMENTED",
    "INTERNAL",
    "UNAVAILABLE",
    "DATA_LOSS",
    "UNAUTHENTICATED",
};

}  // namespace

struct Status::Rep {
  Code code;
  std::string message;
  std::string rule;
  std::string node;
  std::string tag;
  std::string device;
  // Relaxed on copy (the copier holds a reference); acq_rel on release so that the last owner sees
  // every write.
  mutable std::atomic<int> references{1};
};

std::string_view CodeName(Code code) { return kCodeNames[static_cast<size_t>(code)]; }

std::optional<Code> CodeFromName(std::string_view name) {
  for (size_t i = 0; i < kCodeNames.size(); ++i) {
    if (kCodeNames[i] == name) return static_cast<Code>(i);
  }
  return std::nullopt;
}

Status::Status(Code code, std::string message) {
  if (code != Code::kOk) rep_ = new Rep{code, std::move(message), {}, {}, {}, {}};
}

Status::Status(const Status& other) : rep_(other.rep_) {
  if (rep_ != nullptr) rep_->references.fetch_add(1, std::memory_order_relaxed);
}

void Status::Unref() {
  if (rep_->references.fetch_sub(1, std::memory_order_acq_rel) == 1) delete rep_;
}

namespace {
const std::string kEmpty;
}

Code Status::code() const { return rep_ == nullptr ? Code::kOk : rep_->code; }
const std::string& Status::message() const { return rep_ == nullptr ? kEmpty : rep_->message; }
const std::string& Status::rule() const { return rep_ == nullptr ? kEmpty : rep_->rule; }
const std::string& Status::node() const { return rep_ == nullptr ? kEmpty : rep_->node; }
const std::string& Status::tag() const { return rep_ == nullptr ? kEmpty : rep_->tag; }
const std::string& Status::device() const { return rep_ == nullptr ? kEmpty : rep_->device; }

Status Status::With(std::string Rep::*field, std::string_view value) const {
  if (rep_ == nullptr || !(rep_->*field).empty()) return *this;
  Status changed(rep_->code, rep_->message);
  Rep* copy = const_cast<Rep*>(changed.rep_);  // not shared yet
  copy->rule = rep_->rule;
  copy->node = rep_->node;
  copy->tag = rep_->tag;
  copy->device = rep_->device;
  copy->*field = value;
  return changed;
}

Status Status::WithRule(std::string_view rule) const { return With(&Rep::rule, rule); }
Status Status::WithNode(std::string_view node) const { return With(&Rep::node, node); }
Status Status::WithTag(std::string_view tag) const { return With(&Rep::tag, tag); }
Status Status::WithDevice(std::string_view device) const { return With(&Rep::device, device); }

std::string Status::ToString() const {
  if (ok()) return "OK";
  std::string place;
  auto add = [&place](std::string_view label, const std::string& value) {
    if (value.empty()) return;
    if (!place.empty()) place += ", ";
    place.append(label).append(value);
  };
  add("node ", node());
  add("tag ", tag());
  add("device ", device());
  add("rule ", rule());
  std::string text = std::string(CodeName(code())) + ": " + message();
  if (!place.empty()) text += " [" + place + "]";
  return text;
}

Status InvalidArgument(std::string message) { return {Code::kInvalidArgument, std::move(message)}; }
Status NotFound(std::string message) { return {Code::kNotFound, std::move(message)}; }
Status AlreadyExists(std::string message) { return {Code::kAlreadyExists, std::move(message)}; }
Status FailedPrecondition(std::string message) {
  return {Code::kFailedPrecondition, std::move(message)};
}
Status OutOfRange(std::string message) { return {Code::kOutOfRange, std::move(message)}; }
Status Unimplemented(std::string message) { return {Code::kUnimplemented, std::move(message)}; }
Status Internal(std::string message) { return {Code::kInternal, std::move(message)}; }
Status ResourceExhausted(std::string message) {
  return {Code::kResourceExhausted, std::move(message)};
}
Status Cancelled(std::string message) { return {Code::kCancelled, std::move(message)}; }
Status DeadlineExceeded(std::string message) {
  return {Code::kDeadlineExceeded, std::move(message)};
}
Status DataLoss(std::string message) { return {Code::kDataLoss, std::move(message)}; }

void CheckFailed(const char* file, int line, const char* condition) {
  std::fprintf(stderr, "%s:%d: check failed: %s\n", file, line, condition);
  std::abort();
}

}  // namespace tagflow
