#include "c/handles.h"

namespace tagflow::c {
namespace {

// ErrorOf returns this one where there is no memory to make another.
tagflow_error& NoMemory() {
  static tagflow_error error{ResourceExhausted("no memory"), "RESOURCE_EXHAUSTED: no memory"};
  return error;
}
const tagflow_error& made_beforehand = NoMemory();

}  // namespace

tagflow_error* ErrorOf(const Status& status) {
  if (status.ok()) return nullptr;
  try {
    return new tagflow_error{status, status.ToString()};
  } catch (const std::bad_alloc&) {
    return &NoMemory();
  }
}

}  // namespace tagflow::c

using tagflow::c::made_beforehand;

const char* tagflow_version() { return "0.1.0"; }

tagflow_error* tagflow_error_new(int code, const char* message) {
  return tagflow::c::Guard([&] {
    const bool is_one = code > TAGFLOW_OK && code <= TAGFLOW_UNAUTHENTICATED;
    return tagflow::Status(static_cast<tagflow::Code>(is_one ? code : TAGFLOW_UNKNOWN), message);
  });
}

void tagflow_error_free(tagflow_error* error) {
  if (error != &made_beforehand) delete error;
}

int tagflow_error_code(const tagflow_error* error) {
  return static_cast<int>(error->status.code());
}
const char* tagflow_error_text(const tagflow_error* error) { return error->text.c_str(); }
const char* tagflow_error_node(const tagflow_error* error) { return error->status.node().c_str(); }
const char* tagflow_error_tag(const tagflow_error* error) { return error->status.tag().c_str(); }
const char* tagflow_error_rule(const tagflow_error* error) { return error->status.rule().c_str(); }
const char* tagflow_error_device(const tagflow_error* error) {
  return error->status.device().c_str();
}
