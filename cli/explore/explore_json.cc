#include "cli/explore/explore_json.h"

#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "graph/frames.h"
#include "graph/unknown_ops.h"
#include "graph/utf8.h"

namespace tagflow::cli {
namespace {

// A value's text is cut off here; the page shows less.
constexpr size_t kMostValueBytes = 400;

void AppendEscaped(unsigned code, std::string& out) {
  constexpr char kDigits[] = "0123456789abcdef";
  out += "\\u";
  for (int shift = 12; shift >= 0; shift -= 4) out += kDigits[code >> shift & 15];
}

// The code point that begins at `at`, of text that is UTF-8; `at` becomes the place behind it.
unsigned TakeCodePoint(std::string_view text, size_t& at) {
  const auto first = static_cast<unsigned char>(text[at++]);
  if (first < 0x80) return first;
  const int more = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : 1;
  unsigned code = first & (0x3Fu >> more);
  for (int i = 0; i < more; ++i)
    code = code << 6 | (static_cast<unsigned char>(text[at++]) & 0x3Fu);
  return code;
}

// In ASCII; bytes that are no UTF-8 are as if they were Latin-1.
std::string Quoted(std::string_view text) {
  const bool is_utf8 = IsUtf8(text);
  std::string out = "\"";
  for (size_t at = 0; at < text.size();) {
    const unsigned code =
        is_utf8 ? TakeCodePoint(text, at) : static_cast<unsigned char>(text[at++]);
    if (code == '"' || code == '\\') {
      out += '\\';
      out += static_cast<char>(code);
    } else if (code >= 0x20 && code < 0x7F && code != '<' && code != '>' && code != '&') {
      out += static_cast<char>(code);
    } else if (code < 0x10000) {
      AppendEscaped(code, out);
    } else {
      AppendEscaped(0xD800 + ((code - 0x10000) >> 10), out);
      AppendEscaped(0xDC00 + ((code - 0x10000) & 0x3FF), out);
    }
  }
  return out + "\"";
}

std::string Number(double value) {
  char buffer[40];
  return std::string(buffer, std::to_chars(buffer, buffer + sizeof(buffer), value).ptr);
}

// Puts commas between what is appended.
class List {
 public:
  explicit List(std::string& out) : out_(out) { out_ += '['; }
  ~List() { out_ += ']'; }
  std::string& Next() {
    if (!is_first_) out_ += ',';
    is_first_ = false;
    return out_;
  }

 private:
  std::string& out_;
  bool is_first_ = true;
};

// The number in a scalar; nothing for other tensors and for numbers that JSON has not.
std::optional<double> NumberOf(const Tensor& tensor) {
  if (tensor.rank() != 0) return std::nullopt;
  double number = NAN;
  switch (tensor.dtype()) {
    case DType::kFloat:
      number = tensor.scalar<float>();
      break;
    case DType::kDouble:
      number = tensor.scalar<double>();
      break;
    case DType::kInt32:
      number = tensor.scalar<int32_t>();
      break;
    case DType::kInt64:
      number = static_cast<double>(tensor.scalar<int64_t>());
      break;
    case DType::kBool:
      number = tensor.scalar<bool>() ? 1 : 0;
      break;
    default:
      break;
  }
  if (!std::isfinite(number)) return std::nullopt;
  return number;
}

std::string Cut(std::string text) {
  if (text.size() <= kMostValueBytes) return text;
  size_t end = kMostValueBytes;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0u) == 0x80) --end;
  return text.substr(0, end) + "…";
}

std::string ValueText(const Tensor& value) { return Quoted(Cut(value.DebugString())); }

void AppendOutput(const reference::TraceEvent::Output& output, std::string& out) {
  if (output.dead) {
    out += "null";
    return;
  }
  List parts(out);
  if (!output.reference.empty()) {
    parts.Next() += Quoted("variable " + output.reference);
    return;
  }
  parts.Next() += ValueText(output.value);
  if (const std::optional<double> number = NumberOf(output.value)) parts.Next() += Number(*number);
}

// Where they make no sense, all nodes stand at the root.
FrameTree FramesOf(const Graph& graph) {
  Result<FrameTree> found = AssignFrames(graph, AllNodes(graph), CallSpec());
  if (found.ok()) return *std::move(found);
  FrameTree root;
  root.frames.emplace_back();
  return root;
}

class Writer {
 public:
  Writer(const Graph& graph, FrameTree frames) : graph_(graph), frames_(std::move(frames)) {
    for (const NodeId id : graph.NodeIds()) {
      numbers_[graph.node(id).name] = static_cast<int>(ids_.size());
      ids_.push_back(id);
    }
  }

  std::string Write(const std::string& title, const ExploredStep& step) {
    out_ = "{\"title\":" + Quoted(title) + ",\"nodes\":";
    WriteNodes();
    out_ += ",\"frames\":";
    WriteFrames();
    out_ += ",\"feeds\":";
    WriteFeeds(step);
    out_ += ",\"firings\":";
    WriteFirings(step);
    out_ += ",\"tags\":";
    WriteTags();
    out_ += ",\"total\":" + std::to_string(step.total) + ",\"truncated\":" +
            (step.total > static_cast<int64_t>(step.firings.size()) ? "true" : "false") +
            ",\"results\":";
    WriteResults(step);
    out_ += ",\"error\":";
    WriteError(step.status);
    out_ += ",\"engine\":";
    WriteEngine(step);
    out_ += ",\"other\":";
    WriteOther(step.other);
    return std::move(out_ += "}");
  }

 private:
  int NumberOfNode(NodeId id) const { return numbers_.at(graph_.node(id).name); }

  // Nodes that nothing enters stand at the root.
  int FrameOf(const Node& node) const {
    const size_t place = Index(node.id);
    const int frame = place < frames_.frame_of.size() ? frames_.frame_of[place] : FrameTree::kRoot;
    return frame < 0 ? FrameTree::kRoot : frame;
  }

  void WriteNodes() {
    List nodes(out_);
    for (const NodeId id : ids_) {
      const Node& node = graph_.node(id);
      List fields(nodes.Next());
      fields.Next() += Quoted(node.name);
      fields.Next() += Quoted(OpNameOf(node));
      // An Enter stands with what it enters.
      const bool enters = node.op == "Enter" || node.op == "RefEnter";
      const int frame = enters ? frames_.OutputFrame(node) : FrameOf(node);
      fields.Next() += std::to_string(frame < 0 ? FrameTree::kRoot : frame);
      fields.Next() += Quoted(node.device);
      {
        List inputs(fields.Next());
        for (const OutputRef input : node.inputs) {
          inputs.Next() += "[" + std::to_string(NumberOfNode(input.node)) + "," +
                           std::to_string(input.index) + "]";
        }
      }
      List controls(fields.Next());
      for (const NodeId control : node.control_inputs) {
        controls.Next() += std::to_string(NumberOfNode(control));
      }
    }
  }

  void WriteFrames() {
    List frames(out_);
    for (const StaticFrame& frame : frames_.frames) {
      frames.Next() += "[" + Quoted(frame.name) + "," + std::to_string(frame.parent) + "]";
    }
  }

  void WriteFeeds(const ExploredStep& step) {
    out_ += '{';
    for (size_t i = 0; i < step.feeds.size(); ++i) {
      const auto& [name, value] = step.feeds[i];
      out_ += (i == 0 ? "" : ",") + Quoted(name) + ":" + ValueText(value);
    }
    out_ += '}';
  }

  // Firings of bodies' nodes, which the graph has not, are left out: their numbers stay.
  void WriteFirings(const ExploredStep& step) {
    List firings(out_);
    for (const reference::TraceEvent& event : step.firings) {
      const auto node = numbers_.find(event.node->name);
      List fields(firings.Next());
      fields.Next() += std::to_string(node == numbers_.end() ? 0 : node->second);
      fields.Next() += std::to_string(TagNumber(event.tag));
      fields.Next() += event.dead ? "1" : "0";
      {
        List inputs(fields.Next());
        for (const int64_t input : event.inputs) inputs.Next() += std::to_string(input);
      }
      List outputs(fields.Next());
      for (const auto& output : event.outputs) AppendOutput(output, outputs.Next());
    }
  }

  int TagNumber(const std::string& tag) {
    const auto [place, is_new] = tag_numbers_.try_emplace(tag, static_cast<int>(tags_.size()));
    if (is_new) tags_.push_back(tag);
    return place->second;
  }

  void WriteTags() {
    TagNumber("");
    List tags(out_);
    for (const std::string& tag : tags_) tags.Next() += Quoted(tag);
  }

  void WriteResults(const ExploredStep& step) {
    List results(out_);
    for (const auto& [name, value] : step.results) {
      results.Next() += "[" + Quoted(name) + "," + ValueText(value) + "]";
    }
  }

  void WriteError(const Status& status) {
    if (status.ok()) {
      out_ += "null";
      return;
    }
    out_ += "{\"text\":" + Quoted(status.ToString()) + ",\"node\":" + Quoted(status.node()) +
            ",\"tag\":" + Quoted(status.tag()) + "}";
  }

  void WriteEngine(const ExploredStep& step) {
    if (step.lanes.empty()) {
      out_ += "null";
      return;
    }
    out_ += "{\"about\":" + Quoted(step.about) + ",\"notes\":";
    {
      List notes(out_);
      for (const std::string& note : step.notes) notes.Next() += Quoted(note);
    }
    out_ += ",\"lanes\":";
    {
      List lanes(out_);
      for (const EngineLane& lane : step.lanes) WriteLane(lane, lanes.Next());
    }
    out_ += '}';
  }

  void WriteLane(const EngineLane& lane, std::string& out) {
    out += "{\"name\":" + Quoted(lane.name) + ",\"events\":";
    {
      List events(out);
      for (const LaneEvent& event : lane.events) {
        const auto node = numbers_.find(event.node);
        events.Next() += "[" + std::to_string(node == numbers_.end() ? -1 : node->second) + "," +
                         Quoted(event.tag) + "," + Number(event.begin_us) + "," +
                         Number(event.took_us) + "]";
      }
    }
    out += '}';
  }

  void WriteOther(const std::optional<ComparedRun>& other) {
    if (!other.has_value()) {
      out_ += "null";
      return;
    }
    out_ += "{\"name\":" + Quoted(other->name) + ",\"against\":" + Quoted(other->against) +
            ",\"first\":" + Quoted(other->first) + ",\"differences\":";
    {
      List differences(out_);
      for (const auto& [firing, text] : other->differences) {
        differences.Next() += "[" + std::to_string(firing) + "," + Quoted(Cut(text)) + "]";
      }
    }
    out_ += '}';
  }

  const Graph& graph_;
  const FrameTree frames_;
  std::vector<NodeId> ids_;
  std::unordered_map<std::string, int> numbers_;  // of nodes, by name
  std::vector<std::string> tags_;
  std::unordered_map<std::string, int> tag_numbers_;
  std::string out_;
};

}  // namespace

std::string ExploreJson(const std::string& title, const Graph& graph, const ExploredStep& step) {
  return Writer(graph, FramesOf(graph)).Write(title, step);
}

}  // namespace tagflow::cli
