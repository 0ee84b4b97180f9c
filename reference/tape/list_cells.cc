#include "reference/tape/list_cells.h"

#include <string_view>
#include <utility>

#include "graph/held_ragged.h"
#include "graph/tensor_list.h"
#include "reference/tape/adjoint.h"
#include "reference/tape/recording.h"
#include "reference/tape/walk.h"

namespace tagflow::reference {

// One row, and the op's rule for it.
class ListCells::Visit {
 public:
  Visit(ListCells& cells, TapeRow& row, const std::vector<Tensor>& values, int64_t& num_cells)
      : lists_(cells.lists_),
        keys_(cells.keys_),
        row_(row),
        values_(values),
        num_cells_(num_cells) {}

  void Run() {
    using Rule = void (Visit::*)();
    static const std::unordered_map<std::string_view, Rule> kRules = {
        {"Identity", &Visit::HandOn},
        {"Enter", &Visit::HandOn},
        {"Exit", &Visit::HandOn},
        {"NextIteration", &Visit::HandOn},
        {"Switch", &Visit::HandOn},
        {"_SwitchN", &Visit::HandOn},
        {"Merge", &Visit::HandOnMerged},
        {"IdentityN", &Visit::HandOnEach},
        {"Pack", &Visit::Pack},
        {"Unpack", &Visit::Unpack},
        {"AddN", &Visit::AddN},
        {"OptionalFromValue", &Visit::OptionalFromValue},
        {"OptionalGetValue", &Visit::OptionalGetValue},
        {"TensorMapInsert", &Visit::MapInsert},
        {"TensorMapLookup", &Visit::MapLookup},
        {"TensorMapErase", &Visit::MapErase},
        {"RaggedTensorToVariant", &Visit::RaggedToVariant},
        {"RaggedTensorFromVariant", &Visit::RaggedFromVariant},
        {"RaggedTensorToVariantGradient", &Visit::RaggedFromVariant},
        {"TensorListPushBack", &Visit::PushBack},
        {"TensorListPushBackBatch", &Visit::PushBackBatch},
        {"TensorListPopBack", &Visit::PopBack},
        {"TensorListGetItem", &Visit::GetItem},
        {"TensorListSetItem", &Visit::SetItem},
        {"TensorListFromTensor", &Visit::FromTensor},
        {"TensorListStack", &Visit::Stack},
        {"TensorListGather", &Visit::Gather},
        {"TensorListScatter", &Visit::Scatter},
        {"TensorListScatterV2", &Visit::Scatter},
        {"TensorListScatterIntoExistingList", &Visit::ScatterInto},
        {"TensorListSplit", &Visit::Split},
        {"TensorListConcat", &Visit::Concat},
        {"TensorListConcatV2", &Visit::Concat},
        {"TensorListResize", &Visit::Resize},
        {"TensorListConcatLists", &Visit::ConcatLists},
    };
    const auto rule = kRules.find(row_.node->op);
    if (rule != kRules.end()) (this->*rule->second)();
  }

 private:
  // ---- Values ----

  int64_t InputId(size_t slot) const { return row_.inputs[slot]; }
  int64_t OutputId(size_t port) const { return row_.first_output + static_cast<int64_t>(port); }
  const Tensor& ValueAt(int64_t value) const { return values_[static_cast<size_t>(value)]; }
  const Tensor& InputAt(size_t slot) const { return ValueAt(InputId(slot)); }
  const Tensor& OutputAt(size_t port) const { return ValueAt(OutputId(port)); }
  size_t num_outputs() const { return static_cast<size_t>(row_.num_outputs); }
  static bool HoldsLists(const Tensor& value) {
    return value.has_value() && value.dtype() == DType::kVariant;
  }
  static int64_t SizeOf(const Tensor& value, int64_t i = 0) {
    const auto* list = value.data<Variant>()[i].Get<TensorList>();
    return list == nullptr ? 0 : list->size();
  }
  static int64_t RowSize(const Tensor& value) {
    return Product(value.dims(), 1, value.dims().size());
  }

  Lists ListsAt(int64_t value) const {
    const auto found = lists_.find(value);
    if (found != lists_.end()) return found->second;
    const auto count = static_cast<size_t>(ValueAt(value).num_elements());
    return Lists(count, std::make_shared<const List>());
  }
  List ListAt(size_t slot) const { return *ListsAt(InputId(slot))[0]; }
  void Give(List list) { lists_[OutputId(0)] = {Shared(std::move(list))}; }
  static std::shared_ptr<const List> Shared(List list) {
    return std::make_shared<const List>(std::move(list));
  }

  // ---- Cells ----

  // The next `elements` numbers of input `slot`, as an element.
  Element Written(size_t slot, int64_t elements) {
    const Element element{num_cells_++, nullptr};
    row_.writes.push_back({slot, element.cell, elements});
    return element;
  }
  Element WrittenWhole(size_t slot) {
    const Tensor& value = InputAt(slot);
    if (HoldsLists(value)) return {0, ListsAt(InputId(slot))[0]};
    return Written(slot, value.num_elements());
  }
  std::vector<Element> WrittenRows(size_t slot) {
    const Tensor& value = InputAt(slot);
    std::vector<Element> rows;
    for (int64_t i = 0; i < value.dims()[0]; ++i) {
      if (HoldsLists(value)) {
        rows.push_back({0, ListsAt(InputId(slot))[static_cast<size_t>(i)]});
      } else {
        rows.push_back(Written(slot, RowSize(value)));
      }
    }
    return rows;
  }

  // Output `port` is, or goes on with, element `i` of the list, `elements` numbers.
  void Read(size_t port, const List& list, int64_t i, int64_t elements) {
    const auto found = list.find(i);
    if (HoldsLists(OutputAt(port))) {
      const bool is_list = found != list.end() && found->second.list != nullptr;
      lists_[OutputId(port)].push_back(is_list ? found->second.list : Shared({}));
      return;
    }
    row_.reads.push_back({port, found == list.end() ? num_cells_++ : found->second.cell, elements});
  }
  void ReadWhole(size_t port, const List& list, int64_t i) {
    Read(port, list, i, OutputAt(port).num_elements());
  }

  List Sum(const std::vector<List>& lists) {
    std::map<int64_t, std::vector<Element>> parts;
    for (const List& list : lists) {
      for (const auto& [i, element] : list) parts[i].push_back(element);
    }
    List sum;
    for (const auto& [i, elements] : parts) sum[i] = Sum(elements);
    return sum;
  }
  Element Sum(const std::vector<Element>& elements) {
    if (elements.size() == 1) return elements[0];
    std::vector<List> nested;
    for (const Element& element : elements) {
      if (element.list != nullptr) nested.push_back(*element.list);
    }
    if (!nested.empty()) return {0, Shared(Sum(nested))};
    CellSum sum{num_cells_++, {}};
    for (const Element& element : elements) sum.from.push_back(element.cell);
    row_.sums.push_back(sum);
    return {sum.to, nullptr};
  }

  static void Truncate(List& list, int64_t size) { list.erase(list.lower_bound(size), list.end()); }

  // ---- Rules ----

  void HandOnFrom(size_t slot, size_t port) {
    if (HoldsLists(OutputAt(port))) lists_[OutputId(port)] = ListsAt(InputId(slot));
  }
  void HandOn() {
    for (size_t port = 0; port < num_outputs(); ++port) HandOnFrom(0, port);
  }
  void HandOnMerged() { HandOnFrom(static_cast<size_t>(ToIntegers(OutputAt(1))[0]), 0); }
  void HandOnEach() {
    for (size_t port = 0; port < num_outputs(); ++port) HandOnFrom(port, port);
  }

  // Of lists one by one.
  void Pack() {
    if (!HoldsLists(OutputAt(0)) || OutputAt(0).dims().size() != 1) return;
    for (size_t slot = 0; slot < row_.inputs.size(); ++slot) {
      lists_[OutputId(0)].push_back(ListsAt(InputId(slot))[0]);
    }
  }
  void Unpack() {
    if (!HoldsLists(InputAt(0)) || InputAt(0).dims().size() != 1) return;
    const Lists lists = ListsAt(InputId(0));
    for (size_t port = 0; port < num_outputs(); ++port) lists_[OutputId(port)] = {lists[port]};
  }

  void AddN() {
    if (!HoldsLists(OutputAt(0))) return;
    Lists sums;
    for (size_t i = 0; i < static_cast<size_t>(OutputAt(0).num_elements()); ++i) {
      std::vector<List> lists;
      for (const int64_t input : row_.inputs) lists.push_back(*ListsAt(input)[i]);
      sums.push_back(Shared(Sum(lists)));
    }
    lists_[OutputId(0)] = std::move(sums);
  }

  // An optional is the list of its components.
  void OptionalFromValue() {
    List list;
    for (size_t slot = 0; slot < row_.inputs.size(); ++slot) {
      list[static_cast<int64_t>(slot)] = WrittenWhole(slot);
    }
    Give(std::move(list));
  }
  void OptionalGetValue() {
    const List list = ListAt(0);
    for (size_t port = 0; port < num_outputs(); ++port) {
      ReadWhole(port, list, static_cast<int64_t>(port));
    }
  }

  // A map is the list of the values of all keys that there ever are.
  int64_t NumberOf(const Tensor& key);
  void MapInsert();
  void MapLookup() { ReadWhole(0, ListAt(0), NumberOf(InputAt(1))); }
  void MapErase();
  // A ragged tensor is the list of its values, in one piece.
  void RaggedToVariant();
  void RaggedFromVariant();
  int64_t SizeOfRow(size_t i) const;

  void PushBack() {
    List list = ListAt(0);
    list[SizeOf(InputAt(0))] = WrittenWhole(1);
    Give(std::move(list));
  }
  void PushBackBatch() {
    const Lists before = ListsAt(InputId(0));
    const std::vector<Element> rows = WrittenRows(1);
    Lists after;
    for (size_t i = 0; i < rows.size(); ++i) {
      List list = *before[i];
      list[SizeOf(InputAt(0), static_cast<int64_t>(i))] = rows[i];
      after.push_back(Shared(std::move(list)));
    }
    lists_[OutputId(0)] = std::move(after);
  }
  void PopBack() {
    List list = ListAt(0);
    const int64_t last = SizeOf(InputAt(0)) - 1;
    ReadWhole(1, list, last);
    Truncate(list, last);
    Give(std::move(list));
  }
  void GetItem() { ReadWhole(0, ListAt(0), ToIntegers(InputAt(1))[0]); }
  void SetItem() {
    List list = ListAt(0);
    list[ToIntegers(InputAt(1))[0]] = WrittenWhole(2);
    Give(std::move(list));
  }
  void FromTensor() {
    List list;
    int64_t i = 0;
    for (Element& row : WrittenRows(0)) list[i++] = std::move(row);
    Give(std::move(list));
  }
  void Stack() {
    const List list = ListAt(0);
    const Tensor& rows = OutputAt(0);
    for (int64_t i = 0; i < rows.dims()[0]; ++i) Read(0, list, i, RowSize(rows));
  }
  void Gather() {
    const List list = ListAt(0);
    for (const int64_t i : ToIntegers(InputAt(1))) Read(0, list, i, RowSize(OutputAt(0)));
  }
  void PutRows(List list, size_t slot, size_t indices) {
    const std::vector<Element> rows = WrittenRows(slot);
    const std::vector<int64_t> places = ToIntegers(InputAt(indices));
    for (size_t k = 0; k < rows.size(); ++k) list[places[k]] = rows[k];
    Give(std::move(list));
  }
  void Scatter() { PutRows({}, 0, 1); }
  void ScatterInto() { PutRows(ListAt(0), 1, 2); }
  void Split() {
    List list;
    int64_t i = 0;
    for (const int64_t length : ToIntegers(InputAt(2))) {
      list[i++] = Written(0, length * RowSize(InputAt(0)));
    }
    Give(std::move(list));
  }
  void Concat() {
    const List list = ListAt(0);
    int64_t i = 0;
    for (const int64_t length : ToIntegers(OutputAt(1))) {
      Read(0, list, i++, length * RowSize(OutputAt(0)));
    }
  }
  void Resize() {
    List list = ListAt(0);
    Truncate(list, SizeOf(OutputAt(0)));
    Give(std::move(list));
  }
  void ConcatLists() {
    const Lists a = ListsAt(InputId(0)), b = ListsAt(InputId(1));
    Lists joined;
    for (size_t k = 0; k < a.size(); ++k) {
      List list = *a[k];
      const int64_t size = SizeOf(InputAt(0), static_cast<int64_t>(k));
      for (const auto& [i, element] : *b[k]) list[size + i] = element;
      joined.push_back(Shared(std::move(list)));
    }
    lists_[OutputId(0)] = std::move(joined);
  }

  std::unordered_map<int64_t, Lists>& lists_;
  TensorMap& keys_;
  TapeRow& row_;
  const std::vector<Tensor>& values_;
  int64_t& num_cells_;
};

// ---- Maps ----

int64_t ListCells::Visit::NumberOf(const Tensor& key) {
  if (const Tensor* number = keys_.Find(key)) return number->scalar<int64_t>();
  keys_.Insert(key, Tensor::Scalar(keys_.size()));
  return keys_.size() - 1;
}

void ListCells::Visit::MapInsert() {
  List list = ListAt(0);
  list[NumberOf(InputAt(1))] = WrittenWhole(2);
  Give(std::move(list));
}

void ListCells::Visit::MapErase() {
  List list = ListAt(0);
  list.erase(NumberOf(InputAt(1)));
  Give(std::move(list));
}

// ---- Ragged tensors ----

void ListCells::Visit::RaggedToVariant() {
  const size_t values = row_.inputs.size() - 1;
  for (const Variant& piece : OutputAt(0).flat<Variant>()) {
    const int64_t count = piece.Get<HeldRagged>()->values().num_elements();
    lists_[OutputId(0)].push_back(Shared({{0, Written(values, count)}}));
  }
}

void ListCells::Visit::RaggedFromVariant() {
  const size_t port = num_outputs() - 1;
  const Lists lists = ListsAt(InputId(0));
  for (size_t i = 0; i < lists.size(); ++i) {
    const auto* piece = InputAt(0).data<Variant>()[i].Get<HeldRagged>();
    Read(port, *lists[i], 0, piece != nullptr ? piece->values().num_elements() : SizeOfRow(i));
  }
}

// Of RaggedTensorToVariantGradient, the elements of a piece that is missing: those of a row of the
// splits, or where there are none of a part of all.
int64_t ListCells::Visit::SizeOfRow(size_t i) const {
  const Tensor& splits = InputAt(1);
  if (splits.rank() == 0) return OutputAt(0).num_elements() / InputAt(0).num_elements();
  const std::vector<int64_t> numbers = ToIntegers(splits);
  return (numbers[i + 1] - numbers[i]) * RowSize(OutputAt(0));
}

void ListCells::Record(TapeRow& row, const std::vector<Tensor>& values, int64_t& num_cells) {
  Visit(*this, row, values, num_cells).Run();
}

}  // namespace tagflow::reference
