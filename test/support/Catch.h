// The one place that names the unit-test framework.
#pragma once
#include <catch2/catch.hpp>
