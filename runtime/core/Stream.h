// Streams and events that clean up after themselves.
#pragma once

#include "runtime/core/Driver.h"

#include <utility>

namespace tlc::rt {

class Event;

/// A stream that does not synchronise with the default stream.
class Stream {
public:
  explicit Stream(int device = 0);
  Stream(Stream &&other) noexcept : raw(std::exchange(other.raw, nullptr)) {}
  Stream &operator=(Stream &&other) noexcept {
    std::swap(raw, other.raw);
    return *this;
  }
  ~Stream();

  cu::Stream handle() const { return raw; }
  /// Waits for everything enqueued; throws tlc::Error (Device) when it failed.
  void synchronize() const;
  /// What is enqueued from here on waits for `event`, recorded before.
  void waitFor(const Event &event) const;

private:
  cu::Stream raw = nullptr;
};

/// A point in a stream whose time is recorded.
class Event {
public:
  Event();
  Event(Event &&other) noexcept : raw(std::exchange(other.raw, nullptr)) {}
  Event &operator=(Event &&other) noexcept {
    std::swap(raw, other.raw);
    return *this;
  }
  ~Event();

  cu::Event handle() const { return raw; }
  void record(cu::Stream stream) const;
  void synchronize() const;
  /// Milliseconds from `begin` to this event; both must have completed.
  float millisecondsSince(const Event &begin) const;

private:
  cu::Event raw = nullptr;
};

/// Waits for everything on the current device's default stream and others;
/// throws tlc::Error (Device) when something failed.
void synchronizeDevice(int device = 0);

} // namespace tlc::rt
