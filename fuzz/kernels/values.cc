#include "fuzz/kernels/values.h"

#include <complex>
#include <cstdint>
#include <limits>
#include <map>
#include <tuple>
#include <vector>

namespace tagflow::fuzz {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

enum class Kind : uint8_t { kSmall, kSigned, kSpecial, kFine, kEdge, kEndless, kFraction };

// Numbers at equal distances.
struct Grid {
  Kind kind;
  int least;
  int most;
  double per_unit;
};
constexpr Grid kGrids[] = {
    {Kind::kSigned, -20, 20, 4},
    {Kind::kFine, -1024, 1024, 256},  // of more digits than bfloat16 has
    {Kind::kFraction, 1, 15, 16},
    {Kind::kEndless, -1000, 1000, 7},
};

double DrawReal(Kind kind, Choices& choices) {
  if (kind == Kind::kSmall) return choices.Between(kUpToThree);
  for (const Grid& grid : kGrids) {
    if (grid.kind == kind) return choices.Between(grid.least, grid.most) / grid.per_unit;
  }
  // None of which leaves the sum of many to the order of additions.
  if (kind == Kind::kEdge) {
    static const auto& edges = *new std::vector<double>{
        1.0,  -kInfinity, kInfinity, 0.0,       -0.0, 2.0,
        -1.0, -kInfinity, 0.5,       kInfinity, -2.5, std::numeric_limits<double>::quiet_NaN()};
    return choices.Of(edges);
  }
  static const auto& specials =
      *new std::vector<double>{0.0,    -0.0,    std::numeric_limits<double>::quiet_NaN(),
                               1e308,  -1e308,  kInfinity,
                               3.5e38, -3.5e38, -kInfinity,
                               5e-324, 1e-40,   65504,
                               2.1e9,  3e9,     4.2e9,
                               1e19,   -1.0,    0.5,
                               9.3e18, -9.3e18, 1.0};
  return choices.Of(specials);
}

float ToFloat(double value) {
  const bool fits = !(std::abs(value) > std::numeric_limits<float>::max());
  return fits ? static_cast<float>(value) : std::numeric_limits<float>::infinity();
}

template <typename T>
T Element(Kind kind, Choices& choices) {
  if constexpr (std::is_same_v<T, bool>) {
    return choices.Chance(kEvenly);
  } else if constexpr (std::is_same_v<T, std::string>) {
    // Of which several in a row may read like others.
    static const auto& letters = *new std::vector<std::string>{"a", "b", "ab", "", "ba"};
    return kind == Kind::kSmall && choices.Chance(kEvenly) ? choices.Of(letters)
                                                           : DrawText(choices);
  } else if constexpr (std::is_integral_v<T>) {
    if (kind == Kind::kSmall) return static_cast<T>(choices.Between(kUpToThree));
    return static_cast<T>(kind == Kind::kSpecial ? DrawHuge(choices)
                                                 : choices.Between(kEitherSign));
  } else if constexpr (std::is_same_v<T, Half>) {
    return HalfFromDouble(DrawReal(kind, choices));
  } else if constexpr (std::is_same_v<T, BFloat16>) {
    return BFloat16FromFloat(Element<float>(kind, choices));
  } else if constexpr (std::is_same_v<T, float>) {
    return ToFloat(DrawReal(kind, choices));
  } else if constexpr (std::is_same_v<T, double>) {
    return DrawReal(kind, choices);
  } else {
    using Part = typename T::value_type;
    const Part real = Element<Part>(kind, choices);
    return T(real, Element<Part>(kind, choices));
  }
}

template <typename T>
std::vector<T> Corners() {
  std::vector<T> corners;
  if constexpr (std::is_integral_v<T>) {
    for (const int64_t x : {0, 1, -1, 2, 3, 5, 7, -2, -3, 31, 32, 63, 64}) {
      corners.push_back(static_cast<T>(x));
    }
    for (const T end : {std::numeric_limits<T>::max(), std::numeric_limits<T>::min()}) {
      corners.insert(corners.end(), {end, static_cast<T>(end / 2)});
    }
  } else {
    for (const double x : {0.0, -0.0, 1.0, -1.0, 2.0, 0.5, -2.5, 3.0, -3.0, 20.0, 1e30, -1e30,
                           kInfinity, -kInfinity, std::numeric_limits<double>::quiet_NaN()}) {
      if constexpr (std::is_same_v<T, Half>) corners.push_back(HalfFromDouble(x));
      if constexpr (std::is_same_v<T, BFloat16>) corners.push_back(BFloat16FromFloat(ToFloat(x)));
      if constexpr (std::is_same_v<T, float>) corners.push_back(ToFloat(x));
      if constexpr (std::is_same_v<T, double>) corners.push_back(x);
    }
  }
  return corners;
}
template <>
std::vector<bool> Corners<bool>() {
  return {false, true};
}

template <typename T>
Tensor PairsOf(int number) {
  const std::vector<T> corners = Corners<T>();
  const size_t size = corners.size();
  Tensor pairs = *Tensor::Allocate(DTypeOf<T>::value, Dims{static_cast<int64_t>(size * size)});
  for (size_t i = 0; i < size * size; ++i) {
    pairs.mutable_data<T>()[i] = corners[number == 0 ? i / size : i % size];
  }
  return pairs;
}

template <typename T>
void Fill(Tensor& tensor, Kind kind, Choices& choices) {
  T* out = tensor.mutable_data<T>();
  for (int64_t i = 0; i < tensor.num_elements(); ++i) out[i] = Element<T>(kind, choices);
}

using Filler = void (*)(Tensor&, Kind, Choices&);
template <typename... T>
std::map<DType, Filler> FillersOf() {
  return {{DTypeOf<T>::value, Fill<T>}...};
}

const std::map<DType, Filler>& Fillers() {
  static const auto& fillers = *new std::map<DType, Filler>(
      FillersOf<bool, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t,
                Half, BFloat16, float, double, std::complex<float>, std::complex<double>,
                std::string>());
  return fillers;
}

// All on one side, and far from zero.
void MoveFar(Tensor& tensor, int by) {
  const auto move = [&]<typename T>(T) {
    for (T& element : tensor.mutable_flat<T>()) element += static_cast<T>(by);
  };
  if (tensor.dtype() == DType::kFloat) move(float{});
  if (tensor.dtype() == DType::kDouble) move(double{});
}

}  // namespace

int64_t DrawSmall(Choices& choices) {
  return choices.Chance(kSometimes) ? choices.Between(kEitherSign) : choices.Between(kUpToThree);
}

int64_t DrawHuge(Choices& choices) {
  static const auto& numbers = *new std::vector<int64_t>{-1,
                                                         INT32_MAX,
                                                         INT32_MIN,
                                                         INT64_MAX,
                                                         INT64_MIN,
                                                         INT32_MAX - 1,
                                                         INT64_MAX - 1,
                                                         INT64_MIN + 1,
                                                         1 << 16,
                                                         1 << 30,
                                                         int64_t{1} << 31,
                                                         int64_t{1} << 32,
                                                         int64_t{1} << 40,
                                                         int64_t{1} << 62,
                                                         -(1 << 30),
                                                         127,
                                                         -128,
                                                         7};
  return choices.Of(numbers);
}

namespace {

// Words, some of them empty, with one separator between them.
std::string DrawWords(Choices& choices) {
  static const auto& words = *new std::vector<std::string>{"", "a", "bc", ""};
  static const auto& separators = *new std::vector<std::string>{",", " ", ",,", "ab"};
  const std::string& separator = choices.Of(separators);
  std::string text = choices.Of(words);
  for (int more = choices.Between(kUpToThree); more > 0; --more) {
    text += separator;
    text += choices.Of(words);
  }
  return text;
}

}  // namespace

std::string DrawText(Choices& choices) {
  if (choices.Chance(kEvenly)) return DrawWords(choices);
  static const auto& texts =
      *new std::vector<std::string>{"",        "a",         "1",
                                    "-2.5",    "nan",       "%d %s %n",
                                    "a,b,,c",  " ",         "1e400",
                                    "é漢字",   "\xff",      std::string("a\0b", 3),
                                    "%",       "%1000000d", "{}",
                                    "x y z",   "-0",        "9223372036854775808",
                                    "a,b,",    ",a",        " a b ",
                                    "ab->a,b", "...i->i",   "unit_test",
                                    "NHWC",    "\n",        std::string(300, 'x'),
                                    "YQ==",    "YWI",       "\"q\"\t'\\"};
  return choices.Of(texts);
}

Dims DrawDims(Choices& choices) {
  static const auto& sizes = *new std::vector<int64_t>{2, 1, 3, 0, 4, 2, 3};
  // Now and then a vector that kernels take in several blocks.
  if (choices.Chance(kRarely)) return {600};
  // Or of more dimensions than some kernels know, of which one counts.
  if (choices.Chance(kRarely)) {
    constexpr size_t kManyDims = 5;
    Dims deep(kManyDims + static_cast<size_t>(choices.Between(kUpToFour)), 1);
    deep[choices.Below(kManyDims)] = choices.Of(sizes);
    return deep;
  }
  Dims dims(static_cast<size_t>(choices.Between(kUpToFour)));
  for (int64_t& dim : dims) dim = choices.Of(sizes);
  return dims;
}

Dims DrawDimsLike(const Dims& dims, Choices& choices) {
  constexpr Odds kWeights[] = {kEvenly, kSeldom, kSeldom, kSeldom, kSometimes};
  Dims changed = dims;
  switch (choices.Weighted(kWeights)) {
    case 0:
      return dims;
    case 1:
      if (!dims.empty()) {
        changed[choices.Below(dims.size())] = choices.Between(kUpToThree);
      }
      return changed;
    case 2:
      return {};
    case 3:
      return {choices.Between(kUpToFour)};
    default:
      return DrawDims(choices);
  }
}

Tensor AllPairs(DType dtype, int number) {
  using Maker = Tensor (*)(int);
  const auto makers = []<typename... T>(std::tuple<T...>) {
    return std::map<DType, Maker>{{DTypeOf<T>::value, PairsOf<T>}...};
  };
  static const auto& all = *new std::map<DType, Maker>(
      makers(std::tuple<bool, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t,
                        uint64_t, Half, BFloat16, float, double>()));
  return all.at(dtype)(number);
}

namespace {

Tensor Filled(DType dtype, const Dims& dims, Kind kind, Choices& choices) {
  Tensor tensor = *Tensor::Allocate(dtype, dims);
  const auto filler = Fillers().find(dtype);
  if (filler != Fillers().end()) filler->second(tensor, kind, choices);
  return tensor;
}

}  // namespace

Tensor DrawSpecials(DType dtype, const Dims& dims, Choices& choices) {
  return Filled(dtype, dims, Kind::kSpecial, choices);
}

Tensor DrawEndless(DType dtype, const Dims& dims, Choices& choices) {
  return Filled(dtype, dims, Kind::kEndless, choices);
}

Tensor DrawFraction(DType dtype, Choices& choices) {
  return Filled(dtype, {}, Kind::kFraction, choices);
}

Tensor DrawFine(DType dtype, const Dims& dims, Choices& choices) {
  return Filled(dtype, dims, Kind::kFine, choices);
}

Tensor DrawTensor(DType dtype, const Dims& dims, Choices& choices) {
  constexpr Odds kWeights[] = {kEvenly, kSometimes, kSeldom, kSeldom, kSeldom};
  auto kind = static_cast<Kind>(choices.Weighted(kWeights));
  // Of products of so many, sums are still exact in float, in any order.
  if (kind == Kind::kFine && *NumElements(dims) > 16) kind = Kind::kSmall;
  Tensor tensor = Filled(dtype, dims, kind, choices);
  if (kind == Kind::kSigned && choices.Chance(kSometimes))
    MoveFar(tensor, choices.Chance(kEvenly) ? 800 : -800);
  return tensor;
}

}  // namespace tagflow::fuzz
