#include "reference/tape/adjoint.h"

#include <type_traits>

namespace tagflow::reference {
namespace {

template <typename T>
double ToDouble(T value) {
  if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>) {
    return static_cast<double>(ToFloat(value));
  } else {
    return static_cast<double>(value);
  }
}

template <typename To, typename From>
void Append(const Tensor& tensor, std::vector<To>* numbers) {
  for (const From& value : tensor.flat<From>()) {
    if constexpr (std::is_same_v<To, double>) {
      numbers->push_back(ToDouble(value));
    } else {
      numbers->push_back(static_cast<To>(value));
    }
  }
}

template <typename To>
void AppendIntegers(const Tensor& tensor, std::vector<To>* numbers) {
  switch (tensor.dtype()) {
    case DType::kInt8:
      return Append<To, int8_t>(tensor, numbers);
    case DType::kInt16:
      return Append<To, int16_t>(tensor, numbers);
    case DType::kInt32:
      return Append<To, int32_t>(tensor, numbers);
    case DType::kInt64:
      return Append<To, int64_t>(tensor, numbers);
    case DType::kUInt8:
      return Append<To, uint8_t>(tensor, numbers);
    case DType::kUInt16:
      return Append<To, uint16_t>(tensor, numbers);
    case DType::kUInt32:
      return Append<To, uint32_t>(tensor, numbers);
    case DType::kUInt64:
      return Append<To, uint64_t>(tensor, numbers);
    default:
      TAGFLOW_CHECK(!"integers");
  }
}

}  // namespace

std::vector<double> ToDoubles(const Tensor& tensor) {
  std::vector<double> numbers;
  numbers.reserve(static_cast<size_t>(tensor.num_elements()));
  switch (tensor.dtype()) {
    case DType::kFloat:
      Append<double, float>(tensor, &numbers);
      break;
    case DType::kDouble:
      Append<double, double>(tensor, &numbers);
      break;
    case DType::kHalf:
      Append<double, Half>(tensor, &numbers);
      break;
    case DType::kBFloat16:
      Append<double, BFloat16>(tensor, &numbers);
      break;
    case DType::kBool:
      Append<double, bool>(tensor, &numbers);
      break;
    default:
      AppendIntegers(tensor, &numbers);
  }
  return numbers;
}

std::vector<int64_t> ToIntegers(const Tensor& tensor) {
  std::vector<int64_t> numbers;
  AppendIntegers(tensor, &numbers);
  return numbers;
}

const AdjointTable& AdjointTable::Standard() {
  static const AdjointTable* const table = [] {
    auto* made = new AdjointTable;
    AddActivationAdjoints(*made);
    AddConvolutionAdjoints(*made);
    AddDecompositionAdjoints(*made);
    AddDiagonalAdjoints(*made);
    AddEinsumAdjoints(*made);
    AddImageAdjoints(*made);
    AddLinalgAdjoints(*made);
    AddMathAdjoints(*made);
    AddNormalizationAdjoints(*made);
    AddPoolingAdjoints(*made);
    AddQuantizationAdjoints(*made);
    AddRandomAdjoints(*made);
    AddRaggedAdjoints(*made);
    AddSegmentAdjoints(*made);
    AddSoftmaxAdjoints(*made);
    AddSequenceAdjoints(*made);
    AddSparseAdjoints(*made);
    AddSpecialAdjoints(*made);
    AddReductionAdjoints(*made);
    AddMatrixAdjoints(*made);
    AddArrayAdjoints(*made);
    AddSliceAdjoints(*made);
    AddRearrangingAdjoints(*made);
    AddScatterAdjoints(*made);
    AddControlAdjoints(*made);
    return made;
  }();
  return *table;
}

}  // namespace tagflow::reference
