#include "cli/npy.h"

#include <gtest/gtest.h>

#include <complex>
#include <limits>
#include <random>
#include <vector>

#include "cli/limits.h"

namespace tagflow::cli {
namespace {

using namespace std::string_literals;

// A file as NumPy lays it out, without its padding.
std::string File(const std::string& header, const std::string& elements, char version = 1) {
  std::string file = "\x93NUMPY"s + version + '\0' + static_cast<char>(header.size()) + '\0';
  if (version > 1) file += "\0\0"s;
  return file + header + elements;
}

std::string Header(const std::string& descr, const std::string& shape,
                   const std::string& fortran = "False") {
  return "{'descr': '" + descr + "', 'fortran_order': " + fortran + ", 'shape': " + shape + ", }\n";
}

std::string Read(const std::string& file) {
  const Result<Tensor> tensor = NpyFromBytes(file);
  return tensor.ok() ? tensor->DebugString() : tensor.status().ToString();
}

#define EXPECT_CONTAINS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

// What NumPy 2 wrote, with `padding` blanks in the header.
std::string NumPyFile(const std::string& start, size_t padding, const std::string& elements) {
  return "\x93NUMPY"s + start + std::string(padding, ' ') + "\n" + elements;
}

TEST(NpyTest, FortranOrderByNumPy) {
  const std::string start =
      "\x01\x00v\x00{'descr': '<i2', 'fortran_order': True, 'shape': (2, 3), }"s;
  EXPECT_EQ(Read(NumPyFile(start, 59, "\x01\x00\x04\x00\x02\x00\x05\x00\x03\x00\x06\x00"s)),
            "int16[2,3] [[1, 2, 3], [4, 5, 6]]");
}

TEST(NpyTest, VersionTwoByNumPy) {
  const std::string start =
      "\x02\x00t\x00\x00\x00{'descr': '<f8', 'fortran_order': False, 'shape': (), }"s;
  EXPECT_EQ(Read(NumPyFile(start, 60, "\0\0\0\0\0\0\x1e@"s)), "double[] 7.5");
}

TEST(NpyTest, TextByNumPy) {
  const std::string start =
      "\x03\x00t\x00\x00\x00{'descr': '<U2', 'fortran_order': False, 'shape': (2,), }"s;
  EXPECT_EQ(Read(NumPyFile(start, 58, "a\0\0\0\xe9\0\0\0b\0\0\0\0\0\0\0"s)),
            R"(string[2] ["a\xc3\xa9", "b"])");
}

TEST(NpyTest, BytesByNumPy) {
  const std::string start =
      "\x01\x00v\x00{'descr': '|S2', 'fortran_order': False, 'shape': (2,), }"s;
  EXPECT_EQ(Read(NumPyFile(start, 60, "abc\0"s)), R"(string[2] ["ab", "c"])");
}

template <typename T>
Tensor RandomTensor(std::mt19937_64& random) {
  Tensor tensor = *Tensor::Allocate(DTypeOf<T>::value, Dims{3, 4, 5});
  auto* bytes = static_cast<uint8_t*>(tensor.mutable_raw_data());
  for (size_t i = 0; i < tensor.byte_size(); ++i) {
    bytes[i] = static_cast<uint8_t>(std::is_same_v<T, bool> ? random() % 2 : random());
  }
  return tensor;
}

template <typename T>
void ExpectRoundTrip() {
  std::mt19937_64 random(5);
  for (const Tensor& tensor : {RandomTensor<T>(random), Tensor::Scalar(T{}),
                               *Tensor::Allocate(DTypeOf<T>::value, Dims{7, 0})}) {
    const std::string bytes = *NpyToBytes(tensor);
    EXPECT_EQ((bytes.size() - tensor.byte_size()) % 64, 0u);
    const Result<Tensor> back = NpyFromBytes(bytes);
    ASSERT_TRUE(back.ok()) << back.status().ToString();
    EXPECT_EQ(back->dtype(), tensor.dtype());
    EXPECT_TRUE(BitwiseEqual(*back, tensor)) << DTypeName(tensor.dtype());
  }
}

TEST(NpyTest, RoundTripsEveryPlainDType) {
  ExpectRoundTrip<bool>();
  ExpectRoundTrip<int8_t>();
  ExpectRoundTrip<int16_t>();
  ExpectRoundTrip<int32_t>();
  ExpectRoundTrip<int64_t>();
  ExpectRoundTrip<uint8_t>();
  ExpectRoundTrip<uint16_t>();
  ExpectRoundTrip<uint32_t>();
  ExpectRoundTrip<uint64_t>();
  ExpectRoundTrip<Half>();
  ExpectRoundTrip<BFloat16>();
  ExpectRoundTrip<float>();
  ExpectRoundTrip<double>();
  ExpectRoundTrip<std::complex<float>>();
  ExpectRoundTrip<std::complex<double>>();
}

TEST(NpyTest, StringsRoundTripUnlessTheyEndInNul) {
  const Tensor text = Tensor::Vector<std::string>({"", "a\0b"s, std::string(300, 'x')});
  EXPECT_TRUE(BitwiseEqual(*NpyFromBytes(*NpyToBytes(text)), text));
  EXPECT_EQ(NpyToBytes(Tensor::Scalar("a\0"s)).status().code(), Code::kUnimplemented);
}

TEST(NpyTest, HeadersInOtherForms) {
  EXPECT_EQ(Read(File(Header("<f4", "(1L, 2L)"), std::string(8, 0))), "float[1,2] [[0, 0]]");
  EXPECT_EQ(
      Read(File("{\"shape\":(2,),\"fortran_order\":True,\"descr\":\"=i4\"}", "\1\0\0\0\2\0\0\0"s)),
      "int32[2] [1, 2]");
  EXPECT_EQ(Read(File(Header("<i1", "(2,)"), "\1\2")), "int8[2] [1, 2]");
}

TEST(NpyTest, RefusesWhatNoTensorHolds) {
  EXPECT_CONTAINS(Read(File(Header("|O", "(1,)"), std::string(4, 0))),
                  "pickled Python objects, which are never opened");
  EXPECT_CONTAINS(Read(File(Header("<M8[ns]", "(1,)"), std::string(8, 0))), "<M8[ns]");
  EXPECT_CONTAINS(Read(File(Header("", "(1,)"), "")), "UNIMPLEMENTED");
  EXPECT_CONTAINS(
      Read(File("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (), }", "")),
      "structs");
  EXPECT_CONTAINS(Read(File(Header("<f4", "()"), std::string(4, 0), 9)), "version 9");
  EXPECT_EQ(NpyToBytes(Tensor::Scalar(Variant())).status().code(), Code::kUnimplemented);
}

TEST(NpyTest, RefusesShapesThatDoNotFit) {
  EXPECT_CONTAINS(Read(File(Header("<f4", "(3,)"), std::string(8, 0))), "needs 12 bytes");
  EXPECT_CONTAINS(Read(File(Header("<f4", "(1,)"), std::string(8, 0))), "needs 4 bytes");
  EXPECT_CONTAINS(Read(File(Header("<f8", "(4611686018427387904, 4)"), "")), "too large");
  EXPECT_CONTAINS(Read(File(Header("<f8", "(2305843009213693952,)"), "")), "DATA_LOSS");
  EXPECT_CONTAINS(Read(File(Header("|S0", "(1000000000000,)"), "")), "too large");
  const auto empty_strings = [](int64_t count) {
    return Read(File(Header("|S0", "(" + std::to_string(count) + ",)"), ""));
  };
  EXPECT_CONTAINS(empty_strings(kMostEmptyStrings - 1), "string[1048575]");
  EXPECT_CONTAINS(empty_strings(kMostEmptyStrings), "string[1048576]");
  EXPECT_CONTAINS(empty_strings(kMostEmptyStrings + 1), "too large");
  EXPECT_CONTAINS(Read(File(Header("<f4", "(-1,)"), "")), "DATA_LOSS");
  EXPECT_CONTAINS(Read(File(Header("|b1", "(1,)"), "\2")), "neither 0 nor 1");
  EXPECT_CONTAINS(Read(File(Header("<U1", "(1,)"), "\xff\xff\xff\xff")), "not Unicode");
}

// Every cut and many single-byte changes of a good file: an error or a tensor, never a crash.
TEST(NpyTest, DamagedFiles) {
  const std::string good = *NpyToBytes(Tensor::Vector<int32_t>({1, 2, 3}));
  for (size_t length = 0; length < good.size(); ++length) {
    EXPECT_FALSE(NpyFromBytes(std::string_view(good).substr(0, length)).ok()) << length;
  }
  for (size_t at = 0; at < good.size(); ++at) {
    for (const char c : "\0\xff'(),9 }{LTS<"s) {
      std::string damaged = good;
      damaged[at] = c;
      const Result<Tensor> tensor = NpyFromBytes(damaged);
      if (tensor.ok()) {
        EXPECT_LE(tensor->byte_size(), 1000u);
      }
    }
  }
}

// What NumPy wrote for array([1, -2, 300], '>i4') and the like.
TEST(NpyTest, BigEndian) {
  EXPECT_EQ(Read(File(Header(">i4", "(3,)"), "\0\0\0\1\xff\xff\xff\xfe\0\0\1\x2c"s)),
            "int32[3] [1, -2, 300]");
  EXPECT_EQ(Read(File(Header(">f8", "()"), "@\x1e\0\0\0\0\0\0"s)), "double[] 7.5");
  EXPECT_EQ(Read(File(Header(">c8", "(1,)"), "?\x80\0\0@\0\0\0"s)), "complex64[1] [(1,2)]");
  EXPECT_EQ(Read(File(Header(">i2", "(2, 2)", "True"), "\0\1\0\2\0\3\0\4"s)),
            "int16[2,2] [[1, 3], [2, 4]]");
  EXPECT_EQ(Read(File(Header(">U2", "(2,)"), "\0\0\0a\0\0\0\xe9\0\0\0b\0\0\0\0"s)),
            R"(string[2] ["a\xc3\xa9", "b"])");
  EXPECT_EQ(Read(File(Header(">u1", "(2,)"), "\1\2")), "uint8[2] [1, 2]");
}

}  // namespace
}  // namespace tagflow::cli
