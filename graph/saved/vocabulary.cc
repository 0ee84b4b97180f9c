#include "graph/saved/vocabulary.h"

#include <algorithm>
#include <concepts>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "graph/saved/split_text.h"

namespace tagflow {
namespace {

constexpr int64_t kLineNumber = VocabularyFormat::kLineNumber;
constexpr int64_t kWholeLine = VocabularyFormat::kWholeLine;

bool IsBlank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// Up to the first zero byte, as a C string ends, and without the blanks around it.
std::string Stripped(std::string_view text) {
  text = text.substr(0, text.find('\0'));
  while (!text.empty() && IsBlank(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsBlank(text.back())) text.remove_suffix(1);
  return std::string(text);
}

bool Parse(const std::string& text, float& value) {
  char* end = nullptr;
  value = std::strtof(text.c_str(), &end);
  return !text.empty() && *end == '\0';
}
bool Parse(const std::string& text, double& value) {
  char* end = nullptr;
  value = std::strtod(text.c_str(), &end);
  return !text.empty() && *end == '\0';
}
template <std::integral T>
bool Parse(const std::string& text, T& value) {
  return ParseInteger(text, value);
}

// One line, and where it is.
struct Line {
  std::string text;
  std::vector<std::string_view> columns;  // empty where none is asked for
  int64_t number = 0;

  std::string_view At(int64_t index) const {
    return index == kWholeLine ? std::string_view(text) : columns[static_cast<size_t>(index)];
  }
};

// The elements of keys or of values, as they come.
class Column {
 public:
  virtual ~Column() = default;
  // Errors: INVALID_ARGUMENT for what is no number
  virtual Status Add(const Line& line) = 0;
  virtual Tensor Made() const = 0;
};

template <typename T>
class ColumnOf final : public Column {
 public:
  ColumnOf(int64_t index, int64_t offset) : index_(index), offset_(static_cast<uint64_t>(offset)) {}

  Status Add(const Line& line) override {
    if constexpr (std::same_as<T, std::string>) {
      values_.emplace_back(line.At(index_));
      return Status();
    } else {
      T value = 0;
      if (index_ == kLineNumber) {
        value = static_cast<T>(static_cast<uint64_t>(line.number) + offset_);
      } else if (!Parse(Stripped(line.At(index_)), value)) {
        return InvalidArgument("Field " + std::string(line.At(index_)) + " in line " +
                               std::to_string(line.number) + " is not a valid " +
                               DTypeName(DTypeOf<T>::value) + ".");
      } else if constexpr (std::same_as<T, int32_t>) {
        value = static_cast<T>(static_cast<uint64_t>(value) + offset_);
      }
      values_.push_back(value);
      return Status();
    }
  }
  Tensor Made() const override { return Tensor::Vector(values_); }

 private:
  const int64_t index_;
  const uint64_t offset_;  // added modulo 2^64
  std::vector<T> values_;
};

Result<std::unique_ptr<Column>> MakeColumn(DType dtype, int64_t index, int64_t offset) {
  switch (dtype) {
    case DType::kString:
      return std::unique_ptr<Column>(new ColumnOf<std::string>(index, offset));
    case DType::kInt32:
      return std::unique_ptr<Column>(new ColumnOf<int32_t>(index, offset));
    case DType::kInt64:
      return std::unique_ptr<Column>(new ColumnOf<int64_t>(index, offset));
    case DType::kFloat:
      return std::unique_ptr<Column>(new ColumnOf<float>(index, offset));
    case DType::kDouble:
      return std::unique_ptr<Column>(new ColumnOf<double>(index, offset));
    default:
      return InvalidArgument("Data type " + DTypeName(dtype) + " not supported.");
  }
}

// what: "Key"
Status CheckIndex(const std::string& what, int64_t index, DType dtype) {
  if (index < kWholeLine) {
    return InvalidArgument(what + " index " + std::to_string(index) + " is below -2");
  }
  if (index == kLineNumber && dtype != DType::kInt64) {
    return InvalidArgument(what + " index for line number requires int64 in the table, got " +
                           DTypeName(dtype));
  }
  if (index == kWholeLine && !IsInteger(dtype) && dtype != DType::kString) {
    return InvalidArgument(what + " index for whole line requires string or integers in the " +
                           "table, got " + DTypeName(dtype));
  }
  return Status();
}

// Reads the lines of a file into two columns.
class Reader {
 public:
  Reader(const std::string& path, const VocabularyFormat& format)
      : path_(path), format_(format), file_(path, std::ios::binary) {}

  bool is_open() const { return file_.is_open(); }

  //   Errors: OUT_OF_RANGE where the file is over, or has all the lines that are wanted
  Status ReadInto(Column& keys, Column& values) {
    TAGFLOW_RETURN_IF_ERROR(Next());
    TAGFLOW_RETURN_IF_ERROR(keys.Add(line_));
    TAGFLOW_RETURN_IF_ERROR(values.Add(line_));
    ++line_.number;
    return Status();
  }

 private:
  // False at the end of the file.
  bool ReadLine() {
    do {
      if (!std::getline(file_, line_.text)) return false;
      if (line_.text.ends_with('\r')) line_.text.pop_back();
    } while (format_.skips_empty && line_.text.empty());
    return true;
  }

  Status Next() {
    const bool is_counted = format_.size != -1;
    if (is_counted && line_.number >= format_.size) {
      return OutOfRange("all " + std::to_string(format_.size) + " lines of " + path_ +
                        " that are wanted are read");
    }
    if (!ReadLine()) {
      if (is_counted) {
        return InvalidArgument("Invalid vocab_size in " + path_ + ": expected " +
                               std::to_string(format_.size) + " but got " +
                               std::to_string(line_.number));
      }
      return OutOfRange(path_ + " has no lines");
    }
    if (line_.text.empty()) {
      return InvalidArgument("Invalid content in " + path_ + ": line " +
                             std::to_string(line_.number) + " is empty");
    }
    const int64_t last = std::max(format_.key_index, format_.value_index);
    if (last < 0) return Status();
    line_.columns = SplitText(line_.text, format_.delimiter);
    if (std::cmp_less(last, line_.columns.size())) return Status();
    return InvalidArgument("Invalid number of columns in " + path_ + " line " +
                           std::to_string(line_.number) + " (" + line_.text +
                           ") : expected at least " + std::to_string(last + 1) + " got " +
                           std::to_string(line_.columns.size()));
  }

  const std::string& path_;
  const VocabularyFormat& format_;
  std::ifstream file_;
  Line line_;
};

}  // namespace

Result<Vocabulary> ReadVocabulary(const std::string& path, const VocabularyFormat& format) {
  TAGFLOW_RETURN_IF_ERROR(CheckIndex("Key", format.key_index, format.key_dtype));
  TAGFLOW_RETURN_IF_ERROR(CheckIndex("Value", format.value_index, format.value_dtype));
  std::error_code error;
  Reader reader(path, format);
  if (!std::filesystem::is_regular_file(path, error) || !reader.is_open()) {
    return NotFound("there is no file " + path + " to read a vocabulary from");
  }
  TAGFLOW_ASSIGN_OR_RETURN(const std::unique_ptr<Column> keys,
                           MakeColumn(format.key_dtype, format.key_index, format.offset));
  TAGFLOW_ASSIGN_OR_RETURN(const std::unique_ptr<Column> values,
                           MakeColumn(format.value_dtype, format.value_index, format.offset));
  Status status = reader.ReadInto(*keys, *values);
  if (!status.ok()) return status;
  while (status.ok() && !format.is_first_only) status = reader.ReadInto(*keys, *values);
  if (!status.ok() && status.code() != Code::kOutOfRange) return status;
  return Vocabulary{keys->Made(), values->Made()};
}

}  // namespace tagflow
