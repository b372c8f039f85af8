// What this process has compiled, by key, with one build for each key however
// many threads ask. Bounded; the least recently used value goes first, and
// lives on with those who hold it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <future>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

namespace tlc::rt {

template <class Value> class MemoryCache {
public:
  using Pointer = std::shared_ptr<const Value>;

  explicit MemoryCache(std::size_t maxEntries) : limit(maxEntries) {}

  /// The value of `key`, made by `build` if need be. Threads that ask while it
  /// is being made wait for it; what `build` throws reaches all of them and is
  /// not kept. `found` tells whether another call made the value.
  Pointer get(std::string_view key, const std::function<Pointer()> &build,
              bool *found = nullptr) {
    std::promise<Pointer> promise;
    std::shared_future<Pointer> result;
    std::uint64_t generation = 0;
    {
      std::lock_guard lock(mutex);
      auto it = entries.find(key);
      if (found)
        *found = it != entries.end();
      if (it != entries.end()) {
        order.splice(order.begin(), order, it->second.place);
        result = it->second.value;
      } else {
        generation = insert(key, promise.get_future().share());
      }
    }
    if (generation == 0)
      return result.get();
    try {
      Pointer value = build();
      promise.set_value(value);
      return value;
    } catch (...) {
      forget(key, generation);
      promise.set_exception(std::current_exception());
      throw;
    }
  }

  void clear() {
    std::lock_guard lock(mutex);
    entries.clear();
    order.clear();
  }
  std::size_t size() const {
    std::lock_guard lock(mutex);
    return entries.size();
  }

private:
  /// Looks keys up without copying them.
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  struct Entry {
    std::shared_future<Pointer> value;
    std::list<const std::string *>::iterator place;
    std::uint64_t generation;
  };

  std::uint64_t insert(std::string_view key,
                       std::shared_future<Pointer> value) {
    auto it = entries.emplace(std::string(key), Entry()).first;
    order.push_front(&it->first);
    it->second = {std::move(value), order.begin(), ++generations};
    if (entries.size() > limit) {
      entries.erase(entries.find(*order.back()));
      order.pop_back();
    }
    return generations;
  }

  /// Removes the entry that this build made, not one that came after `clear`.
  void forget(std::string_view key, std::uint64_t generation) {
    std::lock_guard lock(mutex);
    auto it = entries.find(key);
    if (it == entries.end() || it->second.generation != generation)
      return;
    order.erase(it->second.place);
    entries.erase(it);
  }

  const std::size_t limit;
  mutable std::mutex mutex;
  std::unordered_map<std::string, Entry, Hash, std::equal_to<>> entries;
  std::list<const std::string *> order; ///< most recently used first
  std::uint64_t generations = 0;
};

} // namespace tlc::rt
