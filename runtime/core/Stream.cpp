#include "runtime/core/Stream.h"

namespace tlc::rt {

Stream::Stream(int device) {
  Device::get(device).makeCurrent();
  const Driver &driver = Driver::get();
  driver.check(driver.streamCreate(&raw, cu::kStreamNonBlocking),
               "creating a stream");
}

Stream::~Stream() {
  if (raw)
    Driver::get().streamDestroy(raw);
}

void Stream::synchronize() const {
  const Driver &driver = Driver::get();
  driver.check(driver.streamSynchronize(raw), "waiting for the device");
}

void Stream::waitFor(const Event &event) const {
  const Driver &driver = Driver::get();
  driver.check(driver.streamWaitEvent(raw, event.handle(), 0),
               "waiting for an event");
}

Event::Event() {
  const Driver &driver = Driver::get();
  driver.check(driver.eventCreate(&raw, 0), "creating an event");
}

Event::~Event() {
  if (raw)
    Driver::get().eventDestroy(raw);
}

void Event::record(cu::Stream stream) const {
  const Driver &driver = Driver::get();
  driver.check(driver.eventRecord(raw, stream), "recording an event");
}

void Event::synchronize() const {
  const Driver &driver = Driver::get();
  driver.check(driver.eventSynchronize(raw), "waiting for the device");
}

float Event::millisecondsSince(const Event &begin) const {
  const Driver &driver = Driver::get();
  float milliseconds = 0;
  driver.check(driver.eventElapsedTime(&milliseconds, begin.raw, raw),
               "reading a time");
  return milliseconds;
}

void synchronizeDevice(int device) {
  Device::get(device).makeCurrent();
  const Driver &driver = Driver::get();
  driver.check(driver.ctxSynchronize(), "waiting for the device");
}

} // namespace tlc::rt
