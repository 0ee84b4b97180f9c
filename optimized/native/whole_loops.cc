#include "optimized/native/whole_loops.h"

#include "optimized/native/llvm/tagflow_native.h"
#include "optimized/native/native_types.h"

namespace tagflow::optimized {
namespace {

// Where a call puts a scalar.
constexpr char kScalar[] = "%whole";

}  // namespace

void WholeLoops::Enter(IrLines& lines) const {
  if (num_functions_ > 0) lines.Add(std::string(kScalar) + " = alloca i64");
}

void WholeLoops::Write(IrLines& lines, uint32_t at, const LoopTensors::Way& failed) {
  const Instruction& call = loop_.at(at);
  const uint32_t output = loop_.output(call, 0);
  const bool is_scalar = values_.is_native(output);
  std::string args;
  for (uint32_t i = 0; i < call.n; ++i) {
    const uint32_t slot = loop_.arg(call, i).slot;
    const bool is_read = values_.TensorOf(slot).has_value();
    args += "ptr " + (is_read ? lines.Load("ptr", tensors_.Readable(slot)) : "null") + ", ";
  }
  if (!is_scalar) tensors_.Own(lines, output, at, failed);
  args += "ptr " + (is_scalar ? kScalar : lines.Load("ptr", tensors_.Writable(output)));
  const std::string name = "@\"" + name_ + " whole " + std::to_string(num_functions_++) + "\"";
  lines.Add("call void " + name + "(" + args + ")");
  WriteFunction(name, *values_.WholeCallAt(at), call.n);
  if (!is_scalar) return;
  const NativeType& type = *NativeTypeOf(values_.dtype(output));
  homes_.Store(lines, output, FromMemory(lines, type, lines.Load(type.memory, kScalar)));
}

void WholeLoops::WriteFunction(const std::string& name, const WholeCall& call, size_t inputs) {
  IrLines body("x");
  for (const WholeCall::Piece& piece : call.pieces) {
    std::string args, types;
    for (const size_t input : piece.inputs) {
      args += "ptr %a" + std::to_string(input) + ", ";
      types += "ptr, ";
    }
    args += "ptr " + body.Value("getelementptr i8, ptr %out, i64 " + std::to_string(piece.offset));
    types += "ptr";
    for (const int64_t size : piece.sizes) {
      args += ", i64 " + std::to_string(size);
      types += ", i64";
    }
    bodies_.Declare(piece.body, "void", types);
    body.Add("call void @" + piece.body + "(" + args + ") alwaysinline");
  }
  std::string taken;
  for (size_t i = 0; i < inputs; ++i) taken += "ptr noalias %a" + std::to_string(i) + ", ";
  functions_ +=
      VectorFunction(name, taken + "ptr noalias %out", TAGFLOW_NATIVE_SHORT_VECTORS, body);
}

}  // namespace tagflow::optimized
