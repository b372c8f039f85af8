// Pictures of pipelines: time runs to the right, each role and each slot has a
// lane. A colour is a turn; arrows are slots that change hands.
#include "compiler/explain/Draw.h"
#include "compiler/explain/Printers.h"
#include "compiler/explain/Wording.h"

#include "llvm/Support/Format.h"

#include <algorithm>
#include <cmath>

using llvm::StringRef;

namespace tlc::explain {

std::string escape(StringRef text) {
  std::string result;
  for (char c : text) {
    switch (c) {
    case '&':
      result += "&amp;";
      break;
    case '<':
      result += "&lt;";
      break;
    case '>':
      result += "&gt;";
      break;
    case '"':
      result += "&quot;";
      break;
    default:
      result += c;
    }
  }
  return result;
}

namespace {

// All lengths in pixels.
constexpr double kUnit = 42, kRight = 24;
constexpr double kTop = 54, kRoleLane = 40, kSlotLane = 26, kGap = 16;

/// Fill and line of a turn.
struct Colour {
  const char *pale, *strong, *line;
};
constexpr Colour kTurns[] = {
    {"#d6e6fa", "#9cc3f0", "#2c6cb5"}, {"#d9f2dc", "#9ddba6", "#2a7d3b"},
    {"#fdebc8", "#f7cd7c", "#a56a00"}, {"#ecdcf7", "#cfa9ea", "#7338a3"},
    {"#cfefee", "#86d0cf", "#12747a"}, {"#fbdbe5", "#f2a3bd", "#a81e53"},
    {"#e6e9ec", "#c3cad1", "#5a6570"},
};

const Colour &colourOf(unsigned turn) {
  return kTurns[std::min<size_t>(turn, std::size(kTurns) - 1)];
}

/// One decimal is enough, and the same everywhere.
std::string number(double value) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << llvm::format("%.1f", value);
  return text;
}

/// An <svg> element, which may stand in another one at `y`.
void openSvg(llvm::raw_ostream &os, double y, double width, double height) {
  os << "<svg xmlns=\"http://www.w3.org/2000/svg\" ";
  if (y != 0)
    os << "y=\"" << number(y) << "\" ";
  os << "width=\"" << number(width) << "\" height=\"" << number(height)
     << "\" viewBox=\"0 0 " << number(width) << " " << number(height)
     << "\" font-family=\"Helvetica, Arial, sans-serif\">\n";
}

class TimelineDrawing {
public:
  TimelineDrawing(const Timeline &timeline, llvm::raw_ostream &os)
      : timeline(timeline), os(os) {
    size_t longest = 0;
    for (const Lane &lane : timeline.lanes)
      longest = std::max(longest, nameOf(lane).size());
    left = 20 + 6.9 * static_cast<double>(longest);
    placeLanes();
  }

  double getWidth() const { return x(timeline.end()) + kRight; }
  double getHeight() const { return height; }

  void run(double y) {
    openSvg(os, y, getWidth(), height);
    drawDefinitions();
    os << "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n";
    drawTitle();
    drawTurns();
    for (size_t lane = 0; lane < timeline.lanes.size(); ++lane)
      drawLane(lane);
    for (const Box &box : timeline.boxes)
      drawBox(box);
    for (const Arrow &arrow : timeline.arrows)
      drawArrow(arrow);
    os << "</svg>\n";
  }

private:
  /// Rings of many tiles have long names.
  static std::string nameOf(const Lane &lane) {
    constexpr size_t kLongest = 34;
    if (lane.name.size() <= kLongest)
      return lane.name;
    size_t tail = lane.kind == LaneKind::Slot ? 9 : 0;
    return lane.name.substr(0, kLongest - 3 - tail) + "..." +
           lane.name.substr(lane.name.size() - tail);
  }

  double x(double time) const { return left + time * kUnit; }

  void placeLanes() {
    double y = kTop;
    for (size_t i = 0; i < timeline.lanes.size(); ++i) {
      const Lane &lane = timeline.lanes[i];
      bool slot = lane.kind == LaneKind::Slot;
      bool newGroup =
          i > 0 && (slot != (timeline.lanes[i - 1].kind == LaneKind::Slot) ||
                    lane.ring != timeline.lanes[i - 1].ring);
      y += newGroup ? kGap : i > 0 ? 4 : 0;
      tops.push_back(y);
      heights.push_back(slot ? kSlotLane : kRoleLane);
      y += heights.back();
    }
    height = y + 14;
  }

  void drawDefinitions() {
    os << "<defs>\n";
    for (size_t i = 0; i < std::size(kTurns); ++i)
      os << "<pattern id=\"landing" << i
         << "\" width=\"7\" height=\"7\" patternUnits=\"userSpaceOnUse\" "
            "patternTransform=\"rotate(45)\"><rect width=\"7\" height=\"7\" "
            "fill=\"#ffffff\"/><rect width=\"3\" height=\"7\" fill=\""
         << kTurns[i].pale << "\"/></pattern>\n";
    for (auto [id, colour] :
         {std::pair("full", "#1a7f37"), std::pair("empty", "#c2410c")})
      os << "<marker id=\"" << id
         << "\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" "
            "markerHeight=\"7\" orient=\"auto\"><path d=\"M0 0 L8 4 L0 8 z\" "
            "fill=\""
         << colour << "\"/></marker>\n";
    os << "</defs>\n";
  }

  void text(double at, double y, StringRef words, double size,
            StringRef colour = "#24292f", StringRef more = "") {
    os << "<text x=\"" << number(at) << "\" y=\"" << number(y)
       << "\" font-size=\"" << number(size) << "\" fill=\"" << colour << "\""
       << (more.empty() ? "" : " ") << more << ">" << escape(words)
       << "</text>\n";
  }

  void drawTitle() {
    std::string title = timeline.loop.place.line
                            ? "line " +
                                  std::to_string(timeline.loop.place.line) +
                                  ": " + timeline.loop.place.text
                            : timeline.loop.name;
    text(8, 18, title, 13, "#24292f", "font-weight=\"bold\"");
  }

  /// The turns of the role that uses the slots.
  void drawTurns() {
    for (size_t i = 0; i + 1 < timeline.turns.size(); ++i) {
      double begin = x(timeline.turns[i]), end = x(timeline.turns[i + 1]);
      const Colour &colour = colourOf(static_cast<unsigned>(i));
      os << "<rect x=\"" << number(begin) << "\" y=\"28\" width=\""
         << number(end - begin) << "\" height=\"18\" fill=\"" << colour.pale
         << "\"/>\n";
      text((begin + end) / 2, 41, "turn " + std::to_string(i), 12, colour.line,
           "text-anchor=\"middle\" font-weight=\"bold\"");
      os << "<line x1=\"" << number(begin) << "\" y1=\"28\" x2=\""
         << number(begin) << "\" y2=\"" << number(height - 8)
         << "\" stroke=\"#8c959f\" stroke-dasharray=\"2 4\"/>\n";
    }
  }

  void drawLane(size_t index) {
    const Lane &lane = timeline.lanes[index];
    double y = tops[index], h = heights[index];
    bool slot = lane.kind == LaneKind::Slot;
    os << "<rect x=\"" << number(left) << "\" y=\"" << number(y)
       << "\" width=\"" << number(timeline.end() * kUnit) << "\" height=\""
       << number(h) << "\" fill=\"" << (slot ? "#f6f8fa" : "#ffffff")
       << "\" stroke=\"#d0d7de\"/>\n";
    text(left - 8, y + h / 2 + 4, nameOf(lane), slot ? 11 : 12, "#24292f",
         slot ? "text-anchor=\"end\""
              : "text-anchor=\"end\" font-weight=\"bold\"");
  }

  //===--------------------------------------------------------------------===//
  // Boxes
  //===--------------------------------------------------------------------===//

  struct Style {
    std::string fill, line;
    std::string ink = "#24292f";
  };

  static Style styleOf(const Box &box) {
    const Colour &colour = colourOf(box.turn);
    size_t pattern = std::min<size_t>(box.turn, std::size(kTurns) - 1);
    switch (box.kind) {
    case BoxKind::Idle:
      return {"#ffffff", "#b6bec7", "#6e7781"};
    case BoxKind::Landing:
      return {"url(#landing" + std::to_string(pattern) + ")", colour.line,
              colour.line};
    case BoxKind::Full:
      return {colour.pale, colour.line, colour.line};
    case BoxKind::InUse:
      return {colour.strong, colour.line};
    case BoxKind::Issue:
    case BoxKind::Product:
      return {colour.strong, colour.line};
    case BoxKind::Statement:
    case BoxKind::Completion:
      return {colour.pale, colour.line};
    case BoxKind::Fence:
      return {"#b42318", "#7a1710", "#ffffff"};
    case BoxKind::Barrier:
      return {"#57606a", "#32383f", "#ffffff"};
    case BoxKind::Release:
      return {"#e8590c", "#a33d05", "#ffffff"};
    }
    return {};
  }

  static std::string labelOf(const Box &box) {
    switch (box.kind) {
    case BoxKind::Landing:
      return "landing";
    case BoxKind::Full:
      return "full";
    case BoxKind::InUse:
      return "in use";
    default:
      return box.label;
    }
  }

  void drawBox(const Box &box) {
    double begin = box.begin, end = std::min(box.end, timeline.end());
    if (begin >= timeline.end())
      return;
    double at = x(begin) + 0.5, width = (end - begin) * kUnit - 1;
    double y = tops[box.lane] + 3, h = heights[box.lane] - 6;
    Style style = styleOf(box);
    os << "<g><title>" << escape(box.title) << "</title><rect x=\""
       << number(at) << "\" y=\"" << number(y) << "\" width=\"" << number(width)
       << "\" height=\"" << number(h) << "\" rx=\"2\" fill=\"" << style.fill
       << "\" stroke=\"" << style.line << "\""
       << (box.kind == BoxKind::Idle ? " stroke-dasharray=\"1 3\""
           : box.guarded             ? " stroke-dasharray=\"4 2\""
                                     : "")
       << "/>";
    drawLabel(box, style, at, width, y, h);
    os << "</g>\n";
  }

  void drawLabel(const Box &box, const Style &style, double at, double width,
                 double y, double h) {
    std::string label = labelOf(box);
    // Letters are about 0.56 of their size wide.
    auto fits = [&](StringRef words, double size) {
      return static_cast<double>(words.size()) * size * 0.56 + 4 <= width;
    };
    double middle = at + width / 2;
    StringRef centre = "text-anchor=\"middle\"";
    if (box.line && heights[box.lane] == kRoleLane) {
      std::string line = std::to_string(box.line);
      if (fits(line, 11))
        text(middle, y + h / 2 - 2, line, 11, style.ink,
             "text-anchor=\"middle\" font-weight=\"bold\"");
      if (fits(label, 10))
        text(middle, y + h / 2 + 10, label, 10, style.ink, centre);
      return;
    }
    if (fits(label, 11))
      text(middle, y + h / 2 + 4, label, 11, style.ink, centre);
  }

  //===--------------------------------------------------------------------===//
  // Hand-over
  //===--------------------------------------------------------------------===//

  void drawArrow(const Arrow &arrow) {
    if (arrow.to >= timeline.end())
      return;
    bool down = tops[arrow.toLane] > tops[arrow.fromLane];
    double fromY =
        tops[arrow.fromLane] + (down ? heights[arrow.fromLane] - 3 : 3);
    double toY = tops[arrow.toLane] + (down ? 2 : heights[arrow.toLane] - 2);
    double fromX = x(arrow.full ? arrow.to : arrow.from) - (arrow.full ? 0 : 6);
    double toX = x(arrow.to) + (arrow.full ? 4 : 2);
    if (arrow.fromLane == arrow.toLane)
      return;
    const char *colour = arrow.full ? "#1a7f37" : "#c2410c";
    double bend = (toY - fromY) / 2;
    os << "<path d=\"M" << number(fromX) << " " << number(fromY) << " C"
       << number(fromX) << " " << number(fromY + bend) << " " << number(toX)
       << " " << number(toY - bend) << " " << number(toX) << " " << number(toY)
       << "\" fill=\"none\" stroke=\"" << colour
       << "\" stroke-width=\"1.6\" marker-end=\"url(#"
       << (arrow.full ? "full" : "empty") << ")\"><title>"
       << (arrow.full ? "full: the tile of turn " : "empty: the slot of turn ")
       << arrow.turn << "</title></path>\n";
  }

  const Timeline &timeline;
  llvm::raw_ostream &os;
  std::vector<double> tops, heights;
  double left = 0, height = 0;
};

} // namespace

namespace {

constexpr double kLegendWidth = 1010, kLegendHeight = 84;

/// One entry of the legend: a swatch and words.
struct Swatch {
  double x, y;
  const char *fill, *line, *dash, *letter, *words;
};
constexpr Swatch kSwatches[] = {
    {8, 10, "url(#landing0)", "#2c6cb5", "", "", "bytes are landing in a slot"},
    {258, 10, "#d6e6fa", "#2c6cb5", "", "", "the slot is full, not used yet"},
    {508, 10, "#9cc3f0", "#2c6cb5", "", "", "the slot is in use"},
    {758, 10, "#ffffff", "#b6bec7", "1 3", "", "a role waits"},
    {8, 34, "#b42318", "#7a1710", "", "F", "proxy fence"},
    {258, 34, "#57606a", "#32383f", "", "B", "barrier of the role's threads"},
    {508, 34, "#e8590c", "#a33d05", "", "R", "release of a slot"},
    {758, 34, "#d6e6fa", "#2c6cb5", "4 2", "", "only where the guard holds"},
};

void legendText(llvm::raw_ostream &os, double x, double y, StringRef words) {
  os << "<text x=\"" << number(x) << "\" y=\"" << number(y)
     << "\" font-size=\"12\" fill=\"#24292f\">" << escape(words) << "</text>\n";
}

void legendArrow(llvm::raw_ostream &os, double x, const char *colour,
                 StringRef words) {
  os << "<path d=\"M" << number(x) << " 67 L" << number(x + 24)
     << " 67\" stroke=\"" << colour << "\" stroke-width=\"2\"/><path d=\"M"
     << number(x + 20) << " 62 l7 5 l-7 5 z\" fill=\"" << colour << "\"/>";
  legendText(os, x + 36, 71, words);
}

void drawLegendAt(llvm::raw_ostream &os, double y) {
  openSvg(os, y, kLegendWidth, kLegendHeight);
  os << "<defs><pattern id=\"landing0\" width=\"7\" height=\"7\" "
        "patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\"><rect "
        "width=\"7\" height=\"7\" fill=\"#ffffff\"/><rect width=\"3\" "
        "height=\"7\" fill=\"#d6e6fa\"/></pattern></defs>\n"
        "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n";
  for (const Swatch &swatch : kSwatches) {
    os << "<rect x=\"" << number(swatch.x) << "\" y=\"" << number(swatch.y)
       << "\" width=\"26\" height=\"16\" rx=\"2\" fill=\"" << swatch.fill
       << "\" stroke=\"" << swatch.line << "\" stroke-dasharray=\""
       << (*swatch.dash ? swatch.dash : "none") << "\"/>";
    if (*swatch.letter)
      os << "<text x=\"" << number(swatch.x + 13) << "\" y=\""
         << number(swatch.y + 12)
         << "\" font-size=\"11\" fill=\"#ffffff\" text-anchor=\"middle\">"
         << swatch.letter << "</text>";
    legendText(os, swatch.x + 36, swatch.y + 12, swatch.words);
  }
  legendArrow(os, 8, "#1a7f37", "full: handed to its reader");
  legendArrow(os, 258, "#c2410c", "empty: handed back for a refill");
  legendText(
      os, 508, 71,
      "A colour is a turn, a number a line. Times are nominal, the order "
      "is real.");
  os << "</svg>\n";
}

} // namespace

void drawTimeline(const Timeline &timeline, llvm::raw_ostream &os) {
  TimelineDrawing(timeline, os).run(0);
}

void drawLegend(llvm::raw_ostream &os) { drawLegendAt(os, 0); }

/// All pipelines, one under the other, and the legend.
void printSvg(const Explanation &explanation, llvm::raw_ostream &os) {
  std::vector<Timeline> timelines;
  for (const Kernel &kernel : explanation.kernels)
    for (const Launch &launch : kernel.launches)
      for (Timeline &timeline : makeTimelines(launch))
        timelines.push_back(std::move(timeline));
  double width = kLegendWidth, height = 0;
  for (const Timeline &timeline : timelines) {
    TimelineDrawing drawing(timeline, os);
    width = std::max(width, drawing.getWidth());
    height += drawing.getHeight();
  }
  if (timelines.empty()) {
    openSvg(os, 0, kLegendWidth, 40);
    legendText(os, 8, 24,
               "No loop of this program loads ahead: nothing overlaps.");
    os << "</svg>\n";
    return;
  }
  openSvg(os, 0, width, height + kLegendHeight);
  os << "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n";
  double y = 0;
  for (const Timeline &timeline : timelines) {
    TimelineDrawing drawing(timeline, os);
    drawing.run(y);
    y += drawing.getHeight();
  }
  drawLegendAt(os, y);
  os << "</svg>\n";
}

} // namespace tlc::explain
