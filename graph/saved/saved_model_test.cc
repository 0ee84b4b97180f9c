#include "graph/saved/saved_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "graph/io/parse.h"
#include "graph/saved/saved_model.pb.h"

namespace tagflow {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

const char* const kModel = "graph/saved/testdata/model";

SavedModel Proto() {
  SavedModel model;
  const std::string path = std::string(kModel) + "/saved_model.pb";
  EXPECT_TRUE(ParseMessage(*ReadFile(path), path, model).ok());
  return model;
}

// A folder with that model in it.
std::string Folder(const SavedModel& model) {
  const std::string folder = testing::TempDir() + "/some_model";
  std::filesystem::create_directories(folder);
  std::ofstream(folder + "/saved_model.pb", std::ios::binary) << model.SerializeAsString();
  return folder;
}

TEST(SavedModelTest, HasGraphSignaturesAndWhatRestoresIt) {
  EXPECT_TRUE(IsSavedModel(kModel));
  const auto model = LoadSavedModel(kModel);
  ASSERT_TRUE(model.ok()) << model.status().ToString();
  EXPECT_FALSE(model->graph.library.empty());
  EXPECT_EQ(model->signatures.size(), 2u);
  const ModelSignature& serving = model->signatures.at("serving_default");
  EXPECT_THAT(serving.inputs, ElementsAre(Pair("x", "serving_default_x:0")));
  EXPECT_EQ(serving.outputs.size(), 3u);
  ASSERT_GE(model->init.size(), 1u);
  EXPECT_THAT(model->init[0].feeds,
              ElementsAre(Pair("saver_filename:0", testing::Truly([](const Tensor& path) {
                                 return *path.data<std::string>() ==
                                        std::string(kModel) + "/variables/variables";
                               }))));
}

TEST(SavedModelTest, TagsChooseAGraph) {
  SavedModel proto = Proto();
  *proto.add_meta_graphs() = proto.meta_graphs(0);
  proto.mutable_meta_graphs(1)->mutable_meta_info_def()->add_tags("gpu");
  const std::string folder = Folder(proto);
  EXPECT_TRUE(LoadSavedModel(folder).ok());
  EXPECT_TRUE(LoadSavedModel(folder, {.tags = {"gpu", "serve"}}).ok());
  EXPECT_THAT(LoadSavedModel(folder, {.tags = {"tpu"}}).status().ToString(),
              HasSubstr("has no graph with the tags 'tpu'; it has 'serve', 'serve,gpu'"));
}

TEST(SavedModelTest, AssetsStayInTheFolder) {
  SavedModel proto = Proto();
  AssetFileDef& asset = *proto.mutable_meta_graphs(0)->add_asset_file_def();
  asset.mutable_tensor_info()->set_name("asset:0");
  for (const char* name : {"words.txt", "deep/words.txt"}) {
    asset.set_filename(name);
    EXPECT_TRUE(LoadSavedModel(Folder(proto)).ok()) << name;
  }
  for (const char* name : {"../words.txt", "/etc/passwd", "a/../../b", ""}) {
    asset.set_filename(name);
    EXPECT_THAT(LoadSavedModel(Folder(proto)).status().ToString(),
                HasSubstr("is not in the model's folder"))
        << name;
  }
}

TEST(SavedModelTest, AMetaGraphIsReadByItself) {
  const std::string path = testing::TempDir() + "/model.meta";
  std::ofstream(path, std::ios::binary) << Proto().meta_graphs(0).SerializeAsString();
  EXPECT_TRUE(IsMetaGraph(path));
  const auto model = ReadMetaGraph(path);
  ASSERT_TRUE(model.ok()) << model.status().ToString();
  EXPECT_EQ(model->signatures.size(), 2u);
  EXPECT_TRUE(model->init.empty());
  EXPECT_FALSE(IsMetaGraph(std::string(kModel) + "/saved_model.pb"));
}

TEST(SavedModelTest, AChangedModelIsAWholeOne) {
  const auto model = LoadSavedModel(kModel);
  ASSERT_TRUE(model.ok()) << model.status().ToString();
  Graph graph = model->graph.Clone();
  const NodeId one = *graph.AddNode("one", "Const");
  graph.SetAttr(one, "dtype", DType::kFloat);
  graph.SetAttr(one, "value", Tensor::Scalar(1.0f));
  const std::string folder = testing::TempDir() + "/changed";
  std::filesystem::remove_all(folder);
  const ModelChange change{graph, "serving_default", {{"more", "one"}}};
  ASSERT_EQ(SaveChangedModel(kModel, folder, change).ToString(), "OK");
  const auto changed = LoadSavedModel(folder);
  ASSERT_TRUE(changed.ok()) << changed.status().ToString();
  EXPECT_NE(changed->graph.Find("one"), NodeId::kNone);
  EXPECT_EQ(changed->signatures.at("serving_default").outputs.size(), 4u);
  EXPECT_EQ(changed->signatures.at("serving_default").outputs.at("more"), "one:0");
  EXPECT_EQ(changed->signatures.at("count").outputs, model->signatures.at("count").outputs);
  EXPECT_EQ(changed->init.size(), model->init.size());
  EXPECT_EQ(SaveChangedModel(kModel, folder, change).code(), Code::kAlreadyExists);
}

TEST(SavedModelTest, AChangeThatDoesNotFitLeavesNoFolder) {
  const auto model = LoadSavedModel(kModel);
  const std::string folder = testing::TempDir() + "/not_changed";
  for (const ModelChange& change : {ModelChange{model->graph, "no_such", {}},
                                    ModelChange{model->graph, "count", {{"y", "no_such"}}}}) {
    EXPECT_EQ(SaveChangedModel(kModel, folder, change).code(), Code::kNotFound);
    EXPECT_FALSE(std::filesystem::exists(folder));
    EXPECT_FALSE(std::filesystem::exists(folder + ".unfinished"));
  }
  EXPECT_FALSE(SaveChangedModel(kModel, "/no_such/folder", {model->graph, "", {}}).ok());
}

TEST(SavedModelTest, WhatIsDamagedIsAnError) {
  const std::string folder = testing::TempDir() + "/damaged";
  std::filesystem::create_directories(folder);
  const std::string bytes = Proto().SerializeAsString();
  for (size_t size = 0; size < bytes.size(); size += 997) {
    std::ofstream(folder + "/saved_model.pb", std::ios::binary) << bytes.substr(0, size);
    EXPECT_FALSE(LoadSavedModel(folder).ok()) << size;
  }
}

}  // namespace
}  // namespace tagflow
