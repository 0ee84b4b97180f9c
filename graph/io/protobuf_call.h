#ifndef TAGFLOW_GRAPH_IO_PROTOBUF_CALL_H_
#define TAGFLOW_GRAPH_IO_PROTOBUF_CALL_H_

// Marks what the protobuf library does for us: it is the one library here that does not survive an
// allocation that fails (a message that could not be made whole is not safe to destroy). Who lets
// allocations fail to see what becomes of it (//tools/allocations) leaves those of protobuf alone.

namespace tagflow {

class ProtobufCall {
 public:
  ProtobufCall() { ++depth; }
  ~ProtobufCall() { --depth; }
  ProtobufCall(const ProtobufCall&) = delete;
  ProtobufCall& operator=(const ProtobufCall&) = delete;

  // Whether this thread is in one.
  static bool IsUnderWay() { return depth > 0; }

 private:
  static inline thread_local int depth = 0;
};

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_IO_PROTOBUF_CALL_H_
