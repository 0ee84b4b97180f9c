#include "cli/zip.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "cli/array_file.h"
#include "cli/file.h"
#include "cli/npy.h"
#include "graph/io/unpack.h"
#include "graph/limits.h"

namespace tagflow::cli {
namespace {

using namespace std::string_literals;

#define EXPECT_CONTAINS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

std::string Number(uint64_t value, int size) {
  std::string bytes;
  for (int i = 0; i < size; ++i) bytes += static_cast<char>(value >> (8 * i) & 0xff);
  return bytes;
}

// How a member is written, where that is not as it is.
struct Form {
  int flags = 0;
  int method = 0;
  uint64_t size = 0;   // 0: what it is
  bool zip64 = false;  // sizes and places in the fields of ZIP64
};

using Members = std::vector<std::pair<std::string, std::string>>;

// An archive of members that are stored.
std::string Archive(const Members& members, const Form& form = {}) {
  std::string file;
  std::string directory;
  for (const auto& [name, bytes] : members) {
    const uint64_t size = form.size != 0 ? form.size : bytes.size();
    const std::string extra = form.zip64 ? Number(1, 2) + Number(24, 2) + Number(size, 8) +
                                               Number(bytes.size(), 8) + Number(file.size(), 8)
                                         : "";
    const auto small = [&](uint64_t value) { return Number(form.zip64 ? 0xffffffff : value, 4); };
    const std::string begin = Number(20, 2) + Number(form.flags, 2) + Number(form.method, 2) +
                              Number(0, 4) + Number(Crc32(bytes), 4) + small(bytes.size()) +
                              small(size) + Number(name.size(), 2);
    directory += "PK\1\2" + Number(20, 2) + begin + Number(extra.size(), 2) + Number(0, 10) +
                 small(file.size()) + name + extra;
    file += "PK\3\4" + begin + Number(3, 2) + name + "\0\0\0"s + bytes;
  }
  const uint64_t offset = file.size();
  file += directory;
  if (form.zip64) {
    const uint64_t end = file.size();
    file += "PK\6\6" + Number(44, 8) + Number(45, 4) + Number(0, 8) + Number(members.size(), 8) +
            Number(members.size(), 8) + Number(directory.size(), 8) + Number(offset, 8);
    file += "PK\6\7" + Number(0, 4) + Number(end, 8) + Number(1, 4);
  }
  const uint64_t count = form.zip64 ? 0xffff : members.size();
  return file + "PK\5\6" + Number(0, 4) + Number(count, 2) + Number(count, 2) +
         Number(directory.size(), 4) + Number(form.zip64 ? 0xffffffff : offset, 4) + Number(0, 2);
}

std::string Read(const std::string& archive, size_t i = 0) {
  const Result<std::vector<ZipMember>> members = ZipMembers(archive);
  if (!members.ok()) return members.status().ToString();
  if (i >= members->size()) return "no such member";
  const Result<std::string> bytes = ReadZipMember(archive, (*members)[i]);
  return bytes.ok() ? *bytes : bytes.status().ToString();
}

TEST(ZipTest, Members) {
  const Members members = {{"a.npy", "first"}, {"b/c.npy", ""}, {"d", "third"}};
  for (const bool zip64 : {false, true}) {
    const std::string archive = Archive(members, {.zip64 = zip64});
    EXPECT_TRUE(IsZip(archive));
    ASSERT_EQ(ZipMembers(archive)->size(), 3u);
    for (size_t i = 0; i < members.size(); ++i) {
      EXPECT_EQ((*ZipMembers(archive))[i].name, members[i].first);
      EXPECT_EQ(Read(archive, i), members[i].second);
    }
  }
  EXPECT_TRUE(IsZip(Archive({})));
  EXPECT_TRUE(ZipMembers(Archive({}))->empty());
}

TEST(ZipTest, RefusesWhatItDoesNotRead) {
  EXPECT_CONTAINS(Read(Archive({{"a", "x"}}, {.flags = 1})), "'a' is encrypted");
  EXPECT_CONTAINS(Read(Archive({{"a", "x"}}, {.method = 14})), "'a' is compressed by LZMA (14)");
  EXPECT_CONTAINS(Read(Archive({{"a", "x"}}, {.method = 14})), "UNIMPLEMENTED");
}

TEST(ZipTest, WhatUnpacksToTooMuchIsNotUnpacked) {
  Form form = {.method = 8, .size = uint64_t{kMostUnpackedBytes} + 1, .zip64 = true};
  EXPECT_CONTAINS(Read(Archive({{"a", "x"}}, form)), "'a': it unpacks to more than 2147483648");
}

// Every cut and change of a byte: an error, what was there, or another name; never a crash.
TEST(ZipTest, DamagedArchives) {
  for (const bool zip64 : {false, true}) {
    const std::string good = Archive({{"a.npy", "first"}, {"b.npy", "second"}}, {.zip64 = zip64});
    for (size_t size = 0; size < good.size(); ++size) {
      EXPECT_FALSE(ZipMembers(std::string_view(good).substr(0, size)).ok()) << size;
    }
    for (size_t at = 0; at < good.size(); ++at) {
      for (const char c : "\0\1\x7f\xff"s) {
        std::string damaged = good;
        damaged[at] = c;
        for (size_t i = 0; i < 2; ++i) {
          const std::string read = Read(damaged, i);
          EXPECT_TRUE(read == "first" || read == "second" || read == "no such member" ||
                      read.find("DATA_LOSS") == 0 || read.find("UNIMPLEMENTED") == 0 ||
                      read.find("RESOURCE_EXHAUSTED") == 0)
              << at << ": " << read;
        }
      }
    }
  }
}

class ArrayFileTest : public testing::Test {
 protected:
  std::string Feed(const std::string& bytes, const std::string& array = "") {
    const std::string path = testing::TempDir() + "/array";
    AtomicFile file(path);
    EXPECT_TRUE(file.Open().ok() && file.Write(bytes).ok() && file.Commit().ok());
    const Result<Tensor> tensor = ReadArray({path, array});
    if (tensor.ok()) return tensor->DebugString();
    EXPECT_CONTAINS(tensor.status().message(), "'" + path + "'");
    return tensor.status().ToString();
  }
  const std::string one_ = *NpyToBytes(Tensor::Vector<int32_t>({1, 2}));
  const std::string two_ = *NpyToBytes(Tensor::Scalar(2.5));
};

TEST_F(ArrayFileTest, TheBytesSayWhichOfTheTwoAFileIs) {
  EXPECT_EQ(Feed(one_), "int32[2] [1, 2]");
  EXPECT_EQ(Feed(Archive({{"a.npy", one_}})), "int32[2] [1, 2]");
  EXPECT_CONTAINS(Feed("\x89HDF\r\n\x1a\n"), "it is an HDF5 file");
  EXPECT_CONTAINS(Feed(""), "DATA_LOSS");
}

TEST_F(ArrayFileTest, OneOfSeveralArraysIsNamed) {
  const std::string archive = Archive({{"w.npy", one_}, {"b/c.npy", two_}});
  EXPECT_EQ(Feed(archive, "w"), "int32[2] [1, 2]");
  EXPECT_EQ(Feed(archive, "b/c"), "double[] 2.5");
  EXPECT_EQ(Feed(archive, "w.npy"), "int32[2] [1, 2]");
  EXPECT_CONTAINS(Feed(archive), "holds 2 arrays, 'w', 'b/c': name one, as ");
  EXPECT_CONTAINS(Feed(archive), "/array:w");
  EXPECT_CONTAINS(Feed(archive, "v"), "NOT_FOUND");
  EXPECT_CONTAINS(Feed(archive, "v"), "holds no array 'v', but 'w', 'b/c'");
  EXPECT_CONTAINS(Feed(one_, "w"), "holds one array without a name");
  EXPECT_CONTAINS(Feed(Archive({})), "holds no arrays");
  EXPECT_CONTAINS(Feed(Archive({{"w.npy", "text"}})), "'w.npy': not a whole .npy file");
}

TEST(ArrayNameTest, TheEndingSays) {
  EXPECT_EQ(AsArrayFile("a/x.npy")->path, "a/x.npy");
  EXPECT_EQ(AsArrayFile("a/x.npz")->array, "");
  EXPECT_EQ(AsArrayFile("a/x.npz:b/c:0")->path, "a/x.npz");
  EXPECT_EQ(AsArrayFile("a/x.npz:b/c:0")->array, "b/c:0");
  EXPECT_FALSE(AsArrayFile("[1,2]").has_value());
  EXPECT_FALSE(AsArrayFile("x.npzz").has_value());
}

TEST(ArrayNameTest, AMissingFileIsNamed) {
  const Status status = ReadArray({"no/such/file.npy", ""}).status();
  EXPECT_EQ(status.code(), Code::kNotFound);
  EXPECT_CONTAINS(status.message(), "'no/such/file.npy'");
}

}  // namespace
}  // namespace tagflow::cli
