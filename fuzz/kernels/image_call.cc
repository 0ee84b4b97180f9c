#include "fuzz/kernels/image_call.h"

#include <algorithm>
#include <string_view>

namespace tagflow::fuzz {
namespace {

bool HasInput(const OpDef& op, std::string_view name) {
  return std::ranges::find(op.inputs, name, &ArgDef::name) != op.inputs.end();
}

// Draws a box, or a box for each class, at each place of an image, and scores of the classes.
std::vector<Dims> DrawClasses(Choices& choices) {
  const int64_t batch = choices.Between(kUpToTwo), boxes = choices.Between(kSeveral);
  const int64_t classes = choices.Between(kFew);
  const int64_t boxes_per_place = choices.Chance(kEvenly) ? 1 : classes;
  return {{batch, boxes, boxes_per_place, 4}, {batch, boxes, classes}};
}

// Images of gray or of colors, boxes on them, and what they are drawn with.
std::vector<Dims> DrawCanvas(Choices& choices) {
  const int64_t batch = choices.Between(kUpToTwo), channels = choices.Chance(kEvenly) ? 3 : 1;
  const int64_t rows = choices.Between(kSeveral), columns = choices.Between(kSeveral);
  const int64_t boxes = choices.Between(kSeveral), colors = choices.Between(kFew);
  return {{batch, rows, columns, channels}, {batch, boxes, 4}, {colors, channels}};
}

bool IsDilation(const OpDef& op) {
  return op.FindAttr("rates") != nullptr && HasInput(op, "filter");
}

// With strides of 1 and the padding SAME, what is made of an image is of its shape.
std::vector<Dims> DrawDilation(Choices& choices) {
  const int64_t batch = choices.Between(kUpToTwo), depth = choices.Between(kFew);
  const int64_t rows = choices.Between(kSeveral), columns = choices.Between(kSeveral);
  const int64_t filter_rows = choices.Between(kFew), filter_columns = choices.Between(kFew);
  const Dims image = {batch, rows, columns, depth};
  return {image, {filter_rows, filter_columns, depth}, image};
}

// Draws the dims of the inputs of ops that spell none of them.
std::vector<Dims> DrawUnspelled(const OpDef& op, Choices& choices) {
  if (IsDilation(op)) return DrawDilation(choices);
  if (op.FindAttr("clip_boxes") != nullptr) return DrawClasses(choices);
  if (HasInput(op, "images") && HasInput(op, "boxes")) return DrawCanvas(choices);
  if (!HasInput(op, "overlaps")) return {};
  const int64_t boxes = choices.Between(kSeveral);
  return {{boxes, boxes}, {boxes}};
}

}  // namespace

bool IsOnImages(const OpDef& op) {
  return op.FindAttr("half_pixel_centers") != nullptr || HasInput(op, "boxes") ||
         HasInput(op, "overlaps") || IsDilation(op);
}

ImageCall DrawImages(const OpDef& op, Choices& choices) {
  const std::vector<Dims> unspelled = DrawUnspelled(op, choices);
  if (!unspelled.empty()) return {unspelled, unspelled[0]};
  const auto size = [&] { return choices.Chance(kRarely) ? 0 : choices.Between(kSeveral); };
  const Dims image = {choices.Between(kFew), size(), size(), choices.Between(kFew)};
  const int64_t rows = size(), columns = size();
  // There are as many boxes as crops have rows, as many as there are images where those are
  // spelled.
  const int64_t boxes = HasInput(op, "image_size") ? image[0] : rows;
  const int64_t outputs = HasInput(op, "boxes") ? boxes : image[0];
  const Dims output = {outputs, rows, columns, image[3]};
  ImageCall call;
  for (const ArgDef& arg : op.inputs) {
    if (arg.name == "images" || arg.name == "image" || arg.name == "original_image") {
      call.data.push_back(image);
    }
    if (arg.name == "grads") call.data.push_back(output);
    if (arg.name == "boxes") call.data.push_back({boxes, 4});
    if (arg.name == "scores") call.data.push_back({boxes});
  }
  // Of the image, of its rows and columns, or of those of what is made of it.
  if (HasInput(op, "image_size")) {
    call.spelled = image;
  } else if (HasInput(op, "grads") && HasInput(op, "size")) {
    call.spelled = {image[1], image[2]};
  } else {
    call.spelled = {rows, columns};
  }
  return call;
}

}  // namespace tagflow::fuzz
