#include <cstdio>

#include "graph/unknown_ops.h"
#include "reference/history.h"

namespace tagflow::reference {
namespace {

std::string Json(const std::string& text) {
  std::string quoted = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char escaped[8];
      std::snprintf(escaped, sizeof(escaped), "\\u%04x", static_cast<unsigned>(c));
      quoted += escaped;
    } else {
      quoted += c;
    }
  }
  return quoted + "\"";
}

std::string OutputJson(const TraceEvent::Output& output) {
  if (output.dead) return "{\"dead\":true}";
  if (!output.reference.empty()) return "{\"reference\":" + Json(output.reference) + "}";
  std::string shape;
  for (int64_t dim : output.value.dims()) shape += (shape.empty() ? "" : ",") + std::to_string(dim);
  return "{\"dtype\":" + Json(DTypeName(output.value.dtype())) + ",\"shape\":[" + shape +
         "],\"value\":" + Json(output.value.DebugString()) + "}";
}

}  // namespace

std::string TraceLine(const TraceEvent& event) {
  std::string inputs;
  for (int64_t input : event.inputs) inputs += (inputs.empty() ? "" : ",") + std::to_string(input);
  std::string outputs;
  for (const TraceEvent::Output& output : event.outputs) {
    outputs += (outputs.empty() ? "" : ",") + OutputJson(output);
  }
  return "{\"firing\":" + std::to_string(event.firing) + ",\"node\":" + Json(event.node->name) +
         ",\"op\":" + Json(OpNameOf(*event.node)) + ",\"tag\":" + Json(event.tag) +
         ",\"dead\":" + (event.dead ? "true" : "false") + ",\"inputs\":[" + inputs +
         "],\"outputs\":[" + outputs + "]}";
}

}  // namespace tagflow::reference
