// Pieces that the picture and the page share.
#pragma once

#include "compiler/explain/Timeline.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

#include <string>

namespace tlc::explain {

/// `text` with &, <, >, " escaped.
std::string escape(llvm::StringRef text);

/// One timeline as a complete <svg> element.
void drawTimeline(const Timeline &timeline, llvm::raw_ostream &os);

/// What the colours and letters of a timeline mean, as a complete <svg>.
void drawLegend(llvm::raw_ostream &os);

} // namespace tlc::explain
