#include "fuzz/kernels/image_call.h"

#include <algorithm>
#include <string_view>

namespace tagflow::fuzz {
namespace {

bool HasInput(const OpDef& op, std::string_view name) {
  return std::ranges::find(op.inputs, name, &ArgDef::name) != op.inputs.end();
}

}  // namespace

bool IsOnImages(const OpDef& op) {
  return op.FindAttr("half_pixel_centers") != nullptr || HasInput(op, "boxes");
}

ImageCall DrawImages(const OpDef& op, Choices& choices) {
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
