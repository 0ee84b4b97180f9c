#include "graph/io/file_kind.h"

#include <gtest/gtest.h>

#include <string>

#include "graph/io/import.h"
#include "graph/io/parse.h"
#include "graph/io/random_graph_def.h"

namespace tagflow {
namespace {

using namespace std::string_literals;

std::string KindOf(std::string_view bytes) {
  const auto kind = OtherKindOf(bytes);
  return kind.has_value() ? kind->name : "";
}

// A field of a message that holds bytes, fewer than 128.
std::string Field(int number, const std::string& bytes) {
  return std::string{static_cast<char>(number << 3 | 2), static_cast<char>(bytes.size())} + bytes;
}

std::string Node(const std::string& name, const std::string& op) {
  return Field(1, Field(1, name) + Field(2, op));
}

const std::string kVersions = Field(4, "\x08\x1a"s);
const std::string kGraph = Node("x", "Placeholder") + Node("y", "Neg") + kVersions;
// As a saver writes it: field 1 says which ops were stripped, and by which TensorFlow.
const std::string kMetaGraph =
    Field(1, Field(2, Field(1, Field(1, "Neg"))) + Field(4, "serve") + Field(5, "2.21.0")) +
    Field(2, kGraph);

TEST(FileKindTest, AGraphIsNoOtherKind) {
  // A library of functions, which is field 2, before and after the nodes.
  const std::string library = Field(2, Field(1, Field(1, Field(1, "f"))));
  for (const std::string& graph :
       {kGraph, kVersions, kVersions + kGraph, library + kGraph, kGraph + library, library,
        Field(2, Field(2, Field(1, "f") + Field(2, "g"))) + kGraph, Node("TFL3", "Neg"),
        Node("PNG", "GIF8"), "node { name: \"a\" }"s, "versions { producer: 3 }"s, ""s, "\n"s}) {
    EXPECT_EQ(KindOf(graph), "") << graph;
  }
  // A node of 123 bytes: its length is the character '{'.
  EXPECT_EQ(KindOf(Field(1, Field(1, std::string(111, 'a')) + Field(2, "NoOps"))), "");
}

TEST(FileKindTest, NoGraphThatIsWrittenIsTakenForAnotherKind) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    const GraphDef def = RandomGraphDef(seed);
    EXPECT_EQ(KindOf(SerializeDeterministic(def)), "") << seed;
    EXPECT_EQ(KindOf(ToText(def)), "") << seed;
  }
}

TEST(FileKindTest, MessagesOfTensorFlow) {
  EXPECT_EQ(KindOf(kMetaGraph), "a MetaGraphDef, as TensorFlow's savers write it (.meta)");
  EXPECT_EQ(KindOf(Field(2, kGraph)), "a MetaGraphDef, as TensorFlow's savers write it (.meta)");
  EXPECT_EQ(KindOf("\x08\x01"s + Field(2, kMetaGraph)), "a SavedModel (saved_model.pb)");
  EXPECT_EQ(KindOf("saved_model_schema_version: 1 meta_graphs { }"),
            "a SavedModel (saved_model.pb)");
  EXPECT_EQ(KindOf("# by hand\nmeta_info_def { }"),
            "a MetaGraphDef, as TensorFlow's savers write it (.meta)");
  EXPECT_EQ(KindOf("model_checkpoint_path: \"model\""),
            "a checkpoint: values of variables, without the graph");
  EXPECT_EQ(KindOf("\0\1\2 any table \x57\xfb\x80\x8b\x24\x75\x47\xdb"s),
            "a checkpoint: values of variables, without the graph");
  EXPECT_EQ(KindOf("\x1c\0\0\0TFL3"s), "a TensorFlow Lite model");
}

TEST(FileKindTest, WhatIsCutOffIsStillKnown) {
  const std::string saved = "\x08\x01"s + Field(2, kMetaGraph);
  for (size_t size = kMetaGraph.size() - kGraph.size() + 24; size < saved.size(); ++size) {
    EXPECT_EQ(KindOf(saved.substr(0, size)), "a SavedModel (saved_model.pb)") << size;
  }
}

TEST(FileKindTest, MessagesOfOthers) {
  EXPECT_EQ(KindOf("\x08\x07"s + Field(2, "pytorch") + Field(7, Field(1, "node"))),
            "a model of ONNX");
  EXPECT_EQ(KindOf("name: \"merge/a\"\nabout: \"b\""), "a conformance case");
  EXPECT_EQ(KindOf("\xef\xbb\xbfname: \"merge/a\""), "a conformance case");
  EXPECT_EQ(KindOf("graph { node { } } steps { }"), "a conformance case");
}

TEST(FileKindTest, FormatsThatBeginWithAMark) {
  EXPECT_EQ(KindOf("BZh91AY&SY"), "compressed by bzip2");
  EXPECT_EQ(KindOf("\xfd"
                   "7zXZ\0"s),
            "compressed by xz");
  EXPECT_EQ(KindOf("\x93NUMPY\1\0"s), "an array of NumPy (.npy)");
  EXPECT_EQ(KindOf("\x89HDF\r\n\x1a\n\0"s),
            "an HDF5 file, as Keras saves models and weights (.h5)");
  EXPECT_EQ(KindOf("\x89PNG\r\n\x1a\n"), "a PNG image");
  EXPECT_EQ(KindOf("\xff\xd8\xff\xe0"), "a JPEG image");
  EXPECT_EQ(KindOf("\x80\x04\x95\1"),
            "a pickle of Python, which is never opened: it can run any "
            "program");
  EXPECT_EQ(KindOf("version https://git-lfs.github.com/spec/v1\noid sha256:0"),
            "a pointer of Git LFS to a file, not the file");
  EXPECT_EQ(KindOf("\xff\xfen\0o\0d\0e\0"s), "text in UTF-16");
  EXPECT_EQ(KindOf("{\"class_name\": \"Model\"}"), "JSON");
  EXPECT_EQ(KindOf("<!DOCTYPE html><html>"), "HTML or XML");
}

TEST(FileKindTest, Archives) {
  EXPECT_EQ(KindOf("PK\3\4........metadata.json......config.json"), "a model of Keras (.keras)");
  EXPECT_EQ(KindOf("PK\3\4........arr_0.npy"), "arrays of NumPy (.npz)");
  EXPECT_EQ(KindOf("PK\3\4........model/data.pkl"), "a model of PyTorch");
  EXPECT_EQ(KindOf("PK\3\4........notes.txt"), "an archive (.zip)");
}

TEST(FileKindTest, TheErrorSaysWhatToDo) {
  const Status error = ImportGraphFromBytes(kMetaGraph, {}, "m.meta").status();
  EXPECT_EQ(error.code(), Code::kInvalidArgument);
  EXPECT_EQ(error.message(),
            "m.meta: it is a MetaGraphDef, as TensorFlow's savers write it (.meta), and not a "
            "GraphDef: the graph in it is its field graph_def: write that with tf.io.write_graph");
}

}  // namespace
}  // namespace tagflow
