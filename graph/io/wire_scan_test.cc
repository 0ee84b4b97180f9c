#include "graph/io/wire_scan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/io/graph.pb.h"

namespace tagflow {
namespace {

using ::testing::HasSubstr;

std::string Scan(std::string_view bytes) { return DescribeBadWire(bytes, GraphDef::descriptor()); }

TEST(WireScan, AMessageHasNothingBad) {
  GraphDef def;
  def.add_node()->set_name("x");
  TensorProto* tensor = (*def.mutable_node(0)->mutable_attr())["v"].mutable_tensor();
  tensor->add_float_val(1);
  tensor->add_int64_val(-1);
  tensor->add_double_val(2);
  EXPECT_EQ(Scan(def.SerializeAsString()), "");
  EXPECT_EQ(Scan(""), "");
}

TEST(WireScan, DamageIsNamedByByteAndField) {
  EXPECT_THAT(Scan("\x0a\x05\x0a"), HasSubstr("byte 0, in node[0]: the field says that it has 5"));
  EXPECT_THAT(Scan(std::string("\x00\x01", 2)), HasSubstr("byte 0: this is not a field's number"));
  EXPECT_THAT(Scan("\x0b"), HasSubstr("wire type 3"));
  EXPECT_THAT(Scan("\x18\xff"), HasSubstr("a number breaks off"));
  EXPECT_THAT(Scan("\x18" + std::string(11, '\xff')), HasSubstr("more than 10 bytes"));
  EXPECT_THAT(Scan("\x0a\x03\x0a\x01\xc0"), HasSubstr("byte 2, in node[0].name: the text"));
}

TEST(WireScan, Utf8IsCheckedToItsLastRule) {
  auto name = [](const std::string& text) {
    return Scan("\x0a" + std::string(1, static_cast<char>(text.size() + 2)) + "\x0a" +
                std::string(1, static_cast<char>(text.size())) + text);
  };
  EXPECT_EQ(name("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"), "");
  for (const char* bad : {"\x80", "\xc0\x80", "\xed\xa0\x80", "\xf5\x80\x80\x80", "\xe2\x82"}) {
    EXPECT_THAT(name(bad), HasSubstr("not UTF-8")) << bad;
  }
}

}  // namespace
}  // namespace tagflow
