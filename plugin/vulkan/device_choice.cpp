// SPDX-License-Identifier: BSD-2-Clause
#include "vulkan/device_choice.h"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace dd {
namespace {

bool contains_any_case(std::string_view text, std::string_view part) {
    const auto same = [](char a, char b) {
        return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
    };
    return std::search(text.begin(), text.end(), part.begin(), part.end(), same) != text.end();
}

DeviceChoice usable(std::span<const DeviceFacts> devices, std::size_t index) {
    const DeviceFacts &device = devices[index];
    if (device.missing.empty())
        return {static_cast<int>(index), {}};
    return {-1, device.name + " lacks " + device.missing};
}

DeviceChoice choose_auto(std::span<const DeviceFacts> devices) {
    std::string why;
    for (std::size_t i = 0; i < devices.size(); i++) {
        if (devices[i].cpu_type)
            continue;
        const DeviceChoice choice = usable(devices, i);
        if (choice.index >= 0)
            return choice;
        if (why.empty())
            why = choice.why;
    }
    return {-1, why.empty() ? "there is no GPU with a Vulkan driver" : why};
}

} // namespace

DeviceChoice choose_device(std::span<const DeviceFacts> devices, std::string_view wanted) {
    if (wanted == "cpu")
        return {};
    if (wanted == "auto")
        return choose_auto(devices);
    if (std::ranges::all_of(wanted, [](unsigned char c) { return std::isdigit(c); })) {
        std::size_t index = devices.size();
        std::from_chars(wanted.data(), wanted.data() + wanted.size(), index);
        if (index < devices.size())
            return usable(devices, index);
        return {-1, "there is no Vulkan device with index " + std::string(wanted)};
    }
    for (std::size_t i = 0; i < devices.size(); i++)
        if (contains_any_case(devices[i].name, wanted))
            return usable(devices, i);
    return {-1, "there is no Vulkan device whose name contains '" + std::string(wanted) + "'"};
}

} // namespace dd
