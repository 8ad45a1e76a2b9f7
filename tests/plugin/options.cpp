// SPDX-License-Identifier: BSD-2-Clause
//
// A device's options and their twins in the environment: what a caller gives counts, even where it is a default.
#include "catch.h"

#include "plugin/decoder.h"
#include "util/environment.h"

using namespace dd;
using namespace dd::test;

namespace {

struct Twin {
    const char *variable;
    const char *DdDeviceOptions::*option;
    const char *valid;
};

// "cpu" as a device and a plan, so that no driver is opened.
const Twin kTwins[] = {{"DAEDALUS_PLAN", &DdDeviceOptions::plan, "cpu"},
                       {"DAEDALUS_PROFILE", &DdDeviceOptions::profile, "v3d"},
                       {"DAEDALUS_GOAL", &DdDeviceOptions::goal, "cpu"}};

int open(const Twin &twin, const char *value) {
    DdDeviceOptions options = {};
    options.size = sizeof(options);
    options.device = "cpu";
    options.*twin.option = value;
    DdDevice *device = nullptr;
    const int result = dd_device_open(&device, &options);
    dd_device_unref(&device);
    return result;
}

} // namespace

TEST_CASE("an option that a caller gives overrules the environment", "[options]") {
    for (const Twin &twin : kTwins) {
        INFO(twin.variable);
        const Environment wrong(twin.variable, "nonsense");
        REQUIRE(open(twin, nullptr) == DD_ERR_INVALID);
        REQUIRE(open(twin, twin.valid) == DD_OK);
        REQUIRE(open(twin, "") == DD_OK);
    }
    const Environment name("DAEDALUS_TWIN", "environment");
    REQUIRE(option_or_environment("caller", "DAEDALUS_TWIN", "default") == "caller");
    REQUIRE(option_or_environment("", "DAEDALUS_TWIN", "default") == "default");
    REQUIRE(option_or_environment(nullptr, "DAEDALUS_TWIN", "default") == "environment");
}

TEST_CASE("an option that is off overrules an environment that has it on", "[options]") {
    for (const char *value : {"", "0", "1"}) {
        INFO("DAEDALUS_TWIN=" << value);
        const Environment variable("DAEDALUS_TWIN", value);
        REQUIRE(option_or_environment(DD_OPTION_UNSET, "DAEDALUS_TWIN") == (std::string(value) == "1"));
        REQUIRE(option_or_environment(DD_OPTION_ON, "DAEDALUS_TWIN"));
        REQUIRE(!option_or_environment(DD_OPTION_OFF, "DAEDALUS_TWIN"));
    }
}
