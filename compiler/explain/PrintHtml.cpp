// An explanation as one page: no scripts, no foreign files.
#include "compiler/explain/Draw.h"
#include "compiler/explain/Printers.h"
#include "compiler/explain/Wording.h"

#include "llvm/Support/Format.h"

#include <algorithm>

using llvm::StringRef;

namespace tlc::explain {

namespace {

constexpr const char kStyle[] = R"(
body { font: 15px/1.5 Helvetica, Arial, sans-serif; color: #24292f;
       background: #fff; margin: 2em auto; max-width: 1640px; padding: 0 1em; }
h1 { font-size: 24px; margin-bottom: 0; }
h2 { font-size: 19px; margin: 2em 0 .5em; border-bottom: 1px solid #d0d7de;
     padding-bottom: .2em; }
h3 { font-size: 16px; margin: 1.5em 0 .4em; }
p.facts { color: #57606a; margin-top: .3em; }
code, pre { font: 13px/1.45 Menlo, Consolas, monospace; }
code.line { background: #f6f8fa; border-left: 3px solid #9cc3f0;
            display: block; padding: .15em .6em; margin: .15em 0;
            white-space: pre-wrap; }
code.line b { color: #57606a; font-weight: normal; margin-right: 1em; }
table { border-collapse: collapse; width: 100%; max-width: 1180px; }
th, td { text-align: left; vertical-align: top; padding: .35em .8em .35em 0;
         border-bottom: 1px solid #eaeef2; }
th { font-weight: bold; white-space: nowrap; width: 1%; padding-right: 1.4em; }
thead th { color: #57606a; font-size: 13px; width: auto; }
td.step { width: 46%; font: 13px/1.45 Menlo, Consolas, monospace; white-space: pre-wrap; }
tr.added td.step { color: #b35900; }
td.number { color: #57606a; text-align: right; width: 1%;
            font: 13px/1.45 Menlo, Consolas, monospace; }
.picture { overflow-x: auto; border: 1px solid #d0d7de; border-radius: 6px;
           padding: 8px; margin: .6em 0; }
.fence { background: #fdeceb; } .nofence { background: #e9f7ec; }
.memory { display: flex; height: 46px; border: 1px solid #57606a;
          margin: .6em 0; max-width: 1180px; }
.memory div { border-right: 1px solid #fff; font-size: 12px; overflow: hidden;
              white-space: nowrap; padding: 3px 4px; box-sizing: border-box; }
dt { font-weight: bold; } dd { margin: 0 0 .8em 0; }
)";

/// Colours of tiles in the map of shared memory.
constexpr const char *kTiles[] = {"#9cc3f0", "#9ddba6", "#f7cd7c",
                                  "#cfa9ea", "#f2a9a9", "#a8dadc"};

class HtmlPrinter {
public:
  HtmlPrinter(const Explanation &explanation, llvm::raw_ostream &os)
      : explanation(explanation), os(os) {}

  void run() {
    os << "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta "
          "charset=\"utf-8\">\n<title>"
       << title() << "</title>\n<style>" << kStyle
       << "</style>\n</head>\n<body>\n";
    for (const Kernel &kernel : explanation.kernels)
      printKernel(kernel);
    printNotes();
    os << "</body>\n</html>\n";
  }

private:
  std::string title() const {
    std::string names;
    for (const Kernel &kernel : explanation.kernels)
      names += (names.empty() ? "" : ", ") + escape(kernel.name);
    return "tlc explain: " + names;
  }

  void printKernel(const Kernel &kernel) {
    os << "<h1>Kernel " << escape(kernel.name) << "</h1>\n<p class=\"facts\">"
       << escape(explanation.file) << " for " << escape(explanation.arch)
       << ", fences: " << escape(explanation.fencePolicy);
    for (const auto &[name, value] : explanation.defines)
      os << ", " << escape(name) << " = " << escape(value);
    os << "</p>\n";
    for (size_t i = 0; i < kernel.launches.size(); ++i) {
      if (kernel.launches.size() > 1)
        os << "<h2>Launch " << i + 1 << " of " << kernel.launches.size()
           << "</h2>\n";
      printLaunch(kernel.launches[i]);
    }
  }

  void printLaunch(const Launch &launch) {
    printSizes(launch);
    printPictures(launch);
    printRoles(launch);
    printHandOvers(launch);
    os << (launch.rings.empty() ? "" : "<h2>Rings of slots</h2>\n");
    for (const Ring &ring : launch.rings)
      printRing(ring);
    os << (launch.locals.empty() ? "" : "<h2>Other shared tiles</h2>\n");
    for (const LocalTile &local : launch.locals)
      printLocal(local, launch);
    os << "<h2>Step by step</h2>\n<p class=\"facts\">Coloured lines were "
          "added by the compiler.</p>\n";
    for (const Role &role : launch.roles)
      printSteps(role);
    printChoices(launch);
    printBarriers(launch);
    printShared(launch);
  }

  //===--------------------------------------------------------------------===//
  // Pieces
  //===--------------------------------------------------------------------===//

  void openTable() { os << "<table>\n"; }
  void closeTable() { os << "</table>\n"; }

  void row(StringRef head, const std::string &cell, StringRef kind = "") {
    os << "<tr" << (kind.empty() ? "" : " class=\"" + kind.str() + "\"")
       << "><th>" << escape(head) << "</th><td>" << cell << "</td></tr>\n";
  }

  static std::string quote(const Place &place) {
    if (place.line == 0)
      return "";
    return "<code class=\"line\"><b>" + std::to_string(place.line) + "</b>" +
           escape(place.text) + "</code>";
  }

  //===--------------------------------------------------------------------===//
  // Parts
  //===--------------------------------------------------------------------===//

  void printSizes(const Launch &launch) {
    std::string grid;
    for (const std::string &extent : launch.grid)
      grid += (grid.empty() ? "" : ", ") + extent;
    openTable();
    row("grid", "(" + escape(grid) + ")");
    row("threads", describeThreads(launch));
    if (launch.lowered)
      row("shared memory", std::to_string(launch.sharedBytes) + " of " +
                               std::to_string(launch.sharedLimit) + " bytes");
    for (const Loop &loop : launch.loops)
      row("loop", quote(loop.statement.place) + escape(describePlan(loop)) +
                      ": " + escape(loop.reason));
    closeTable();
  }

  void printPictures(const Launch &launch) {
    std::vector<Timeline> timelines = makeTimelines(launch);
    if (timelines.empty())
      return;
    os << "<h2>How turns overlap</h2>\n";
    for (const Timeline &timeline : timelines) {
      os << "<div class=\"picture\">\n";
      drawTimeline(timeline, os);
      os << "</div>\n";
    }
    os << "<div class=\"picture\">\n";
    drawLegend(os);
    os << "</div>\n";
  }

  void printRoles(const Launch &launch) {
    os << "<h2>Roles</h2>\n<table>\n<thead><tr><th>role</th><th>warps</th>"
          "<th>registers</th><th>does</th></tr></thead>\n";
    for (const Role &role : launch.roles) {
      std::string does = describeDuties(role, launch);
      if (role.oneThread)
        does += " (one thread)";
      os << "<tr><td>" << (role.parent.empty() ? "" : "&emsp;")
         << escape(role.name) << "</td><td>" << describeWarps(role)
         << "</td><td>" << escape(describeRegisters(role, launch))
         << "</td><td>" << escape(does) << "</td></tr>\n";
    }
    closeTable();
  }

  void printAccess(StringRef label, const Access &access) {
    std::string guards = describeGuards(access);
    row(label,
        quote(access.statement.place) + escape(access.instruction) + ", " +
            describeProxy(access).str() + ", by " + escape(access.role) +
            (guards.empty() ? "" : ", " + escape(guards)) +
            (StringRef(access.tile).contains(',')
                 ? ": '" + escape(access.tile) + "'"
                 : "") +
            (access.write && access.async ? ": " + escape(access.reason) : ""));
  }

  void printHandOvers(const Launch &launch) {
    if (launch.rings.empty())
      return;
    os << "<h2>What keeps a slot, and what its refill needs</h2>\n";
    openTable();
    for (const Ring &ring : launch.rings)
      for (const Span &span : ring.spans)
        row(ring.name, escape(describeHandOver(ring, span)),
            span.fence == "none" ? "nofence" : "fence");
    closeTable();
  }

  void printRing(const Ring &ring) {
    os << "<h3>" << escape(ring.name) << ": " << count(ring.depth, "slot")
       << " of " << ring.bytes << " bytes</h3>\n";
    openTable();
    for (const Tile &tile : ring.tiles)
      row("holds", escape(tile.name) + ", " + escape(describeTile(tile)));
    for (const Access &access : ring.writes)
      printAccess("filled by", access);
    for (const Access &access : mergeTiles(ring.uses))
      printAccess(access.write ? "written by" : "read by", access);
    for (const Span &span : ring.spans)
      printSpan(span);
    if (ring.full.stages) {
      row("full", escape(ring.full.name) + ": " +
                      escape(describeArrivals(ring.full, true)));
      row("empty", escape(ring.empty.name) + ": " +
                       escape(describeArrivals(ring.empty, false)));
    }
    closeTable();
  }

  void printSpan(const Span &span) {
    row("waited for", span.firstUse.place.line
                          ? quote(span.firstUse.place) + "by " +
                                escape(span.role) + " before its first use"
                          : "by " + escape(span.role));
    row("kept alive",
        quote(span.release.after.place) + escape(span.release.reason));
    for (const Release &other : span.otherReleases)
      row("or released", "at once: " + escape(other.reason));
    row("fence",
        "<b>" + escape(describeFence(span)) + "</b>: " +
            escape(span.fenceReason) + (span.fenceElse.empty() ? "" : "<br>") +
            escape(describeFenceElse(span)),
        span.fence == "none" ? "nofence" : "fence");
  }

  void printLocal(const LocalTile &local, const Launch &launch) {
    os << "<h3>" << escape(local.tile.name) << ": "
       << escape(describeTile(local.tile)) << "</h3>\n";
    openTable();
    for (const Access &access : local.accesses)
      printAccess(access.write ? "written by" : "read by", access);
    for (const Action *action : findOrder(local, launch))
      row(action->kind == ActionKind::Fence ? "fence" : "barrier",
          (action->written ? quote(action->statement.place) : "") +
              escape(action->instruction + " " + describePosition(*action) +
                     ": " + action->reason));
    closeTable();
  }

  void printSteps(const Role &role) {
    if (role.actions.empty())
      return;
    os << "<h3>" << escape(role.name) << "</h3>\n";
    openTable();
    for (const Action &action : role.actions) {
      bool program = isOfProgram(action);
      unsigned line = action.kind == ActionKind::Else || !program
                          ? 0
                          : action.statement.place.line;
      os << "<tr" << (program ? "" : " class=\"added\"")
         << "><td class=\"number\">" << (line ? std::to_string(line) : "")
         << "</td><td class=\"step\">"
         << std::string(2 * static_cast<size_t>(action.depth), ' ')
         << escape(describeAction(action)) << "</td><td>"
         << escape(describeReason(action)) << "</td></tr>\n";
    }
    closeTable();
  }

  void printChoices(const Launch &launch) {
    if (launch.choices.empty())
      return;
    os << "<h2>Instructions of copies and products</h2>\n<table>\n";
    for (const Choice &choice : launch.choices)
      os << "<tr><td>" << quote(choice.statement.place) << "</td><td>"
         << escape(choice.instruction) << "</td><td>" << escape(choice.reason)
         << "</td></tr>\n";
    closeTable();
  }

  void printBarriers(const Launch &launch) {
    if (launch.namedBarriers.empty())
      return;
    os << "<h2>Barriers</h2>\n";
    openTable();
    for (const Ring &ring : launch.rings)
      for (const Mbarrier *barrier : {&ring.full, &ring.empty})
        if (barrier->stages)
          row(barrier->name + "[" + std::to_string(barrier->stages) + "]",
              escape(describeArrivals(*barrier, barrier == &ring.full)));
    for (const NamedBarrier &barrier : launch.namedBarriers)
      row("bar.sync " + std::to_string(barrier.id),
          std::to_string(barrier.threads) + " threads, at " +
              count(barrier.places, "place") +
              (barrier.id == 0 ? ", the whole block" : ""));
    closeTable();
  }

  //===--------------------------------------------------------------------===//
  // Shared memory
  //===--------------------------------------------------------------------===//

  void printShared(const Launch &launch) {
    if (launch.shared.empty())
      return;
    os << "<h2>Shared memory</h2>\n<p class=\"facts\">" << launch.sharedBytes
       << " of " << launch.sharedLimit << " bytes. Each piece is a slot.</p>\n"
       << "<div class=\"memory\">";
    size_t tile = 0;
    for (const Region &region : launch.shared) {
      if (region.barriers)
        continue;
      const char *colour = kTiles[tile++ % std::size(kTiles)];
      for (std::int64_t slot = 0; slot < region.stages; ++slot)
        os << "<div style=\"width:"
           << llvm::format("%.2f",
                           100.0 * static_cast<double>(region.slotBytes) /
                               static_cast<double>(std::max<std::int64_t>(
                                   launch.sharedBytes, 1)))
           << "%;background:" << colour << "\">" << escape(region.name)
           << (region.stages > 1 ? " [" + std::to_string(slot) + "]" : "")
           << "</div>";
    }
    os << "</div>\n<table>\n<thead><tr><th>offset</th><th>bytes</th>"
          "<th>what</th><th>slots</th></tr></thead>\n";
    for (const Region &region : launch.shared)
      os << "<tr><td class=\"number\">" << region.offset
         << "</td><td class=\"number\">" << region.bytes() << "</td><td>"
         << escape(region.name) << "</td><td>" << region.stages << " of "
         << region.slotBytes << "</td></tr>\n";
    closeTable();
  }

  void printNotes() {
    std::vector<Note> notes = makeNotes(explanation);
    if (notes.empty())
      return;
    os << "<h2>Notes</h2>\n<dl>\n";
    for (const Note &note : notes)
      os << "<dt>" << escape(note.title) << "</dt><dd>" << escape(note.text)
         << "</dd>\n";
    os << "</dl>\n";
  }

  const Explanation &explanation;
  llvm::raw_ostream &os;
};

} // namespace

void printHtml(const Explanation &explanation, llvm::raw_ostream &os) {
  HtmlPrinter(explanation, os).run();
}

} // namespace tlc::explain
