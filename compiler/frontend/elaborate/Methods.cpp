// Methods of lists, dicts, strings and run-time values.
#include "compiler/frontend/elaborate/Elaborator.h"

#include "llvm/ADT/StringExtras.h"

namespace tlc::frontend {

using Items = llvm::ArrayRef<Arguments::Item>;

static std::optional<Value> listMethod(Value self, llvm::StringRef name,
                                       Items args) {
  std::vector<Value> &items = self.items();
  if (name == "append" && args.size() == 1) {
    items.push_back(args[0].value);
    return Value::none();
  }
  if (name == "extend" && args.size() == 1 && args[0].value.isSequence()) {
    std::vector<Value> more = args[0].value.items();
    items.insert(items.end(), more.begin(), more.end());
    return Value::none();
  }
  if (name == "pop" && args.empty() && !items.empty()) {
    Value last = items.back();
    items.pop_back();
    return last;
  }
  if (name == "insert" && args.size() == 2 && args[0].value.isIntLike()) {
    int64_t at = args[0].value.asInt(), size = items.size();
    at = std::clamp<int64_t>(at < 0 ? at + size : at, 0, size);
    items.insert(items.begin() + at, args[1].value);
    return Value::none();
  }
  if (name == "count" && args.size() == 1)
    return Value::ofInt(llvm::count_if(
        items, [&](const Value &v) { return equals(v, args[0].value); }));
  if (name == "index" && args.size() == 1)
    for (auto [i, item] : llvm::enumerate(items))
      if (equals(item, args[0].value))
        return Value::ofInt(i);
  return std::nullopt;
}

static std::optional<Value> dictMethod(Value self, llvm::StringRef name,
                                       Items args) {
  auto &entries = self.as<DictObject>().entries;
  if (name == "get" && (args.size() == 1 || args.size() == 2)) {
    for (auto &entry : entries)
      if (equals(entry.first, args[0].value))
        return entry.second;
    return args.size() == 2 ? args[1].value : Value::none();
  }
  if (name == "update" && args.size() == 1 && args[0].value.is(Kind::Dict)) {
    auto more = args[0].value.as<DictObject>().entries;
    for (auto &entry : more) {
      llvm::erase_if(entries,
                     [&](auto &e) { return equals(e.first, entry.first); });
      entries.push_back(entry);
    }
    return Value::none();
  }
  if (!args.empty())
    return std::nullopt;
  std::vector<Value> items;
  for (auto &entry : entries) {
    if (name == "keys")
      items.push_back(entry.first);
    else if (name == "values")
      items.push_back(entry.second);
    else if (name == "items")
      items.push_back(Value::ofTuple({entry.first, entry.second}));
    else
      return std::nullopt;
  }
  return Value::ofList(items);
}

static std::optional<Value> stringMethod(const Value &self,
                                         llvm::StringRef name, Items args) {
  llvm::StringRef text = self.text();
  auto arg = [&](size_t i) {
    return args.size() > i && args[i].value.is(Kind::String)
               ? std::optional<llvm::StringRef>(args[i].value.text())
               : std::nullopt;
  };
  if (name == "upper" && args.empty())
    return Value::ofString(text.upper());
  if (name == "lower" && args.empty())
    return Value::ofString(text.lower());
  if (name == "strip" && args.empty())
    return Value::ofString(text.trim());
  if (name == "startswith" && arg(0))
    return Value::ofBool(text.starts_with(*arg(0)));
  if (name == "endswith" && arg(0))
    return Value::ofBool(text.ends_with(*arg(0)));
  if (name == "replace" && arg(0) && arg(1) && !arg(0)->empty()) {
    std::string result;
    llvm::StringRef rest = text;
    for (size_t at; (at = rest.find(*arg(0))) != llvm::StringRef::npos;
         rest = rest.substr(at + arg(0)->size()))
      result += rest.take_front(at).str() + arg(1)->str();
    return Value::ofString(result + rest.str());
  }
  if (name == "split" && args.size() == 1 && arg(0) && !arg(0)->empty()) {
    llvm::SmallVector<llvm::StringRef> parts;
    text.split(parts, *arg(0));
    std::vector<Value> items;
    for (llvm::StringRef part : parts)
      items.push_back(Value::ofString(part));
    return Value::ofList(items);
  }
  if (name == "join" && args.size() == 1 && args[0].value.isSequence()) {
    std::string result;
    for (auto [i, item] : llvm::enumerate(args[0].value.items())) {
      if (!item.is(Kind::String))
        return std::nullopt;
      result += (i ? text.str() : "") + item.text();
    }
    return Value::ofString(result);
  }
  return std::nullopt;
}

static llvm::StringRef scopeName(tile::Space space) {
  switch (space) {
  case tile::Space::Global:
    return "global";
  case tile::Space::Shared:
    return "shared.dyn";
  case tile::Space::Fragment:
    return "local.fragment";
  case tile::Space::Local:
    return "local";
  }
  return "";
}

Value Elaborator::callMethod(MethodObject &method, const Arguments &args) {
  const Value &self = method.self;
  if (self.isPoison())
    return self;
  std::optional<Value> result;
  switch (self.kind) {
  case Kind::List:
  case Kind::Tuple:
    result = listMethod(self, method.name, args.items);
    break;
  case Kind::Dict:
    result = dictMethod(self, method.name, args.items);
    break;
  case Kind::String:
    result = stringMethod(self, method.name, args.items);
    break;
  case Kind::Buffer:
    if (method.name == "scope" && args.items.empty())
      return Value::ofString(scopeName(self.as<BufferObject>().space));
    break;
  case Kind::Scalar:
  case Kind::Symbolic:
    if (method.name == "astype" && args.items.size() == 1) {
      auto dtype = expectDtype(args.items[0].value, args.items[0].range);
      return dtype ? cast(self, *dtype, args.range) : Value::poison();
    }
    break;
  default:
    break;
  }
  if (result)
    return *result;
  error(Diag::InvalidValue, args.range)
      << "call"
      << "the method '" + method.name + "' of " + describe(self) +
             " does not take these arguments here";
  return Value::poison();
}

} // namespace tlc::frontend
