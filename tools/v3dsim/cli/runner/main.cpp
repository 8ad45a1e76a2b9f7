// SPDX-License-Identifier: BSD-2-Clause
//
// Creates the pipelines that a request names, dispatches those that ask for it, and prints what the compiler said:
//   v3dsim-runner [--device NAME] REQUEST.json > RESULT.json
// Request: {"kernels": [{"name", "spirv",
//   "constants": {"ID": VALUE},                 specialization constants
//   "groups": [x, y, z], "push": [word, …],     dispatch, unless groups is missing
//   "buffers": {"BINDING": {"bytes", "words" | "noise" | "from"}},   filled with: words; seed; file (else zeros)
//   "buffer_bytes": N,                          size of the buffers that are not named (default 65536)
//   "dump": {"BINDING": "FILE"}}]}              buffers to write out afterwards
// A line "kernel NAME" on stderr precedes what the driver prints about that kernel.
#include "device.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <cstring>
#include <fstream>
#include <iostream>

using nlohmann::json;
namespace v3drun {
namespace {

using Buffers = std::map<std::uint32_t, std::unique_ptr<Buffer>>;

void fill_words(Buffer &buffer, const std::vector<std::uint32_t> &words) {
    if (words.size() * 4 > buffer.size())
        throw std::runtime_error("more words than the buffer holds");
    std::memcpy(buffer.data(), words.data(), words.size() * 4);
}

void fill_noise(Buffer &buffer, std::uint32_t seed) {
    std::uint32_t state = seed * 2 + 1;
    for (std::size_t i = 0; i < buffer.size(); i++) {
        state = state * 1664525u + 1013904223u;
        buffer.data()[i] = static_cast<std::byte>(state >> 24);
    }
}

void fill_file(Buffer &buffer, const std::string &path) {
    std::ifstream file(path, std::ios::binary);
    if (!file)
        throw std::runtime_error("cannot read " + path);
    file.read(reinterpret_cast<char *>(buffer.data()), static_cast<std::streamsize>(buffer.size()));
}

std::unique_ptr<Buffer> make_buffer(const Device &device, const json &wish, std::size_t default_bytes) {
    auto buffer = std::make_unique<Buffer>(device, wish.value("bytes", default_bytes));
    std::memset(buffer->data(), 0, buffer->size());
    if (wish.contains("words"))
        fill_words(*buffer, wish["words"].get<std::vector<std::uint32_t>>());
    if (wish.contains("noise"))
        fill_noise(*buffer, wish["noise"].get<std::uint32_t>());
    if (wish.contains("from"))
        fill_file(*buffer, wish["from"].get<std::string>());
    return buffer;
}

Buffers make_buffers(const Device &device, const Pipeline &pipeline, const json &kernel) {
    const json wishes = kernel.value("buffers", json::object());
    Buffers buffers;
    for (const auto &[number, resource] : pipeline.interface().bindings)
        buffers[number] = make_buffer(device, wishes.value(std::to_string(number), json::object()),
                                      kernel.value("buffer_bytes", std::size_t{65536}));
    return buffers;
}

void dump(const Buffers &buffers, const json &wishes) {
    for (const auto &[number, path] : wishes.items()) {
        const Buffer &buffer = *buffers.at(static_cast<std::uint32_t>(std::stoul(number)));
        std::ofstream file(path.get<std::string>(), std::ios::binary);
        file.write(reinterpret_cast<const char *>(buffer.data()), static_cast<std::streamsize>(buffer.size()));
        if (!file)
            throw std::runtime_error("cannot write " + path.get<std::string>());
    }
}

Constants constants_of(const json &kernel) {
    const json given = kernel.value("constants", json::object());
    Constants constants;
    for (const auto &[id, value] : given.items())
        constants[static_cast<std::uint32_t>(std::stoul(id))] = value.get<std::uint32_t>();
    return constants;
}

json run_kernel(const Device &device, const json &kernel) {
    const std::string name = kernel.at("name");
    std::cerr << "kernel " << name << std::endl;
    const Pipeline pipeline(device, load_spirv(kernel.at("spirv")), constants_of(kernel));
    if (kernel.contains("groups")) {
        const auto groups = kernel["groups"].get<std::vector<std::uint32_t>>();
        const Buffers buffers = make_buffers(device, pipeline, kernel);
        pipeline.dispatch(buffers, kernel.value("push", std::vector<std::uint32_t>{}),
                          {groups.at(0), groups.at(1), groups.at(2)});
        dump(buffers, kernel.value("dump", json::object()));
    }
    return {{"name", name}, {"statistics", pipeline.statistics()}};
}

void run(const std::string &device_name, const std::string &path) {
    std::ifstream file(path);
    const json request = json::parse(file);
    const Device device(device_name);
    json result{{"device", device.name()}, {"kernels", json::array()}};
    for (const json &kernel : request.at("kernels"))
        result["kernels"].push_back(run_kernel(device, kernel));
    std::cout << result.dump(1) << std::endl;
}

} // namespace
} // namespace v3drun

int main(int argc, char **argv) {
    CLI::App app("Compiles and dispatches compute kernels on a Vulkan device");
    std::string device = "V3D", request;
    app.add_option("--device", device, "part of the device's name");
    app.add_option("request", request, "JSON file")->required();
    CLI11_PARSE(app, argc, argv);
    try {
        v3drun::run(device, request);
    } catch (const std::exception &error) {
        std::cerr << "v3dsim-runner: " << error.what() << std::endl;
        return 1;
    }
    return 0;
}
