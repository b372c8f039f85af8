// Compiles one form of the kernel; needs no GPU.
#pragma once

#include "test/exec/war_race/Variants.h"

#include "compiler/driver/Compiler.h"

#include <memory>

namespace tlc::test {

/// All forms to be made, without files: for each path and number of heads the
/// derived ones and the defects; of the plain structure the fenced one and the
/// defects.
std::vector<RaceVariant> listVariants();

/// The sm program of a form: `path`, `heads`, `structure` and `release` are
/// read, `problem` and `rings` written. Null where the program has nothing to
/// put the defect into, or where it does not compile.
std::unique_ptr<Compilation> lowerVariant(const std::string &source,
                                          RaceVariant &variant);

/// Compiles it into `folder`, or says why not; safe to call from several
/// threads. Throws tlc::Error when a file cannot be written.
void makeVariant(const std::string &source, const std::string &folder,
                 RaceVariant &variant);

} // namespace tlc::test
