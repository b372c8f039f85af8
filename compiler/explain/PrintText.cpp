// An explanation for a terminal.
#include "compiler/explain/Printers.h"
#include "compiler/explain/Wording.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"

#include <algorithm>

using llvm::StringRef;

namespace tlc::explain {

namespace {

constexpr size_t kWidth = 100;
/// Where the text of a labelled line begins.
constexpr size_t kLabel = 14;
/// Columns of the program in the list of steps; reasons stand to the right.
constexpr size_t kStep = 54;

std::string shorten(StringRef text, size_t width) {
  if (text.size() <= width)
    return text.str();
  return (text.take_front(width - 3) + "...").str();
}

class TextPrinter {
public:
  TextPrinter(const Explanation &explanation, llvm::raw_ostream &os)
      : explanation(explanation), os(os) {}

  void run() {
    for (const Kernel &kernel : explanation.kernels) {
      os << "kernel '" << kernel.name << "' of " << explanation.file << " for "
         << explanation.arch << "\n";
      for (const auto &[name, value] : explanation.defines)
        field("with", name + " = " + value);
      for (size_t i = 0; i < kernel.launches.size(); ++i)
        printLaunch(kernel.launches[i], i, kernel.launches.size());
    }
    printNotes();
  }

private:
  //===--------------------------------------------------------------------===//
  // Layout
  //===--------------------------------------------------------------------===//

  void heading(const llvm::Twine &text) {
    os << "\n" << shorten(text.str(), kWidth) << "\n";
  }

  /// A label in the first `column` columns and a wrapped text.
  void field(StringRef label, StringRef text, size_t column = kLabel) {
    std::vector<std::string> lines = wrap(text, kWidth - column);
    for (size_t i = 0; i < lines.size(); ++i) {
      std::string head = "  " + (i == 0 ? shorten(label, column - 3) : "");
      head.resize(std::max(column, head.size() + 1), ' ');
      os << head << lines[i] << "\n";
    }
  }

  /// A line of the program under a labelled text.
  void quote(const Place &place) {
    if (place.line == 0)
      return;
    std::string number = std::to_string(place.line);
    std::string head(kLabel, ' ');
    head += std::string(number.size() < 5 ? 5 - number.size() : 0, ' ') +
            number + " | ";
    os << head << shorten(place.text, kWidth - head.size()) << "\n";
  }

  //===--------------------------------------------------------------------===//
  // A launch
  //===--------------------------------------------------------------------===//

  void printLaunch(const Launch &launch, size_t index, size_t number) {
    if (number > 1)
      heading("LAUNCH " + llvm::Twine(index + 1) + " of " +
              llvm::Twine(number));
    printSizes(launch);
    printLoops(launch);
    printRoles(launch);
    printHandOvers(launch);
    for (const Ring &ring : launch.rings)
      printRing(ring);
    for (const LocalTile &local : launch.locals)
      printLocal(local, launch);
    for (const Role &role : launch.roles)
      printSteps(role);
    printChoices(launch);
    printBarriers(launch);
    printShared(launch);
  }

  void printSizes(const Launch &launch) {
    std::string grid;
    for (const std::string &extent : launch.grid)
      grid += (grid.empty() ? "" : ", ") + extent;
    field("grid", "(" + grid + ")");
    field("threads", describeThreads(launch));
    if (launch.lowered)
      field("shared", std::to_string(launch.sharedBytes) + " of " +
                          std::to_string(launch.sharedLimit) + " bytes");
    else
      field("lowering", "failed; counts, bytes and addresses are missing");
  }

  void printLoops(const Launch &launch) {
    if (launch.loops.empty())
      return;
    heading("PIPELINED LOOPS");
    for (const Loop &loop : launch.loops) {
      field("runs", describePlan(loop) + ", num_stages=" +
                        std::to_string(loop.stages) + ": " + loop.reason);
      quote(loop.statement.place);
    }
  }

  /// Parts of a role are indented.
  static std::string nameOf(const Role &role) {
    return (role.parent.empty() ? "" : "  ") + role.name;
  }

  /// Where texts begin that stand beside names; they need some width, whatever
  /// the names are.
  static size_t columnAfter(size_t longest) {
    return std::clamp(longest + 4, kLabel, size_t(40));
  }

  void printRoles(const Launch &launch) {
    heading("ROLES");
    size_t longest = 0;
    for (const Role &role : launch.roles)
      longest = std::max(longest, nameOf(role).size());
    size_t column = columnAfter(longest);
    for (const Role &role : launch.roles) {
      std::string text = describeWarps(role);
      if (role.parent.empty())
        text += ", registers " + describeRegisters(role, launch);
      if (role.oneThread)
        text += ", one thread of it";
      std::string does = describeDuties(role, launch);
      field(nameOf(role), text + (does.empty() ? "" : ": " + does), column);
    }
  }

  //===--------------------------------------------------------------------===//
  // Rings and tiles
  //===--------------------------------------------------------------------===//

  /// The answers in short; each ring's section has the evidence.
  void printHandOvers(const Launch &launch) {
    if (launch.rings.empty())
      return;
    heading("SLOTS: what keeps each, and what its refill needs");
    size_t longest = 0;
    for (const Ring &ring : launch.rings)
      longest = std::max(longest, ring.name.size());
    size_t column = columnAfter(longest);
    for (const Ring &ring : launch.rings)
      for (const Span &span : ring.spans)
        field(ring.name, describeHandOver(ring, span), column);
  }

  void printRing(const Ring &ring) {
    heading("RING '" + ring.name + "': " + count(ring.depth, "slot") + " of " +
            llvm::Twine(ring.bytes) + " bytes");
    if (StringRef depth = StringRef(ring.reason).split("; ").second;
        !depth.empty())
      field("depth", depth);
    for (const Tile &tile : ring.tiles)
      field("holds", "'" + tile.name + "' " + describeTile(tile));
    for (const Access &access : ring.writes)
      printAccess("filled by", access);
    for (const Access &access : mergeTiles(ring.uses))
      printAccess(access.write ? "written by" : "read by", access);
    if (ring.uses.empty())
      field("read by", "nobody");
    for (const Span &span : ring.spans)
      printSpan(span, ring.full.stages ? " at '" + ring.full.name + "'" : "");
    if (ring.full.stages == 0)
      return;
    field("full", ring.full.name + ": " + describeArrivals(ring.full, true));
    field("empty",
          ring.empty.name + ": " + describeArrivals(ring.empty, false));
  }

  void printAccess(StringRef label, const Access &access) {
    std::string guards = describeGuards(access);
    field(label,
          access.instruction + ", " + describeProxy(access).str() + ", by '" +
              access.role + "'" + (guards.empty() ? "" : ", " + guards) +
              (StringRef(access.tile).contains(',') ? ": '" + access.tile + "'"
                                                    : ""));
    quote(access.statement.place);
    if (access.write && access.async && !access.reason.empty())
      field("", access.reason);
  }

  /// `barrier`: where the slot is waited for, " at '...'", or nothing.
  void printSpan(const Span &span, const std::string &barrier) {
    std::string who = "by '" + span.role + "'" + barrier;
    if (span.firstUse.place.line) {
      field("waited for", who + " before its first use");
      quote(span.firstUse.place);
    } else {
      field("waited for", who + ", which does not use it");
    }
    field("kept alive", span.release.reason);
    quote(span.release.after.place);
    for (const Release &other : span.otherReleases)
      field("or released", "at once: " + other.reason);
    field("fence", describeFence(span) + ": " + span.fenceReason);
    if (!span.fenceElse.empty())
      field("", describeFenceElse(span));
  }

  void printLocal(const LocalTile &local, const Launch &launch) {
    heading("TILE '" + local.tile.name + "': " + describeTile(local.tile) +
            ", in no ring");
    for (const Access &access : local.accesses)
      printAccess(access.write ? "written by" : "read by", access);
    for (const Action *action : findOrder(local, launch)) {
      bool fence = action->kind == ActionKind::Fence;
      field(fence ? "fence" : "barrier", action->instruction + " " +
                                             describePosition(*action) + ": " +
                                             action->reason);
    }
  }

  //===--------------------------------------------------------------------===//
  // Steps
  //===--------------------------------------------------------------------===//

  void printSteps(const Role &role) {
    if (role.actions.empty())
      return;
    heading("STEPS of '" + role.name + "' (+: added by the compiler)");
    for (const Action &action : role.actions)
      printStep(action);
  }

  void printStep(const Action &action) {
    bool program = isOfProgram(action);
    bool numbered = program && action.kind != ActionKind::Else &&
                    action.statement.place.line;
    std::string left =
        numbered ? std::to_string(action.statement.place.line) : "";
    left.insert(0, left.size() < 5 ? 5 - left.size() : 0, ' ');
    left += program ? "   " : " + ";
    left += std::string(2 * static_cast<size_t>(action.depth), ' ');
    left = shorten(left + describeAction(action), kStep);
    std::vector<std::string> reason =
        wrap(describeReason(action), kWidth - kStep - 2);
    for (const std::string &line : reason) {
      left.resize(line.empty() ? left.size() : kStep + 2, ' ');
      os << left << line << "\n";
      left.clear();
    }
  }

  //===--------------------------------------------------------------------===//
  // Tables
  //===--------------------------------------------------------------------===//

  void printChoices(const Launch &launch) {
    if (launch.choices.empty())
      return;
    heading("INSTRUCTIONS of copies and products");
    for (const Choice &choice : launch.choices) {
      std::string label = "line " + std::to_string(choice.statement.place.line);
      field(label, choice.instruction +
                       (choice.reason.empty() ? "" : ": " + choice.reason));
    }
  }

  void printBarriers(const Launch &launch) {
    if (launch.namedBarriers.empty() && launch.rings.empty())
      return;
    heading("BARRIERS");
    for (const Ring &ring : launch.rings)
      for (const Mbarrier *barrier : {&ring.full, &ring.empty})
        if (barrier->stages)
          field("mbarrier",
                barrier->name + "[" + std::to_string(barrier->stages) +
                    "]: " + describeArrivals(*barrier, barrier == &ring.full));
    for (const NamedBarrier &barrier : launch.namedBarriers)
      field("bar.sync", "id " + std::to_string(barrier.id) + ": " +
                            std::to_string(barrier.threads) + " threads, at " +
                            count(barrier.places, "place") +
                            (barrier.id == 0 ? ", the whole block" : ""));
  }

  void printNotes() {
    std::vector<Note> notes = makeNotes(explanation);
    if (notes.empty())
      return;
    heading("NOTES");
    for (const Note &note : notes)
      field(note.title, note.text);
  }

  void printShared(const Launch &launch) {
    if (launch.shared.empty())
      return;
    heading("SHARED MEMORY");
    for (const Region &region : launch.shared)
      os << llvm::format("  %8lld  %8lld bytes  ",
                         static_cast<long long>(region.offset),
                         static_cast<long long>(region.bytes()))
         << region.name
         << (region.stages > 1 ? ", " + std::to_string(region.stages) + " of " +
                                     std::to_string(region.slotBytes)
                               : std::string())
         << "\n";
    os << llvm::format("  %8lld", static_cast<long long>(launch.sharedBytes))
       << "  end; the limit is " << launch.sharedLimit << "\n";
  }

  const Explanation &explanation;
  llvm::raw_ostream &os;
};

} // namespace

void printText(const Explanation &explanation, llvm::raw_ostream &os) {
  TextPrinter(explanation, os).run();
}

void printDiagnosticPage(const DiagInfo &info, llvm::raw_ostream &os) {
  os << info.code << ": " << info.name << " (" << label(info.diagClass)
     << ")\n\n  " << info.text << "\n\n";
  for (const std::string &line : wrap(info.explanation, kWidth - 10))
    os << line << "\n";
  if (!info.help.empty())
    os << "\nhelp: " << info.help << "\n";
}

} // namespace tlc::explain
