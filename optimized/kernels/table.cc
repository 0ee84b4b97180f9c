#include "optimized/kernels/table.h"

#include <algorithm>
#include <concepts>
#include <cstring>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>

#include "graph/copy_elements.h"
#include "optimized/kernels/text_handle.h"

namespace tagflow::optimized {
namespace {

using Row = size_t;

// Values, `width` elements in a row.
class ValueRows {
 public:
  ValueRows(DType dtype, size_t width)
      : width_(width), is_text_(dtype == DType::kString), bytes_(width * DTypeSize(dtype)) {}

  // Adds row `from` of a tensor.
  Row Add(const Tensor& values, size_t from) {
    if (is_text_) {
      const std::string* const first = values.data<std::string>() + from * width_;
      texts_.insert(texts_.end(), first, first + width_);
    } else {
      const auto* const first = static_cast<const std::byte*>(values.raw_data()) + from * bytes_;
      plain_.insert(plain_.end(), first, first + bytes_);
    }
    return count_++;
  }
  void Set(Row row, const Tensor& values, size_t from) {
    if (is_text_) {
      std::copy_n(values.data<std::string>() + from * width_, width_, texts_.data() + row * width_);
    } else if (bytes_ > 0) {
      std::memcpy(plain_.data() + row * bytes_,
                  static_cast<const std::byte*>(values.raw_data()) + from * bytes_, bytes_);
    }
  }
  void CopyTo(Tensor& values, size_t to, Row row) const {
    if (is_text_) {
      std::copy_n(texts_.data() + row * width_, width_,
                  values.mutable_data<std::string>() + to * width_);
    } else if (bytes_ > 0) {
      std::memcpy(static_cast<std::byte*>(values.mutable_raw_data()) + to * bytes_,
                  plain_.data() + row * bytes_, bytes_);
    }
  }
  // REQUIRES: of one dtype and width
  void Swap(ValueRows& other) noexcept {
    std::swap(count_, other.count_);
    plain_.swap(other.plain_);
    texts_.swap(other.texts_);
  }

 private:
  const size_t width_;
  const bool is_text_;
  const size_t bytes_;  // of a row
  size_t count_ = 0;
  std::vector<std::byte> plain_;
  std::vector<std::string> texts_;
};

// Copies a value of `width` elements from place `from` to place `to`, both counted in values.
void CopyValue(const Tensor& values, size_t from, Tensor& target, size_t to, size_t width) {
  CopyElements(values, from * width, target, to * width, width);
}

// Whether two scalars are equal, as numbers are: no NaN is.
bool AreEqual(const Tensor& a, const Tensor& b) {
  if (a.dtype() == DType::kString) return a.scalar<std::string>() == b.scalar<std::string>();
  if (a.dtype() == DType::kFloat) return a.scalar<float>() == b.scalar<float>();
  if (a.dtype() == DType::kDouble) return a.scalar<double>() == b.scalar<double>();
  return std::memcmp(a.raw_data(), b.raw_data(), DTypeSize(a.dtype())) == 0;
}

std::string KeyText(const std::string& key) { return key; }
std::string KeyText(std::integral auto key) { return std::to_string(key); }

size_t WidthOf(const Table::Form& form) {
  size_t width = 1;
  for (const int64_t dim : form.value_dims) width *= static_cast<size_t>(dim);
  return width;
}

template <typename K>
class TableOf final : public Table {
 public:
  TableOf(std::string name, Form form)
      : Table(std::move(name), std::move(form)),
        width_(WidthOf(this->form())),
        pairs_(this->form().value, width_) {}

  int64_t size() const override {
    std::shared_lock lock(mutex_);
    return static_cast<int64_t>(pairs_.rows.size());
  }
  bool is_filled() const override {
    std::shared_lock lock(mutex_);
    return is_filled_;
  }

  void Find(const Tensor& keys, const Tensor& otherwise, Tensor& values) const override {
    const bool is_for_each =
        !form().is_filled_once && static_cast<size_t>(otherwise.num_elements()) != width_;
    std::shared_lock lock(mutex_);
    size_t at = 0;
    for (const K& key : keys.flat<K>()) {
      const auto found = pairs_.rows.find(key);
      if (found != pairs_.rows.end()) {
        pairs_.values.CopyTo(values, at, found->second);
      } else {
        CopyValue(otherwise, is_for_each ? at : 0, values, at, width_);
      }
      ++at;
    }
  }

  void Set(const Tensor& keys, const Tensor& values, bool replaces_all) override {
    Pairs old(form().value, width_);  // goes when the lock is released
    std::unique_lock lock(mutex_);
    if (replaces_all) pairs_.Swap(old);
    size_t at = 0;
    for (const K& key : keys.flat<K>()) pairs_.Set(key, values, at++);
  }

  Status Fill(const Tensor& keys, const Tensor& values) override {
    std::unique_lock lock(mutex_);
    const auto count = static_cast<size_t>(keys.num_elements());
    if (is_filled_) {
      if (pairs_.rows.size() == count) return Status();
      return FailedPrecondition("Table was already initialized with different data: table '" +
                                name() + "' has " + std::to_string(pairs_.rows.size()) +
                                " keys, not " + std::to_string(count));
    }
    Pairs pairs(form().value, width_);
    size_t at = 0;
    for (const K& key : keys.flat<K>()) {
      TAGFLOW_RETURN_IF_ERROR(CheckNew(pairs, key, values, at));
      pairs.Set(key, values, at++);
    }
    pairs_.Swap(pairs);
    is_filled_ = true;
    return Status();
  }

  void Remove(const Tensor& keys) override {
    std::unique_lock lock(mutex_);
    for (const K& key : keys.flat<K>()) pairs_.Remove(key);
  }

  Result<std::pair<Tensor, Tensor>> Export() const override {
    std::shared_lock lock(mutex_);
    std::vector<const std::pair<const K, Row>*> sorted;
    sorted.reserve(pairs_.rows.size());
    for (const auto& pair : pairs_.rows) sorted.push_back(&pair);
    std::ranges::sort(sorted, {}, [](const auto* pair) -> const K& { return pair->first; });
    const Dims dims = {static_cast<int64_t>(sorted.size())};
    TAGFLOW_ASSIGN_OR_RETURN(Tensor keys, Tensor::Allocate(form().key, dims));
    TAGFLOW_ASSIGN_OR_RETURN(Tensor values,
                             Tensor::Allocate(form().value, form().DimsOfValues(dims)));
    K* key = keys.mutable_data<K>();
    for (size_t i = 0; i < sorted.size(); ++i) {
      *key++ = sorted[i]->first;
      pairs_.values.CopyTo(values, i, sorted[i]->second);
    }
    return std::pair(std::move(keys), std::move(values));
  }

 private:
  // Rows are named by keys, or free. A change that fails for want of memory leaves all others.
  struct Pairs {
    Pairs(DType dtype, size_t width) : values(dtype, width) {}
    void Swap(Pairs& other) noexcept {
      rows.swap(other.rows);
      values.Swap(other.values);
      free.swap(other.free);
    }
    void Set(const K& key, const Tensor& from, size_t at) {
      if (const auto found = rows.find(key); found != rows.end()) {
        values.Set(found->second, from, at);
      } else if (free.empty()) {
        rows.emplace(key, values.Add(from, at));
      } else {
        values.Set(free.back(), from, at);
        rows.emplace(key, free.back());
        free.pop_back();
      }
    }
    void Remove(const K& key) {
      const auto found = rows.find(key);
      if (found == rows.end()) return;
      free.push_back(found->second);
      rows.erase(found);
    }

    std::unordered_map<K, Row> rows;
    ValueRows values;
    std::vector<Row> free;
  };

  // That the key has no other value yet.
  Status CheckNew(const Pairs& pairs, const K& key, const Tensor& values, size_t at) const {
    const auto found = pairs.rows.find(key);
    if (found == pairs.rows.end()) return Status();
    TAGFLOW_ASSIGN_OR_RETURN(Tensor held, Tensor::Allocate(form().value, {}));
    TAGFLOW_ASSIGN_OR_RETURN(Tensor added, Tensor::Allocate(form().value, {}));
    pairs.values.CopyTo(held, 0, found->second);
    CopyValue(values, at, added, 0, 1);
    if (AreEqual(held, added)) return Status();
    return FailedPrecondition("HashTable has different value for same key. Key " + KeyText(key) +
                              " has " + held.DebugString() + " and trying to add value " +
                              added.DebugString());
  }

  const size_t width_;  // elements of a value
  mutable std::shared_mutex mutex_;
  Pairs pairs_;             // guarded by mutex_
  bool is_filled_ = false;  // guarded by mutex_
};

Result<SessionState::Key> KeyOfHandle(const KernelContext& context) {
  const Tensor& input = context.input(0);
  if (IsTextHandle(input)) return TextHandleOf(context);
  if (input.num_elements() != 1) {
    return InvalidArgument("the handle of a table must be a scalar, but it has shape " +
                           DimsString(input.dims()));
  }
  const ResourceHandle& handle = *input.data<ResourceHandle>();
  if (!IsTableHandle(input)) {
    return InvalidArgument("'" + handle.name + "' is the handle of a " +
                           (handle.type_name.empty() ? "nothing" : handle.type_name) +
                           ", not of a table");
  }
  return SessionState::Key(handle.container, handle.name);
}

}  // namespace

Dims Table::Form::DimsOfValues(DimsView keys) const {
  Dims dims(keys.begin(), keys.end());
  dims.insert(dims.end(), value_dims.begin(), value_dims.end());
  return dims;
}

std::shared_ptr<Table> Table::Make(std::string name, Form form) {
  switch (form.key) {
    case DType::kString:
      return std::make_shared<TableOf<std::string>>(std::move(name), std::move(form));
    case DType::kInt32:
      return std::make_shared<TableOf<int32_t>>(std::move(name), std::move(form));
    default:
      return std::make_shared<TableOf<int64_t>>(std::move(name), std::move(form));
  }
}

bool IsTableHandle(const Tensor& tensor) {
  return tensor.dtype() == DType::kResource && tensor.num_elements() == 1 &&
         tensor.data<ResourceHandle>()->type_name == kTableTypeName;
}

Result<std::shared_ptr<Table>> TableOfHandle(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const SessionState::Key key, KeyOfHandle(context));
  auto table = std::dynamic_pointer_cast<Table>(context.session().FindObject(key));
  if (table != nullptr) return table;
  return NotFound("there is no table '" + key.second + "' in container '" + key.first +
                  "': it was destroyed, or no node made it in this session");
}

Status DestroyTable(KernelContext& context) {
  TAGFLOW_RETURN_IF_ERROR(TableOfHandle(context).status());
  const ResourceHandle& handle = *context.input(0).data<ResourceHandle>();
  context.session().TakeObject({handle.container, handle.name});
  return Status();
}

}  // namespace tagflow::optimized
