// SPDX-License-Identifier: BSD-2-Clause
#include "settings.h"

#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string_view>
#include <thread>

namespace v3dsim {
namespace {

std::string variable(const char *name) {
    const char *value = std::getenv(name);
    return value ? value : "";
}

[[noreturn]] void reject(const char *name, const std::string &value) {
    std::fprintf(stderr, "v3dsim: %s=%s is not understood\n", name, value.c_str());
    std::exit(2);
}

bool flag(const char *name) {
    const std::string value = variable(name);
    if (value.empty() || value == "0")
        return false;
    if (value != "1")
        reject(name, value);
    return true;
}

uint64_t number(const char *name, const std::string &text) {
    char *end = nullptr;
    const uint64_t value = std::strtoull(text.c_str(), &end, 0);
    if (text.empty() || *end)
        reject(name, text);
    return value;
}

void parse_checks(Settings &s) {
    std::stringstream list(variable("V3DSIM_CHECK"));
    for (std::string item; std::getline(list, item, ',');) {
        const bool all = item == "all";
        if (!all && item != "undefined" && item != "bounds" && item != "race" && item != "order")
            reject("V3DSIM_CHECK", item);
        s.check_undefined |= all || item == "undefined";
        s.check_bounds |= all || item == "bounds";
        s.check_race |= all || item == "race";
        s.check_order |= all || item == "order";
    }
}

void parse_order(Settings &s) {
    const std::string value = variable("V3DSIM_ORDER");
    if (value.empty() || value == "forward")
        return;
    if (value == "reverse") {
        s.order = Order::Reverse;
    } else if (value.rfind("random", 0) == 0) {
        s.order = Order::Random;
        if (value.size() > 6)
            s.seed = value[6] == ':' ? number("V3DSIM_ORDER", value.substr(7)) : (reject("V3DSIM_ORDER", value), 0);
    } else {
        reject("V3DSIM_ORDER", value);
    }
}

void parse_sample(Settings &s) {
    const std::string value = variable("V3DSIM_TRACE_SAMPLE");
    if (value.empty())
        return;
    if (value == "all") {
        s.trace_first = ~uint64_t{0};
        return;
    }
    const size_t colon = value.find(':');
    s.trace_first = number("V3DSIM_TRACE_SAMPLE", value.substr(0, colon));
    s.trace_every = colon == std::string::npos ? 0 : number("V3DSIM_TRACE_SAMPLE", value.substr(colon + 1));
}

} // namespace

Settings settings_from_environment() {
    Settings s;
    parse_checks(s);
    parse_order(s);
    parse_sample(s);
    s.yield = flag("V3DSIM_YIELD");
    s.synchronous = flag("V3DSIM_SYNC");
    s.idle = flag("V3DSIM_IDLE");
    s.full_heap = variable("V3DSIM_FULL_HEAP");
    s.verbose = flag("V3DSIM_VERBOSE");
    s.listing_file = variable("V3DSIM_LISTING");
    s.stats_file = variable("V3DSIM_STATS");
    s.trace_file = variable("V3DSIM_TRACE");
    const unsigned processors = std::thread::hardware_concurrency();
    s.threads = processors ? processors : 1;
    if (const std::string threads = variable("V3DSIM_THREADS"); !threads.empty())
        s.threads = static_cast<unsigned>(number("V3DSIM_THREADS", threads));
    if (s.threads < 1 || s.threads > 256)
        reject("V3DSIM_THREADS", variable("V3DSIM_THREADS"));
    return s;
}

} // namespace v3dsim
