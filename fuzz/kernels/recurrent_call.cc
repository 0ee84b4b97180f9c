#include "fuzz/kernels/recurrent_call.h"

#include <algorithm>
#include <string_view>

namespace tagflow::fuzz {

// Each of them takes an h_prev.
bool IsRecurrent(const OpDef& op) {
  return std::ranges::find(op.inputs, "h_prev", &ArgDef::name) != op.inputs.end();
}

std::vector<Dims> DrawRecurrentDims(const OpDef& op, Choices& choices) {
  const bool is_sequence = op.inputs[0].name == "seq_len_max";
  const auto count = [&] {
    return choices.Chance(kRarely) ? 0 : choices.Between(choices.Chance(kSeldom) ? kMany : kFew);
  };
  const int64_t batch = count(), inputs = count(), cells = count();
  // Mostly long, so that the lengths that are drawn, small numbers, are within.
  const Dims time =
      is_sequence ? Dims{choices.Between(choices.Chance(kRarely) ? kFew : kMany)} : Dims{};
  const auto of_time = [&](int64_t columns) {
    Dims dims = time;
    dims.insert(dims.end(), {batch, columns});
    return dims;
  };
  std::vector<Dims> data;
  for (const ArgDef& arg : op.inputs) {
    const std::string_view name = arg.name;
    if (name == "seq_len_max") continue;
    if (name == "x") {
      data.push_back(of_time(inputs));
    } else if (name == "cs_prev" || name == "h_prev") {
      data.push_back({batch, cells});
    } else if (name == "w" || name == "w_ru" || name == "w_c") {
      data.push_back({inputs + cells, cells * (name == "w" ? 4 : name == "w_ru" ? 2 : 1)});
    } else if (name == "b" || name == "b_ru") {
      data.push_back({cells * (name == "b" ? 4 : 2)});
    } else if (name == "b_c" || name.starts_with("wc")) {
      data.push_back({cells});
    } else {
      data.push_back(of_time(cells));
    }
  }
  return data;
}

}  // namespace tagflow::fuzz
