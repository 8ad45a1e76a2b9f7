// SPDX-License-Identifier: BSD-2-Clause
#include "census.h"
#include "report.h"

namespace {

std::string amount(const char *name, const census::Amount &a) {
    return std::string(",\"") + name + "\":{\"calls\":" + std::to_string(a.calls) +
           ",\"live\":" + std::to_string(a.live) + ",\"peak\":" + std::to_string(a.peak) + "}";
}

std::string sites(const char *name, const std::vector<census::Site> &all) {
    std::string text = std::string(",\"") + name + "\":{";
    for (const census::Site &site : all)
        text += (&site == all.data() ? "\"" : ",\"") + site.name + "\":[" + std::to_string(site.calls) + "," +
                std::to_string(site.live) + "]";
    return text + "}";
}

} // namespace

void watch_plugin() {
    census::watch("libdaedalus.so");
}

std::string more_fields() {
    return amount("heap", census::heap()) + amount("device_memory", census::device_memory()) +
           sites("heap_sites", census::heap_sites()) + sites("vulkan_sites", census::vulkan_sites());
}
