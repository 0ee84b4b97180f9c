#include "graph/io/parse.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstdio>
#include <fstream>

#include "graph/io/graph.pb.h"
#include "graph/limits.h"

namespace tagflow {
namespace {

using ::testing::HasSubstr;

GraphDef SmallGraph() {
  GraphDef def;
  NodeDef* node = def.add_node();
  node->set_name("x");
  node->set_op("Const");
  (*node->mutable_attr())["value"].mutable_tensor()->add_float_val(1.5f);
  def.add_node()->set_name("y");
  return def;
}

TEST(LooksLikeText, TextFormsAreText) {
  EXPECT_TRUE(LooksLikeText("node { name: 'x' }"));
  EXPECT_TRUE(LooksLikeText("\n\t # a comment\n# another\n  node{}"));
  EXPECT_TRUE(LooksLikeText("versions < producer: 1 >"));
  EXPECT_TRUE(LooksLikeText("misspelt : 3"));
  EXPECT_TRUE(LooksLikeText("# only a comment"));
}

TEST(LooksLikeText, BinaryMessagesAreNot) {
  EXPECT_FALSE(LooksLikeText(""));
  EXPECT_FALSE(LooksLikeText(SmallGraph().SerializeAsString()));
  GraphDef blank_lengths;  // the tag, both lengths: all blanks
  blank_lengths.add_node()->set_name("abcdefghij");
  blank_lengths.mutable_node(0)->set_op("");
  EXPECT_FALSE(LooksLikeText(blank_lengths.SerializeAsString()));
  for (size_t length = 1; length < 127; ++length) {  // every character as a length
    GraphDef def;
    def.add_node()->set_name(std::string(length, 'a'));
    def.mutable_node(0)->set_op("F");
    EXPECT_FALSE(LooksLikeText(def.SerializeAsString())) << length;
    EXPECT_FALSE(LooksLikeText(def.node(0).SerializeAsString())) << length;
  }
}

TEST(ParseMessage, ReadsBothForms) {
  GraphDef from_text, from_binary;
  ASSERT_TRUE(ParseMessage(ToText(SmallGraph()), "g", from_text).ok());
  ASSERT_TRUE(ParseMessage(SmallGraph().SerializeAsString(), "g", from_binary).ok());
  EXPECT_EQ(SerializeDeterministic(from_text), SerializeDeterministic(SmallGraph()));
  EXPECT_EQ(SerializeDeterministic(from_binary), SerializeDeterministic(SmallGraph()));
}

TEST(ParseMessage, TextErrorsSayLineAndColumn) {
  GraphDef def;
  const Status status = ParseMessage("node {\n  nmae: 'x'\n}\n", "g.pbtxt", def);
  EXPECT_EQ(status.code(), Code::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("g.pbtxt:2:"));
  EXPECT_THAT(status.message(), HasSubstr("nmae"));
}

TEST(ParseMessage, TextMayHoldNoStringThatBinaryCannot) {
  GraphDef def;
  const Status status = ParseMessage("node { name: 'x' op: '\\377' }", "g.pbtxt", def);
  EXPECT_EQ(status.code(), Code::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("g.pbtxt: in node[0].op: the text is not UTF-8"));
}

TEST(ParseMessage, EveryTruncationOfBinaryIsAnErrorOrAShorterGraph) {
  const std::string bytes = SmallGraph().SerializeAsString();
  for (size_t length = 1; length < bytes.size(); ++length) {
    GraphDef def;
    const Status status = ParseMessage(bytes.substr(0, length), "g.pb", def);
    if (status.ok()) {
      EXPECT_LT(def.node_size(), 2) << length;
    } else {
      EXPECT_EQ(status.code(), Code::kDataLoss);
      EXPECT_THAT(status.message(), HasSubstr("g.pb: "));
      EXPECT_THAT(status.message(), HasSubstr("byte "));
    }
  }
}

TEST(ParseMessage, TruncationNamesTheField) {
  const std::string bytes = SmallGraph().SerializeAsString();
  GraphDef def;
  const Status status = ParseBinary(bytes.substr(0, 12), "g.pb", def);
  EXPECT_THAT(status.message(), HasSubstr("byte 0, in node[0]: the field says that it has"));
}

TEST(ParseMessage, DamageInsideNamesTheInnerField) {
  std::string bytes = SmallGraph().SerializeAsString();
  const size_t name = bytes.find('x');
  bytes[name] = '\xff';
  GraphDef def;
  const Status status = ParseBinary(bytes, "g.pb", def);
  EXPECT_THAT(status.message(), HasSubstr("in node[0].name: the text is not UTF-8"));
}

TEST(ParseMessage, DeepNestingIsRefusedInBothForms) {
  std::string text = "node { attr { key: 'f' value { func { name: 'f' ";
  std::string closing = "} } } }";
  for (int i = 0; i < 100'000; ++i) text += "attr { key: 'f' value { func { ";
  for (int i = 0; i < 100'000; ++i) closing += "} } }";
  GraphDef def;
  EXPECT_EQ(ParseMessage(text + closing, "g", def).code(), Code::kInvalidArgument);

  FullTypeDef type;
  std::string bytes;
  for (int i = 0; i < 150; ++i) {
    FullTypeDef outer;
    EXPECT_TRUE(type.ParsePartialFromString(bytes) || i > 90);
    // Built by hand: tag of `args`, length, contents.
    std::string length;
    for (size_t n = bytes.size();; n >>= 7) {
      length += static_cast<char>((n & 0x7f) | (n > 0x7f ? 0x80 : 0));
      if (n <= 0x7f) break;
    }
    bytes = "\x12" + length + bytes;
  }
  const Status status = ParseBinary(bytes, "t", type);
  EXPECT_EQ(status.code(), Code::kDataLoss);
  EXPECT_THAT(status.message(), HasSubstr("nested more than 100 deep"));
}

// The bytes are pages that nobody touches but for the first.
TEST(ParseMessage, AMessageEndsBelowTwoGiB) {
  void* const pages = mmap(nullptr, kMostMessageBytes + 1, PROT_READ,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ASSERT_NE(pages, MAP_FAILED);
  const std::string_view zeros(static_cast<const char*>(pages), kMostMessageBytes + 1);
  GraphDef def;
  EXPECT_EQ(ParseBinary(zeros, "g", def).code(), Code::kResourceExhausted);
  EXPECT_EQ(ParseText(zeros, "g", def).code(), Code::kResourceExhausted);
  for (const size_t less : {1, 2}) {
    EXPECT_EQ(ParseBinary(zeros.substr(less), "g", def).code(), Code::kDataLoss);
  }
  munmap(pages, kMostMessageBytes + 1);
}

TEST(ParseMessage, SoManyMessagesMayBeInOneAnother) {
  const auto parsed = [](int messages) {
    std::string text;
    for (int i = 0; i < messages; ++i) text += "args { ";
    for (int i = 0; i < messages; ++i) text += "} ";
    FullTypeDef type;
    return ParseText(text, "t", type).ok();
  };
  EXPECT_TRUE(parsed(kMostNestedMessages - 2));
  EXPECT_TRUE(parsed(kMostNestedMessages - 1));
  EXPECT_FALSE(parsed(kMostNestedMessages));
}

TEST(ReadFile, ErrorsNameTheFile) {
  EXPECT_EQ(ReadFile("no/such/file").status().code(), Code::kNotFound);
  EXPECT_THAT(ReadFile("no/such/file").status().message(), HasSubstr("no/such/file"));
  EXPECT_EQ(ReadFile(::testing::TempDir()).status().code(), Code::kInvalidArgument);
}

TEST(ReadFile, GivesAllBytes) {
  const std::string path = ::testing::TempDir() + "/bytes";
  const std::string bytes("a\0b\n\xff", 5);
  std::ofstream(path, std::ios::binary) << bytes;
  Result<std::string> read = ReadFile(path);
  ASSERT_TRUE(read.ok()) << read.status().ToString();
  EXPECT_EQ(*read, bytes);
}

}  // namespace
}  // namespace tagflow
