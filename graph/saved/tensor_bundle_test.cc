// Tests: crc32c.cc old_checkpoint.cc sorted_table.cc

#include "graph/saved/tensor_bundle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <string>

#include "graph/io/parse.h"
#include "graph/saved/crc32c.h"

namespace tagflow {
namespace {

using testing::AnyOf;
using testing::HasSubstr;

constexpr char kIndex[] = ".index", kData[] = ".data-00000-of-00001";
const char* const kSaved = "graph/saved/testdata/model/variables/variables";
const char* const kDTypes = "graph/saved/testdata/dtypes/dtypes";

// A copy of the checkpoint that can be damaged.
class TensorBundleTest : public testing::Test {
 protected:
  TensorBundleTest() {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    for (const char* ending : {kIndex, kData}) {
      Write(ending, *ReadFile(std::string(kSaved) + ending));
    }
  }
  void Write(const std::string& ending, const std::string& bytes) {
    std::ofstream(prefix_ + ending, std::ios::binary) << bytes;
  }
  std::string Bytes(const std::string& ending) { return *ReadFile(prefix_ + ending); }
  // The value, or the error.
  std::string Read(const std::string& name) {
    const auto bundle = TensorBundle::Open(prefix_);
    if (!bundle.ok()) return bundle.status().ToString();
    const auto tensor = (*bundle)->Read(name + "/.ATTRIBUTES/VARIABLE_VALUE");
    return tensor.ok() ? tensor->DebugString() : tensor.status().ToString();
  }

  const std::string folder_ = testing::TempDir() + "/bundle";
  const std::string prefix_ = folder_ + "/variables";
};

TEST(Crc32c, IsCastagnolis) {
  EXPECT_EQ(ExtendCrc32c(0, "123456789", 9), 0xe3069283u);  // the check value of the standard
  const uint32_t first = ExtendCrc32c(0, "1234", 4);
  EXPECT_EQ(ExtendCrc32c(first, "56789", 5), 0xe3069283u);
}

TEST_F(TensorBundleTest, ReadsWhatTensorFlowSaved) {
  EXPECT_EQ(Read("scale"), "float[2,3] [[0, 1, 2], [3, 4, 5]]");
  EXPECT_EQ(Read("shift"), "double[3] [0.5, -1.5, 2.5]");
  EXPECT_EQ(Read("calls"), "int64[] 7");
  EXPECT_EQ(Read("words"), "string[3] [\"\", \"two\", \"drei\\x00\"]");
  EXPECT_EQ(Read("none"), "half[0,4] []");
  EXPECT_EQ((*TensorBundle::Open(prefix_))->entries().size(), 6u);  // and what holds them together
}

const std::map<std::string, std::string>& TensorsOfEachDType() {
  static const auto& tensors =
      *new std::map<std::string, std::string>{{"float32", "float[3] [1, 2, 3]"},
                                              {"float64", "double[3] [1, 2, 3]"},
                                              {"float16", "half[3] [1, 2, 3]"},
                                              {"bfloat16", "bfloat16[3] [1, 2, 3]"},
                                              {"int8", "int8[3] [1, 2, 3]"},
                                              {"int16", "int16[3] [1, 2, 3]"},
                                              {"int32", "int32[3] [1, 2, 3]"},
                                              {"int64", "int64[3] [1, 2, 3]"},
                                              {"uint8", "uint8[3] [1, 2, 3]"},
                                              {"uint16", "uint16[3] [1, 2, 3]"},
                                              {"uint32", "uint32[3] [1, 2, 3]"},
                                              {"uint64", "uint64[3] [1, 2, 3]"},
                                              {"complex64", "complex64[3] [(1,0), (2,0), (3,0)]"},
                                              {"complex128", "complex128[3] [(1,0), (2,0), (3,0)]"},
                                              {"bool", "bool[3] [true, true, true]"},
                                              {"string", "string[3] [\"1\", \"2\", \"3\"]"}};
  return tensors;
}

TEST_F(TensorBundleTest, ReadsEachDType) {
  const auto bundle = TensorBundle::Open(kDTypes);
  ASSERT_TRUE(bundle.ok()) << bundle.status().ToString();
  for (const auto& [name, expected] : TensorsOfEachDType()) {
    const auto tensor = (*bundle)->Read(name);
    ASSERT_TRUE(tensor.ok()) << tensor.status().ToString();
    EXPECT_EQ(tensor->DebugString(), expected);
  }
}

// Either file with some bytes changed, cut off or added: a tensor is what it was, or an error.
TEST_F(TensorBundleTest, FilesOfAnyBytesGiveNoOtherTensors) {
  const std::string index = *ReadFile(std::string(kDTypes) + kIndex);
  const std::string data = *ReadFile(std::string(kDTypes) + kData);
  std::mt19937 random(2);
  int errors = 0;
  for (int i = 0; i < 1'000; ++i) {
    std::string files[2] = {index, data};
    std::string& damaged = files[random() % 2];
    for (size_t k = random() % 4; k > 0; --k) {
      damaged[random() % damaged.size()] = static_cast<char>(random());
    }
    if (random() % 4 == 0) damaged.resize(random() % (2 * damaged.size()));
    Write(kIndex, files[0]);
    Write(kData, files[1]);
    const auto bundle = TensorBundle::Open(prefix_);
    if (!bundle.ok()) ++errors;
    for (const auto& [name, expected] : TensorsOfEachDType()) {
      if (!bundle.ok()) break;
      const auto tensor = (*bundle)->Read(name);
      errors += tensor.ok() ? 0 : 1;
      EXPECT_EQ(tensor.ok() ? tensor->DebugString() : expected, expected);
    }
  }
  EXPECT_GT(errors, 300);
}

TEST_F(TensorBundleTest, ReadsTheFirstFormat) {
  const auto bundle = TensorBundle::Open("graph/saved/testdata/old.ckpt");
  ASSERT_TRUE(bundle.ok()) << bundle.status().ToString();
  const auto text = [&](const std::string& name, const std::string& slice = "") {
    const auto tensor = (*bundle)->Read(name, slice);
    return tensor.ok() ? tensor->DebugString() : tensor.status().ToString();
  };
  EXPECT_EQ((*bundle)->entries().size(), 9u);
  EXPECT_EQ(text("floats"), "float[2,2] [[1, 2], [3, 4]]");
  EXPECT_EQ(text("words"), "string[2] [\"\", \"yes\"]");
  EXPECT_EQ(text("scalar"), "int64[] -7");
  EXPECT_EQ(text("pieces"), "int32[4] [1, 2, 3, 4]");
  EXPECT_EQ(text("pieces", "4 2,2"), "int32[2] [3, 4]");
  EXPECT_EQ(text("half"), "half[2] [0.5, 1.5]");
  EXPECT_EQ(text("flags"), "bool[2] [true, false]");
  EXPECT_EQ(text("complex"), "complex64[1] [(1,2)]");
  EXPECT_EQ(text("small"), "int8[1] [-3]");
  EXPECT_EQ(text("none"), "float[0,2] []");
  EXPECT_EQ((*bundle)->Read("other").status().code(), Code::kNotFound);
}

// Each byte of the one file of the first format is under a checksum, but for those of its end.
TEST_F(TensorBundleTest, AFileOfTheFirstFormatOfAnyBytesDoesNoHarm) {
  const std::string whole = *ReadFile("graph/saved/testdata/old.ckpt");
  const std::string path = testing::TempDir() + "/changed.ckpt";
  int refused = 0;
  for (size_t i = 0; i < whole.size(); ++i) {
    std::string changed = whole;
    changed[i] = static_cast<char>(changed[i] ^ 0x55);
    std::ofstream(path, std::ios::binary) << changed;
    const auto bundle = TensorBundle::Open(path);
    bool is_good = bundle.ok();
    for (const char* name : {"floats", "words", "pieces", "none"}) {
      is_good = is_good && (*bundle)->Read(name).ok();
    }
    refused += is_good ? 0 : 1;
  }
  EXPECT_GT(refused, static_cast<int>(whole.size()) * 8 / 10);
}

TEST_F(TensorBundleTest, NamesWhatIsNotThere) {
  EXPECT_THAT(Read("other"),
              HasSubstr("NOT_FOUND: the checkpoint " + prefix_ + " has no tensor 'other/"));
  std::filesystem::remove(prefix_ + kData);
  EXPECT_THAT(Read("scale"), HasSubstr(": there is no file " + prefix_ + kData));
  std::filesystem::remove(prefix_ + kIndex);
  EXPECT_THAT(Read("scale"), HasSubstr("NOT_FOUND: there is no file " + prefix_ + kIndex));
}

TEST_F(TensorBundleTest, BytesThatChangedAreFound) {
  const std::string bytes = Bytes(kData);
  const std::string sound = Read("scale") + Read("shift") + Read("calls") + Read("words");
  int found = 0;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    std::string damaged = bytes;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x10);
    Write(kData, damaged);
    const std::string read = Read("scale") + Read("shift") + Read("calls") + Read("words");
    if (read == sound) continue;  // of what holds them together
    ++found;
    EXPECT_THAT(read, HasSubstr("DATA_LOSS"));
    EXPECT_THAT(read, HasSubstr("another checksum"));
  }
  EXPECT_GT(found, 20);
}

TEST_F(TensorBundleTest, AFileThatIsCutOffIsFound) {
  Write(kData, Bytes(kData).substr(0, 10));
  EXPECT_THAT(Read("scale"), HasSubstr("ends before it, at 10 bytes"));
  Write(kIndex, Bytes(kIndex).substr(0, 200));
  EXPECT_THAT(Read("scale"), HasSubstr("is not the index of a checkpoint"));
}

TEST_F(TensorBundleTest, AnIndexOfAnyBytesDoesNoHarm) {
  const std::string bytes = Bytes(kIndex);
  std::mt19937 random(1);
  for (int i = 0; i < 500; ++i) {
    std::string damaged = bytes;
    for (int k = 0; k < 3; ++k) damaged[random() % damaged.size()] = static_cast<char>(random());
    Write(kIndex, damaged);
    const std::string read = Read("shift");
    EXPECT_THAT(read, AnyOf(HasSubstr("double[3] [0.5, -1.5, 2.5]"), HasSubstr("DATA_LOSS"),
                            HasSubstr("NOT_FOUND"), HasSubstr("UNIMPLEMENTED"),
                            HasSubstr("INVALID_ARGUMENT")));
  }
}

}  // namespace
}  // namespace tagflow
