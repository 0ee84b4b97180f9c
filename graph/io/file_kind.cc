// Three ways to tell, tried in turn: by the first bytes (formats that begin with a mark), by the
// first field of a text message, by the first fields of a binary one. The last looks into the
// message: a MetaGraphDef's field 2 is a graph, which begins with a node, that is with a name and
// the name of an op; a GraphDef's field 2 is a library of functions, which cannot begin so.

#include "graph/io/file_kind.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "graph/io/parse.h"
#include "graph/io/varint.h"

namespace tagflow {
namespace {

constexpr std::string_view kExport = "export the graph as a GraphDef, as tf.io.write_graph does";
constexpr std::string_view kUnpackFirst =
    "unpack it first; of the compressed files only .gz is read";
constexpr std::string_view kNoGraph = "";

struct Mark {
  size_t at;
  std::string_view bytes;
  std::string_view name;
  std::string_view advice;
};

using namespace std::string_view_literals;

constexpr Mark kMarks[] = {
    {4, "1AY&SY"sv, "compressed by bzip2", kUnpackFirst},
    {0,
     "\xfd"
     "7zXZ\0"sv,
     "compressed by xz", kUnpackFirst},
    {0, "\x28\xb5\x2f\xfd"sv, "compressed by zstd", kUnpackFirst},
    {0, "\x93NUMPY"sv, "an array of NumPy (.npy)", "feed it: --feed NAME=FILE.npy"},
    {0, "\x89HDF\r\n\x1a\n"sv, "an HDF5 file, as Keras saves models and weights (.h5)", kExport},
    {1, "\0\0\0TFL3"sv, "a TensorFlow Lite model",
     "it holds no GraphDef: take the graph that it was converted from"},
    {0, "version https://git-lfs.github.com/"sv, "a pointer of Git LFS to a file, not the file",
     "get it: git lfs pull"},
    {0, "\x89PNG\r\n\x1a\n"sv, "a PNG image", kNoGraph},
    {0, "\xff\xd8\xff"sv, "a JPEG image", kNoGraph},
    {0, "GIF8"sv, "a GIF image", kNoGraph},
    {0, "II*\0"sv, "a TIFF image", kNoGraph},
    {0, "MM\0*"sv, "a TIFF image", kNoGraph},
    {0, "RIFF"sv, "an image or sound (RIFF)", kNoGraph},
    {0, "%PDF-"sv, "a PDF document", kNoGraph},
    {0,
     "\x7f"
     "ELF"sv,
     "a program or library (ELF)", kNoGraph},
    {257, "ustar\0"sv, "an archive (.tar)", "unpack it first"},
    {257, "ustar  \0"sv, "an archive (.tar)", "unpack it first"},
    {0, "\x80\x02"sv, "a pickle of Python, which is never opened: it can run any program", kExport},
    {0, "\x80\x03"sv, "a pickle of Python, which is never opened: it can run any program", kExport},
    {0, "\x80\x04\x95"sv, "a pickle of Python, which is never opened: it can run any program",
     kExport},
    {0, "\x80\x05\x95"sv, "a pickle of Python, which is never opened: it can run any program",
     kExport},
    {0, "\xff\xfe"sv, "text in UTF-16", "save it in UTF-8"},
    {0, "\xfe\xff"sv, "text in UTF-16", "save it in UTF-8"},
};

// The end of a table file of LevelDB, which indexes of checkpoints are.
constexpr std::string_view kTableEnd = "\x57\xfb\x80\x8b\x24\x75\x47\xdb";

FileKind Checkpoint() {
  return {"a checkpoint: values of variables, without the graph",
          "take the graph from the .meta file or the SavedModel beside it"};
}
FileKind MetaGraph() {
  return {"a MetaGraphDef, as TensorFlow's savers write it (.meta)",
          "the graph in it is its field graph_def: write that with tf.io.write_graph", true};
}
FileKind SavedModel() {
  return {"a SavedModel (saved_model.pb)",
          "the graph in it is meta_graphs[0].graph_def: write that with tf.io.write_graph"};
}
FileKind Onnx() { return {"a model of ONNX", "take the graph that it was converted from"}; }

// Zip archives are told apart by the names of what is in them, which stand in the clear.
FileKind ArchiveKind(std::string_view bytes) {
  const auto holds = [bytes](std::string_view name) { return bytes.find(name) != bytes.npos; };
  if (holds("metadata.json") && holds("config.json")) {
    return {"a model of Keras (.keras)", std::string(kExport)};
  }
  if (holds("/data.pkl")) return {"a model of PyTorch", std::string(kExport)};
  if (holds(".npy")) return {"arrays of NumPy (.npz)", "feed them: --feed NAME=FILE.npz:ARRAY"};
  return {"an archive (.zip)", "unpack it first"};
}

std::optional<FileKind> ByFirstBytes(std::string_view bytes) {
  for (const Mark& mark : kMarks) {
    if (bytes.size() >= mark.at && bytes.substr(mark.at).starts_with(mark.bytes)) {
      return FileKind{std::string(mark.name), std::string(mark.advice)};
    }
  }
  if (bytes.starts_with("PK\x03\x04") || bytes.starts_with("PK\x05\x06")) return ArchiveKind(bytes);
  if (bytes.ends_with(kTableEnd)) return Checkpoint();
  return std::nullopt;
}

// JSON and HTML. A binary GraphDef may begin with the same characters, but soon has others.
std::optional<FileKind> ByFirstCharacter(std::string_view bytes) {
  const std::string_view head = bytes.substr(0, 256);
  const bool is_text = std::all_of(head.begin(), head.end(), [](char c) {
    return static_cast<unsigned char>(c) >= ' ' || c == '\t' || c == '\n' || c == '\r';
  });
  const size_t start = head.find_first_not_of(" \t\r\n");
  if (!is_text || start == head.npos) return std::nullopt;
  if (head[start] == '{' || head[start] == '[') return FileKind{"JSON", std::string(kExport)};
  if (head[start] == '<') return FileKind{"HTML or XML", std::string(kNoGraph)};
  return std::nullopt;
}

// The name of the first field of a text message.
std::string_view FirstField(std::string_view text) {
  size_t place = text.find_first_not_of(" \t\r\n");
  while (place < text.size() && text[place] == '#') {
    place = text.find_first_not_of(" \t\r\n", std::min(text.find('\n', place), text.size()));
  }
  if (place >= text.size()) return "";
  return text.substr(place, std::min(text.find_first_of(" \t\r\n:{<", place), text.size()) - place);
}

std::optional<FileKind> ByFirstField(std::string_view text) {
  const std::string_view field = FirstField(text);
  const auto is_one_of = [field](std::initializer_list<std::string_view> names) {
    return std::find(names.begin(), names.end(), field) != names.end();
  };
  if (is_one_of({"saved_model_schema_version", "meta_graphs"})) return SavedModel();
  if (is_one_of({"meta_info_def", "graph_def", "saver_def", "collection_def", "signature_def",
                 "asset_file_def", "object_graph_def"})) {
    return MetaGraph();
  }
  if (is_one_of({"model_checkpoint_path", "all_model_checkpoint_paths"})) return Checkpoint();
  if (is_one_of({"ir_version", "opset_import", "producer_name"})) return Onnx();
  if (is_one_of({"name", "about", "rules", "steps", "devices"}) ||
      (field == "graph" && text.find("steps") != text.npos)) {
    return FileKind{"a conformance case", "run it with tagflow check, or tagflow diff"};
  }
  return std::nullopt;
}

struct Field {
  uint64_t number = 0;
  bool is_bytes = false;
  std::string_view bytes;  // of such a field, as far as they are there
};

bool TakeVarint(std::string_view& bytes, uint64_t& value) {
  VarintReader reader(bytes);
  const bool is_whole = reader.Read(value);
  bytes = reader.rest();
  return is_whole;
}

// The first fields of a message, up to where it ends, is cut off or is none.
std::vector<Field> FirstFields(std::string_view bytes) {
  constexpr size_t kFieldsMax = 16;
  constexpr std::array<size_t, 6> kFixedSize = {0, 8, 0, 0, 0, 4};  // by wire type
  std::vector<Field> fields;
  uint64_t tag = 0;
  while (fields.size() < kFieldsMax && !bytes.empty() && TakeVarint(bytes, tag)) {
    Field field = {tag >> 3, (tag & 7) == 2, ""};
    uint64_t value = 0;
    if ((tag & 7) == 0 || field.is_bytes) {
      if (!TakeVarint(bytes, value)) break;
    } else if ((tag & 7) != 1 && (tag & 7) != 5) {
      break;
    }
    const size_t size = field.is_bytes ? std::min<uint64_t>(value, bytes.size())
                                       : std::min(kFixedSize[tag & 7], bytes.size());
    if (field.is_bytes) field.bytes = bytes.substr(0, size);
    bytes.remove_prefix(size);
    fields.push_back(field);
  }
  return fields;
}

bool IsBytes(const std::vector<Field>& fields, size_t i, uint64_t number) {
  return i < fields.size() && fields[i].number == number && fields[i].is_bytes;
}

bool IsPrintable(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) >= ' ' && c != '\x7f';
  });
}

bool IsNode(std::string_view bytes) {
  const std::vector<Field> fields = FirstFields(bytes);
  return IsBytes(fields, 0, 1) && IsPrintable(fields[0].bytes) &&  // its name
         IsBytes(fields, 1, 2) && IsPrintable(fields[1].bytes);    // its op
}

bool IsGraph(std::string_view bytes) {
  const std::vector<Field> fields = FirstFields(bytes);
  if (IsBytes(fields, 0, 1)) return IsNode(fields[0].bytes);
  return IsBytes(fields, 0, 4);  // no nodes: its versions
}

bool IsMetaGraph(const std::vector<Field>& fields) {
  // Before the graph there is at most one field 1, which is about the graph and no node.
  const size_t at = IsBytes(fields, 0, 1) ? 1 : 0;
  if (at == 1 && IsNode(fields[0].bytes)) return false;
  return IsBytes(fields, at, 2) && IsGraph(fields[at].bytes);
}

std::optional<FileKind> ByFields(std::string_view bytes) {
  const std::vector<Field> fields = FirstFields(bytes);
  if (IsMetaGraph(fields)) return MetaGraph();
  // A version, where a GraphDef has a node.
  if (fields.empty() || fields[0].number != 1 || fields[0].is_bytes) return std::nullopt;
  if (IsBytes(fields, 1, 2) && IsMetaGraph(FirstFields(fields[1].bytes))) return SavedModel();
  for (size_t i = 1; i < fields.size(); ++i) {
    if (IsBytes(fields, i, 7) && IsBytes(FirstFields(fields[i].bytes), 0, 1)) return Onnx();
  }
  return std::nullopt;
}

}  // namespace

std::optional<FileKind> OtherKindOf(std::string_view bytes) {
  if (LooksLikeText(bytes)) return ByFirstField(WithoutByteOrderMark(bytes));
  if (auto kind = ByFirstBytes(bytes)) return kind;
  if (auto kind = ByFirstCharacter(bytes)) return kind;
  return ByFields(bytes);
}

FileKind SavedModelFolder() {
  return {"the folder of a SavedModel",
          "the graph in its saved_model.pb is meta_graphs[0].graph_def: write that with "
          "tf.io.write_graph"};
}

Status NotAGraph(const FileKind& kind) {
  return InvalidArgument("it is " + kind.name + ", and not a GraphDef" +
                         (kind.advice.empty() ? "" : ": " + kind.advice));
}

}  // namespace tagflow
