// Medians, spreads and tables, against their definitions.
#include "kernels/harness/Statistics.h"
#include "kernels/harness/Table.h"
#include "test/support/Catch.h"

#include <cmath>

using namespace tlc::kernels;
using Samples = std::vector<std::vector<double>>;

TEST_CASE("the median is the middle, or the mean of the two middle values") {
  CHECK(median({7}) == 7);
  CHECK(median({3, 1, 2}) == 2);
  CHECK(median({4, 1, 3, 2}) == 2.5);
  CHECK(median({5, 5, 5, 1000}) == 5);
}

TEST_CASE("a quantile lies between its neighbours") {
  CHECK(quantile({10, 20, 30, 40, 50}, 0.25) == 20);
  CHECK(quantile({10, 20, 30, 40, 50}, 0.75) == 40);
  CHECK(quantile({10, 20}, 0.25) == 12.5);
  CHECK(quantile({30, 10, 20}, 0) == 10);
  CHECK(quantile({30, 10, 20}, 1) == 30);
  CHECK(quantile({4}, 0.75) == 4);
}

TEST_CASE("a summary is the median of the medians of the rounds") {
  // Medians 2, 10 and 4: one bad round does not move the result.
  const Summary summary =
      summarize(Samples{{1, 2, 90}, {10, 10, 10}, {4, 4, 3}});
  CHECK(summary.median == 4);
  CHECK(summary.least == 2);
  CHECK(summary.most == 10);
  // Half of 10 - 2, in percent of 4.
  CHECK(summary.spreadPercent == 100);
}

TEST_CASE("one round has no spread") {
  const Summary summary = summarize(Samples{{8, 1, 3}});
  CHECK(summary.median == 3);
  CHECK(summary.spreadPercent == 0);
}

TEST_CASE("columns line up, and notes come to the left") {
  Table plain({"kernel", "us"});
  plain.row({"proxy", "19.31"});
  plain.row({"a longer one", "7.8"});
  plain.row({"none"});
  CHECK(plain.text() == "kernel           us\n"
                        "proxy         19.31\n"
                        "a longer one    7.8\n"
                        "none\n");
  Table notes({"k", "us", "result"}, /*notesLast=*/true);
  notes.row({"p", "1.5", "right"});
  notes.row({"q", "12.5", "WRONG in 3 of 8"});
  CHECK(notes.text() == "k    us  result\n"
                        "p   1.5  right\n"
                        "q  12.5  WRONG in 3 of 8\n");
}

TEST_CASE("a number that is none is a dash") {
  CHECK(fixed(2.345, 1) == "2.3");
  CHECK(fixed(-0.5, 2) == "-0.50");
  CHECK(fixed(NAN, 2) == "-");
  CHECK(fixed(INFINITY, 0) == "-");
}
