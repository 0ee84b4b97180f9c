#include "graph/io/parse.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/stubs/logging.h>
#include <google/protobuf/text_format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "graph/io/protobuf_call.h"
#include "graph/io/wire_scan.h"
#include "graph/limits.h"

namespace tagflow {
namespace {

bool IsBlank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

size_t SkipBlanks(std::string_view text, size_t place) {
  while (place < text.size() && IsBlank(text[place])) ++place;
  return place;
}

bool HasControl(std::string_view text) {
  return std::any_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < ' ' && !IsBlank(c); });
}

bool IsNameChar(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// Keeps the first error, which is the cause; what follows is mostly its echo.
class FirstError : public google::protobuf::io::ErrorCollector {
 public:
  void AddError(int line, google::protobuf::io::ColumnNumber column,
                const std::string& message) override {
    if (!text_.empty()) return;
    text_ = std::to_string(line + 1) + ":" + std::to_string(column + 1) + ": " + message;
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

// The parser of text takes any bytes for a string, which then could be written to no binary file.
Status CheckUtf8(const google::protobuf::Message& message, std::string_view what) {
  google::protobuf::LogSilencer quiet;
  const std::string wrong = DescribeBadWire(message.SerializeAsString(), message.GetDescriptor());
  const size_t field = wrong.find("in ");  // what comes before counts bytes that are in no file
  if (field == std::string::npos) return Status();
  return InvalidArgument(std::string(what) + ": " + wrong.substr(field));
}

Status TooLarge(std::string_view what) {
  return ResourceExhausted(std::string(what) + ": messages of 2 GiB and more cannot be read");
}

}  // namespace

std::string_view WithoutByteOrderMark(std::string_view bytes) {
  constexpr std::string_view kMark = "\xef\xbb\xbf";
  return bytes.starts_with(kMark) ? bytes.substr(kMark.size()) : bytes;
}

bool LooksLikeText(std::string_view bytes) {
  bytes = WithoutByteOrderMark(bytes);
  size_t place = SkipBlanks(bytes, 0);
  while (place < bytes.size() && bytes[place] == '#') {
    place = SkipBlanks(bytes, std::min(bytes.find('\n', place), bytes.size()));
  }
  const size_t name_begin = place;
  while (place < bytes.size() && IsNameChar(bytes[place])) ++place;
  const bool is_name = place > name_begin;
  place = SkipBlanks(bytes, place);
  const bool ends = place == bytes.size();
  const bool opens = !ends && (bytes[place] == ':' || bytes[place] == '{' || bytes[place] == '<');
  if (is_name ? !opens : !ends || bytes.empty()) return false;
  // Lengths in a binary message may be any of these characters; but the next tags follow soon.
  return !HasControl(bytes.substr(0, place + 256));
}

Status ParseText(std::string_view text, std::string_view what, google::protobuf::Message& message) {
  text = WithoutByteOrderMark(text);
  if (text.size() > kMostMessageBytes) return TooLarge(what);
  const ProtobufCall call;
  google::protobuf::io::ArrayInputStream input(text.data(), static_cast<int>(text.size()));
  FirstError error;
  google::protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&error);
  parser.SetRecursionLimit(kMostNestedMessages);
  if (!parser.Parse(&input, &message)) {
    return InvalidArgument(std::string(what) + ":" + error.text());
  }
  return CheckUtf8(message, what);
}

Status ParseBinary(std::string_view bytes, std::string_view what,
                   google::protobuf::Message& message) {
  if (bytes.size() > kMostMessageBytes) return TooLarge(what);
  const ProtobufCall call;
  google::protobuf::LogSilencer quiet;  // it would print to stderr what we return
  if (message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return Status();
  std::string where = DescribeBadWire(bytes, message.GetDescriptor());
  if (where.empty()) where = "the bytes do not parse";
  return Status(Code::kDataLoss, std::string(what) + ": not a " + message.GetDescriptor()->name() +
                                     ", or truncated or corrupt: " + where);
}

Status ParseMessage(std::string_view bytes, std::string_view what,
                    google::protobuf::Message& message) {
  return LooksLikeText(bytes) ? ParseText(bytes, what, message) : ParseBinary(bytes, what, message);
}

std::string SerializeDeterministic(const google::protobuf::MessageLite& message) {
  const ProtobufCall call;
  std::string bytes;
  {
    google::protobuf::io::StringOutputStream stream(&bytes);
    google::protobuf::io::CodedOutputStream output(&stream);
    output.SetSerializationDeterministic(true);
    message.SerializeToCodedStream(&output);
  }
  return bytes;
}

std::string ToText(const google::protobuf::Message& message) {
  const ProtobufCall call;
  google::protobuf::TextFormat::Printer printer;
  printer.SetHideUnknownFields(true);
  printer.SetUseUtf8StringEscaping(true);
  std::string text;
  printer.PrintToString(message, &text);
  return text;
}

Result<std::string> ReadFile(const std::string& path) {
  struct stat info;
  if (stat(path.c_str(), &info) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) return NotFound(path + ": there is no such file");
    return Status(errno == EACCES ? Code::kPermissionDenied : Code::kUnknown,
                  path + ": " + std::strerror(errno));
  }
  if (S_ISDIR(info.st_mode)) return InvalidArgument(path + ": is a folder, not a file");
  std::ifstream file(path, std::ios::binary);
  if (!file.is_open()) {
    return Status(Code::kPermissionDenied, path + ": cannot be opened: " + std::strerror(errno));
  }
  std::string bytes(static_cast<size_t>(S_ISREG(info.st_mode) ? info.st_size : 0), '\0');
  if (S_ISREG(info.st_mode)) {
    file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    bytes.resize(static_cast<size_t>(file.gcount()));
  } else {
    bytes.assign(std::istreambuf_iterator<char>(file), {});
  }
  if (file.bad()) return Status(Code::kDataLoss, path + ": cannot be read to its end");
  return bytes;
}

}  // namespace tagflow
