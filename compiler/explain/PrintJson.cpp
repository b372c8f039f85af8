// An explanation as JSON. Members stand in the order of the model.
#include "compiler/explain/Printers.h"

#include "llvm/Support/JSON.h"

namespace tlc::explain {

namespace {

llvm::StringRef kindName(ActionKind kind) {
  static constexpr llvm::StringLiteral kNames[] = {
      "loop",           "if",      "else",    "elect",
      "acquire",        "load",    "commit",  "wait",
      "statement",      "fence",   "release", "completion_wait",
      "register_fence", "barrier",
  };
  return kNames[static_cast<int>(kind)];
}

class JsonPrinter {
public:
  explicit JsonPrinter(llvm::raw_ostream &os) : json(os, /*IndentSize=*/2) {}

  void print(const Explanation &explanation) {
    json.object([&] {
      json.attribute("file", explanation.file);
      json.attribute("arch", explanation.arch);
      json.attribute("war_fence", explanation.fencePolicy);
      json.attributeObject("defines", [&] {
        for (const auto &[name, value] : explanation.defines)
          json.attribute(name, value);
      });
      list("kernels", explanation.kernels);
    });
  }

private:
  template <typename T>
  void list(llvm::StringRef name, const std::vector<T> &items) {
    json.attributeArray(name, [&] {
      for (const T &item : items)
        json.object([&] { members(item); });
    });
  }

  template <typename T> void object(llvm::StringRef name, const T &item) {
    json.attributeObject(name, [&] { members(item); });
  }

  void members(const Kernel &kernel) {
    json.attribute("name", kernel.name);
    list("launches", kernel.launches);
  }

  void members(const Launch &launch) {
    json.attributeArray("grid", [&] {
      for (const std::string &extent : launch.grid)
        json.value(extent);
    });
    json.attributeArray("program_threads", [&] {
      for (std::int64_t extent : launch.programThreads)
        json.value(extent);
    });
    json.attribute("lowered", launch.lowered);
    json.attribute("threads", launch.threads);
    json.attribute("register_limit", launch.registerLimit);
    json.attribute("shared_bytes", launch.sharedBytes);
    json.attribute("shared_limit", launch.sharedLimit);
    list("loops", launch.loops);
    list("roles", launch.roles);
    list("rings", launch.rings);
    list("tiles", launch.locals);
    list("instructions", launch.choices);
    list("named_barriers", launch.namedBarriers);
    list("shared", launch.shared);
  }

  void members(const Statement &statement) {
    json.attribute("statement", statement.name);
    json.attribute("line", statement.place.line);
    json.attribute("column", statement.place.column);
    json.attribute("source", statement.place.text);
  }

  void members(const Loop &loop) {
    members(loop.statement);
    json.attribute("plan", loop.plan);
    json.attribute("stages", loop.stages);
    json.attribute("reason", loop.reason);
  }

  void members(const Role &role) {
    json.attribute("name", role.name);
    json.attribute("parent", role.parent);
    json.attribute("first_warp", role.firstWarp);
    json.attribute("warps", role.warps);
    json.attribute("registers", role.registers);
    json.attribute("one_thread", role.oneThread);
    list("actions", role.actions);
  }

  void members(const Action &action) {
    json.attribute("kind", kindName(action.kind));
    json.attribute("depth", action.depth);
    members(action.statement);
    json.attribute("ring", action.ring);
    json.attribute("instruction", action.instruction);
    json.attribute("reason", action.reason);
    json.attribute("written", action.written);
    json.attribute("pieces", action.pieces);
  }

  void members(const Tile &tile) {
    json.attribute("name", tile.name);
    json.attribute("shape", tile.shape);
    json.attribute("dtype", tile.dtype);
    json.attribute("swizzle", tile.swizzle);
    json.attribute("bytes", tile.bytes);
    json.attribute("line", tile.place.line);
  }

  void members(const Access &access) {
    members(access.statement);
    json.attribute("tile", access.tile);
    json.attribute("role", access.role);
    json.attribute("access", access.write ? "write" : "read");
    json.attribute("proxy", access.async ? "async" : "generic");
    json.attribute("instruction", access.instruction);
    json.attribute("reason", access.reason);
    list("guards", access.guards);
  }

  void members(const Span &span) {
    json.attribute("role", span.role);
    object("first_use", span.firstUse);
    object("released_after", span.release.after);
    json.attribute("release_reason", span.release.reason);
    list("other_releases", span.otherReleases);
    json.attribute("fence", span.fence);
    json.attribute("fence_reason", span.fenceReason);
    json.attribute("fence_also", span.fenceElse);
  }

  void members(const Release &release) {
    members(release.after);
    json.attribute("reason", release.reason);
  }

  void members(const Mbarrier &barrier) {
    json.attribute("name", barrier.name);
    json.attribute("offset", barrier.offset);
    json.attribute("stages", barrier.stages);
    json.attribute("count", barrier.count);
    json.attribute("bytes", barrier.bytes);
    json.attribute("per_warp", barrier.perWarp);
    json.attribute("arrived_by", barrier.arrivedBy);
  }

  void members(const Ring &ring) {
    json.attribute("name", ring.name);
    json.attribute("depth", ring.depth);
    json.attribute("groups", ring.groups);
    json.attribute("bytes", ring.bytes);
    json.attribute("reason", ring.reason);
    list("tiles", ring.tiles);
    list("writes", ring.writes);
    list("uses", ring.uses);
    list("spans", ring.spans);
    object("full", ring.full);
    object("empty", ring.empty);
  }

  void members(const LocalTile &local) {
    members(local.tile);
    list("accesses", local.accesses);
  }

  void members(const Choice &choice) {
    members(choice.statement);
    json.attribute("instruction", choice.instruction);
    json.attribute("reason", choice.reason);
  }

  void members(const NamedBarrier &barrier) {
    json.attribute("id", barrier.id);
    json.attribute("threads", barrier.threads);
    json.attribute("places", barrier.places);
  }

  void members(const Region &region) {
    json.attribute("name", region.name);
    json.attribute("offset", region.offset);
    json.attribute("bytes", region.bytes());
    json.attribute("stages", region.stages);
    json.attribute("slot_bytes", region.slotBytes);
    json.attribute("barriers", region.barriers);
  }

  llvm::json::OStream json;
};

} // namespace

void printJson(const Explanation &explanation, llvm::raw_ostream &os) {
  JsonPrinter(os).print(explanation);
  os << "\n";
}

} // namespace tlc::explain
