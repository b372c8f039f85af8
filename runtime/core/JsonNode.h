// A view of one JSON value that knows where in the file it is, so that every
// mismatch becomes one error with a place. Private to the readers.
#pragma once

#include "tlc/Error.h"
#include "tlc/Tensor.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace tlc::rt {

using Json = nlohmann::ordered_json;

/// One value of the file with the path that led to it, for messages.
class JsonNode {
public:
  JsonNode(const Json &json, std::string path, const std::string &source)
      : json(json), path(std::move(path)), source(source) {}

  [[noreturn]] void fail(const std::string &text) const {
    throw Error(ErrorCode::Io,
                fmt::format("{}: {}: {}", source,
                            path.empty() ? "top level" : path, text));
  }

  /// Checks that this is an object whose keys are all among `known`.
  void expectKeys(std::initializer_list<std::string_view> known) const {
    expectObject();
    for (const auto &item : json.items())
      if (std::find(known.begin(), known.end(), item.key()) == known.end())
        fail(fmt::format("unknown key '{}'", item.key()));
  }
  void expectObject() const {
    if (!json.is_object())
      fail(fmt::format("expected an object, got {}", json.type_name()));
  }

  bool has(const char *key) const { return json.contains(key); }
  JsonNode at(const char *key) const {
    auto found = json.find(key);
    if (found == json.end())
      fail(fmt::format("key '{}' is missing", key));
    return {*found, path.empty() ? key : path + "." + key, source};
  }
  JsonNode at(std::size_t index) const {
    return {json[index], fmt::format("{}[{}]", path, index), source};
  }
  std::size_t size() const {
    if (!json.is_array())
      fail(fmt::format("expected a list, got {}", json.type_name()));
    return json.size();
  }

  std::string string() const {
    if (!json.is_string())
      fail(fmt::format("expected a string, got {}", json.type_name()));
    return json.get<std::string>();
  }
  bool boolean() const {
    if (!json.is_boolean())
      fail(fmt::format("expected true or false, got {}", json.type_name()));
    return json.get<bool>();
  }
  std::int64_t
  integer(std::int64_t least = std::numeric_limits<std::int64_t>::min(),
          std::int64_t most = std::numeric_limits<std::int64_t>::max()) const {
    if (!json.is_number_integer())
      fail(fmt::format("expected an integer, got {}", json.type_name()));
    if (json.is_number_unsigned() &&
        json.get<std::uint64_t>() >
            std::uint64_t(std::numeric_limits<std::int64_t>::max()))
      fail("the integer does not fit into 64 bits");
    auto value = json.get<std::int64_t>();
    if (value < least || value > most)
      fail(fmt::format("{} is not in {}..{}", value, least, most));
    return value;
  }
  std::uint32_t count(std::uint32_t least = 0) const {
    return integer(least, std::numeric_limits<std::int32_t>::max());
  }
  DType dtype() const {
    std::string text = string();
    if (std::optional<DType> dtype = parseDType(text))
      return *dtype;
    fail(fmt::format("unknown dtype '{}'", text));
  }
  /// The enumerator whose spelling this string is; `names` in their order.
  template <class E, std::size_t N>
  E choice(const std::string_view (&names)[N]) const {
    std::string text = string();
    for (std::size_t i = 0; i < N; ++i)
      if (names[i] == text)
        return static_cast<E>(i);
    fail(fmt::format("'{}' is not one of {}", text, fmt::join(names, ", ")));
  }
  /// A list of positive integers.
  std::vector<std::uint32_t> counts() const {
    std::vector<std::uint32_t> list;
    for (std::size_t i = 0, e = size(); i < e; ++i)
      list.push_back(at(i).count(1));
    return list;
  }

  const Json &json;
  std::string path;
  const std::string &source;
};

} // namespace tlc::rt
