#include "cli/npy.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <complex>
#include <cstring>
#include <limits>

#include "cli/limits.h"

namespace tagflow::cli {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";

struct Header {
  std::string descr;
  bool fortran_order = false;
  Dims dims;
};

Status Corrupt(std::string_view why) {
  return Status(Code::kDataLoss, "not a whole .npy file: " + std::string(why));
}

// Reads the header's Python literal: {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }.
class HeaderParser {
 public:
  explicit HeaderParser(std::string_view text) : rest_(text) {}

  Result<Header> Run() {
    if (!Consume("{")) return Bad();
    while (!Consume("}")) {
      std::string key;
      if (!String(key) || !Consume(":")) return Bad();
      TAGFLOW_RETURN_IF_ERROR(Entry(key));
      if (!Consume(",") && !Peek("}")) return Bad();
    }
    SkipBlanks();
    if (!rest_.empty() || seen_ != 7) return Bad();
    return std::move(header_);
  }

 private:
  static Status Bad() {
    return Corrupt("its header does not say descr, fortran_order and shape as NumPy writes them");
  }

  Status Entry(const std::string& key) {
    if (key == "descr") {
      seen_ |= 1;
      if (Peek("[")) {
        return Unimplemented("the .npy file holds structs: save plain arrays");
      }
      return String(header_.descr) ? Status() : Bad();
    }
    if (key == "fortran_order") {
      seen_ |= 2;
      header_.fortran_order = Consume("True");
      return header_.fortran_order || Consume("False") ? Status() : Bad();
    }
    if (key == "shape") {
      seen_ |= 4;
      return Shape() ? Status() : Bad();
    }
    return Bad();
  }

  bool Shape() {
    if (!Consume("(")) return false;
    header_.dims.clear();
    while (!Consume(")")) {
      SkipBlanks();
      int64_t dim = -1;
      const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), dim);
      if (error != std::errc() || dim < 0) return false;
      rest_.remove_prefix(static_cast<size_t>(end - rest_.data()));
      Consume("L");  // as Python 2 wrote long integers
      header_.dims.push_back(dim);
      if (!Consume(",") && !Peek(")")) return false;
    }
    return true;
  }

  bool String(std::string& value) {
    SkipBlanks();
    if (rest_.empty() || (rest_[0] != '\'' && rest_[0] != '"')) return false;
    const size_t end = rest_.find(rest_[0], 1);
    if (end == rest_.npos) return false;
    value = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    return true;
  }

  void SkipBlanks() {
    while (!rest_.empty() && (rest_[0] == ' ' || rest_[0] == '\n')) rest_.remove_prefix(1);
  }
  bool Peek(std::string_view token) {
    SkipBlanks();
    return rest_.starts_with(token);
  }
  bool Consume(std::string_view token) {
    if (!Peek(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }

  std::string_view rest_;
  Header header_;
  int seen_ = 0;  // a bit per entry
};

struct DescrOf {
  DType dtype;
  std::string_view descr;
};
constexpr std::array<DescrOf, 15> kDescrs = {{
    {DType::kBool, "|b1"},
    {DType::kInt8, "|i1"},
    {DType::kUInt8, "|u1"},
    {DType::kInt16, "<i2"},
    {DType::kUInt16, "<u2"},
    {DType::kInt32, "<i4"},
    {DType::kUInt32, "<u4"},
    {DType::kInt64, "<i8"},
    {DType::kUInt64, "<u8"},
    {DType::kHalf, "<f2"},
    {DType::kFloat, "<f4"},
    {DType::kDouble, "<f8"},
    {DType::kComplex64, "<c8"},
    {DType::kComplex128, "<c16"},
    {DType::kBFloat16, "|V2"},
}};

// What one element is in the file.
struct ElementForm {
  DType dtype = DType::kInvalid;
  size_t size = 0;     // bytes in the file
  bool utf32 = false;  // of strings
  bool is_big_endian = false;
};

// The bytes that stand in one order: of a complex number each half, of a text each character.
size_t UnitSize(const ElementForm& form) {
  if (form.dtype == DType::kString) return form.utf32 ? 4 : 1;
  const bool is_complex = form.dtype == DType::kComplex64 || form.dtype == DType::kComplex128;
  return is_complex ? form.size / 2 : form.size;
}

Result<ElementForm> FormOf(const std::string& descr) {
  const bool is_big_endian = descr.starts_with('>');
  const std::string_view kind = std::string_view(descr).substr(std::min<size_t>(1, descr.size()));
  for (const auto& [dtype, known] : kDescrs) {
    // One byte has no order, and NumPy has written all of '|', '<' and '='.
    if (kind == known.substr(1)) return ElementForm{dtype, DTypeSize(dtype), false, is_big_endian};
  }
  int64_t length = -1;
  if (kind.size() >= 2) std::from_chars(kind.data() + 1, kind.data() + kind.size(), length);
  constexpr int64_t kLengthMax = int64_t{1} << 40;
  if (kind.starts_with('S') && length >= 0 && length < kLengthMax) {
    return ElementForm{DType::kString, static_cast<size_t>(length), false, false};
  }
  if (kind.starts_with('U') && length >= 0 && length < kLengthMax) {
    return ElementForm{DType::kString, static_cast<size_t>(length) * 4, true, is_big_endian};
  }
  return Unimplemented("the .npy file holds '" + descr + "', which no dtype here is" +
                       (kind.starts_with('O') ? " (pickled Python objects, which are never opened: "
                                                "they can run any program): save plain arrays"
                                              : ""));
}

// Splits the file into its header and the bytes of the elements.
Result<Header> ReadHeader(std::string_view& bytes) {
  if (!bytes.starts_with(kMagic)) return Corrupt("it does not begin as one");
  const auto byte = [&bytes](size_t i) {
    return static_cast<uint32_t>(static_cast<uint8_t>(bytes[i]));
  };
  if (bytes.size() < 10) return Corrupt("it ends inside the header");
  const uint32_t version = byte(6);
  if (version < 1 || version > 3) {
    return Unimplemented("version " + std::to_string(version) + " of the .npy format");
  }
  const size_t begin = version == 1 ? 10 : 12;
  if (bytes.size() < begin) return Corrupt("it ends inside the header");
  size_t length = byte(8) | byte(9) << 8;
  if (version > 1) length |= byte(10) << 16 | byte(11) << 24;
  if (length > bytes.size() - begin) return Corrupt("it ends inside the header");
  const std::string_view text = bytes.substr(begin, length);
  bytes.remove_prefix(begin + length);
  return HeaderParser(text).Run();
}

// Where element i (in row-major order) of a Fortran-ordered array lies, one element after another.
class FortranPlaces {
 public:
  explicit FortranPlaces(DimsView dims) : dims_(dims), index_(dims.size()), stride_(dims.size()) {
    int64_t stride = 1;
    for (size_t d = 0; d < dims.size(); ++d) {
      stride_[d] = stride;
      stride *= dims[d];
    }
  }
  int64_t Next() {
    const int64_t place = place_;
    for (size_t d = dims_.size(); d-- > 0;) {
      place_ += stride_[d];
      if (++index_[d] < dims_[d]) break;
      place_ -= stride_[d] * dims_[d];
      index_[d] = 0;
    }
    return place;
  }

 private:
  DimsView dims_;
  Dims index_;
  Dims stride_;
  int64_t place_ = 0;
};

void AppendUtf8(uint32_t code, std::string& out) {
  if (code < 0x80) {
    out += static_cast<char>(code);
    return;
  }
  const int continuation = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  constexpr std::array<uint32_t, 4> kLead = {0, 0xc0, 0xe0, 0xf0};
  out += static_cast<char>(kLead[static_cast<size_t>(continuation)] | code >> (6 * continuation));
  for (int i = continuation - 1; i >= 0; --i) {
    out += static_cast<char>(0x80 | ((code >> (6 * i)) & 0x3f));
  }
}

Status ReadString(std::string_view bytes, bool utf32, std::string& value) {
  if (!utf32) {
    value = bytes.substr(0, bytes.find_last_not_of('\0') + 1);
    return Status();
  }
  for (size_t at = 0; at < bytes.size(); at += 4) {
    uint32_t code = 0;
    std::memcpy(&code, bytes.data() + at, 4);
    if (code > 0x10ffff) return Corrupt("a character is not Unicode");
    AppendUtf8(code, value);
  }
  value.resize(value.find_last_not_of('\0') + 1);
  return Status();
}

// Every unit's bytes in the other order.
std::string Turned(std::string_view bytes, size_t unit) {
  std::string turned(bytes);
  for (size_t at = 0; unit > 1 && at < turned.size(); at += unit) {
    std::reverse(turned.begin() + static_cast<ptrdiff_t>(at),
                 turned.begin() + static_cast<ptrdiff_t>(at + unit));
  }
  return turned;
}

Status CheckBools(std::string_view bytes) {
  const bool good =
      std::all_of(bytes.begin(), bytes.end(), [](char c) { return c == 0 || c == 1; });
  return good ? Status() : Corrupt("a bool is neither 0 nor 1");
}

Status FillElements(std::string_view bytes, const ElementForm& form, bool fortran_order,
                    Tensor& tensor) {
  FortranPlaces places(tensor.dims());
  const int64_t count = tensor.num_elements();
  for (int64_t i = 0; i < count; ++i) {
    const size_t place = static_cast<size_t>(fortran_order ? places.Next() : i);
    const std::string_view element = bytes.substr(place * form.size, form.size);
    if (form.dtype == DType::kString) {
      TAGFLOW_RETURN_IF_ERROR(
          ReadString(element, form.utf32, tensor.mutable_data<std::string>()[i]));
    } else {
      char* const out = static_cast<char*>(tensor.mutable_raw_data());
      std::memcpy(out + static_cast<size_t>(i) * form.size, element.data(), form.size);
    }
  }
  return Status();
}

}  // namespace

Result<Tensor> NpyFromBytes(std::string_view bytes) {
  TAGFLOW_ASSIGN_OR_RETURN(const Header header, ReadHeader(bytes));
  TAGFLOW_ASSIGN_OR_RETURN(const ElementForm form, FormOf(header.descr));
  std::string turned;
  const Result<int64_t> count = NumElements(header.dims);
  size_t wanted = 0;
  if (!count.ok() || __builtin_mul_overflow(static_cast<size_t>(*count), form.size, &wanted)) {
    return Corrupt("its shape " + DimsString(header.dims) + " is too large");
  }
  if (wanted != bytes.size()) {
    return Corrupt("its shape " + DimsString(header.dims) + " needs " + std::to_string(wanted) +
                   " bytes of elements, and " + std::to_string(bytes.size()) + " are there");
  }
  if (form.size == 0 && *count > kMostEmptyStrings) {
    return Corrupt("its shape " + DimsString(header.dims) + " is too large");
  }
  if (form.dtype == DType::kBool) TAGFLOW_RETURN_IF_ERROR(CheckBools(bytes));
  TAGFLOW_ASSIGN_OR_RETURN(Tensor tensor, Tensor::Allocate(form.dtype, header.dims));
  if (form.is_big_endian) bytes = turned = Turned(bytes, UnitSize(form));
  if (form.dtype != DType::kString && !header.fortran_order) {
    if (wanted > 0) std::memcpy(tensor.mutable_raw_data(), bytes.data(), wanted);
    return tensor;
  }
  TAGFLOW_RETURN_IF_ERROR(FillElements(bytes, form, header.fortran_order, tensor));
  return tensor;
}

namespace {

Result<size_t> LongestString(const Tensor& tensor) {
  size_t longest = 1;  // NumPy has no strings of length 0 in files
  for (const std::string& text : tensor.flat<std::string>()) {
    if (text.ends_with('\0')) {
      return Unimplemented("a string that ends in a NUL byte cannot be kept in a .npy file");
    }
    longest = std::max(longest, text.size());
  }
  return longest;
}

std::string HeaderBytes(std::string_view descr, DimsView dims) {
  std::string text = "{'descr': '" + std::string(descr) + "', 'fortran_order': False, 'shape': (";
  for (size_t d = 0; d < dims.size(); ++d) text += (d > 0 ? ", " : "") + std::to_string(dims[d]);
  text += dims.size() == 1 ? ",), }" : "), }";
  // As NumPy does: the elements start at a multiple of 64 bytes, after a newline.
  const size_t unpadded = 10 + text.size() + 1;
  text.append((64 - unpadded % 64) % 64, ' ') += '\n';
  std::string bytes(kMagic);
  const size_t length = text.size();  // far below 65536 with 32 dimensions at most
  bytes += {'\1', '\0', static_cast<char>(length & 0xff), static_cast<char>(length >> 8)};
  return bytes + text;
}

}  // namespace

Result<std::string> NpyToBytes(const Tensor& tensor) {
  if (tensor.rank() > 32) {
    return Unimplemented("NumPy's arrays have at most 32 dimensions, and this has " +
                         std::to_string(tensor.rank()));
  }
  if (tensor.dtype() == DType::kString) {
    TAGFLOW_ASSIGN_OR_RETURN(const size_t length, LongestString(tensor));
    std::string bytes = HeaderBytes("|S" + std::to_string(length), tensor.dims());
    for (std::string text : tensor.flat<std::string>()) {
      text.resize(length);
      bytes += text;
    }
    return bytes;
  }
  for (const auto& [dtype, descr] : kDescrs) {
    if (dtype != tensor.dtype()) continue;
    std::string bytes = HeaderBytes(descr, tensor.dims());
    if (tensor.num_elements() > 0) {
      bytes.append(static_cast<const char*>(tensor.raw_data()), tensor.byte_size());
    }
    return bytes;
  }
  return Unimplemented("a tensor of dtype " + DTypeName(tensor.dtype()) +
                       " cannot be kept in a .npy file");
}

bool IsNpy(std::string_view bytes) { return bytes.starts_with(kMagic); }

}  // namespace tagflow::cli
