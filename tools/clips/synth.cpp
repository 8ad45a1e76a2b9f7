// SPDX-License-Identifier: BSD-2-Clause
//
// Writes a synthetic but natural looking clip as yuv4mpeg (or as bare planes), the same for the same seed.
#include "scene.h"

#include <CLI/CLI.hpp>

#include <cmath>
#include <cstdio>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>

namespace {

struct Options {
    unsigned width = 352, height = 288, frames = 60, fps = 30, depth = 8, cut = 45;
    std::uint32_t seed = 1;
    float grain = 0.01f;
    std::string size = "352x288", chroma = "420", output = "-";
    bool raw = false;
};

struct Subsampling {
    unsigned x, y; // log2
};

const std::map<std::string, Subsampling> subsamplings = {
    {"420", {1, 1}}, {"422", {1, 0}}, {"440", {0, 1}}, {"444", {0, 0}}};

struct CloseFile {
    void operator()(std::FILE *file) const {
        if (file != stdout)
            std::fclose(file);
    }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

Options parse_size(Options o) {
    if (std::sscanf(o.size.c_str(), "%ux%u", &o.width, &o.height) != 2 || !o.width || !o.height || o.width > 65536 ||
        o.height > 65536)
        throw std::runtime_error("--size wants WIDTHxHEIGHT, up to 65536x65536");
    return o;
}

class Writer {
  public:
    explicit Writer(const Options &o) : o_(o), sub_(subsamplings.at(o.chroma)) {
        file_.reset(o.output == "-" ? stdout : std::fopen(o.output.c_str(), "wb"));
        if (!file_)
            throw std::runtime_error("can't write " + o.output);
        if (!o.raw)
            header();
    }

    void frame(const clips::Scene &scene, unsigned number) {
        if (!o_.raw)
            put("FRAME\n", 6);
        for (unsigned plane = 0; plane < 3; plane++)
            write_plane(scene, number, plane);
    }

    void finish() {
        if (std::fflush(file_.get()))
            throw std::runtime_error("writing failed");
    }

  private:
    void header() {
        const std::string chroma = o_.chroma == "420" && o_.depth == 8 ? "420jpeg" : o_.chroma;
        const std::string depth = o_.depth == 8 ? "" : "p" + std::to_string(o_.depth);
        const std::string line = "YUV4MPEG2 W" + std::to_string(o_.width) + " H" + std::to_string(o_.height) + " F" +
                                 std::to_string(o_.fps) + ":1 Ip A1:1 C" + chroma + depth + "\n";
        put(line.data(), line.size());
    }

    void write_plane(const clips::Scene &scene, unsigned number, unsigned plane) {
        const unsigned ss_x = plane ? sub_.x : 0, ss_y = plane ? sub_.y : 0;
        const unsigned width = (o_.width + ss_x) >> ss_x, height = (o_.height + ss_y) >> ss_y;
        row_.resize(width * (o_.depth > 8 ? 2 : 1));
        for (unsigned y = 0; y < height; y++) {
            for (unsigned x = 0; x < width; x++)
                store(x, sample(scene, number, plane, x << ss_x, y << ss_y));
            put(row_.data(), row_.size());
        }
    }

    float sample(const clips::Scene &scene, unsigned number, unsigned plane, unsigned x, unsigned y) const {
        const clips::Colour c = scene.at(static_cast<float>(x), static_cast<float>(y));
        const float value = plane == 0 ? c.y : plane == 1 ? c.u : c.v;
        return value + o_.grain * (clips::chance(o_.seed + plane, number * 16384 + y, x) - 0.5f);
    }

    void store(unsigned x, float value) {
        const float top = static_cast<float>((1u << o_.depth) - 1);
        const auto pixel = static_cast<unsigned>(std::lround(std::fmin(std::fmax(value, 0.0f), 1.0f) * top));
        if (o_.depth == 8) {
            row_[x] = static_cast<unsigned char>(pixel);
        } else {
            row_[2 * x] = static_cast<unsigned char>(pixel & 255);
            row_[2 * x + 1] = static_cast<unsigned char>(pixel >> 8);
        }
    }

    void put(const void *data, std::size_t size) {
        if (std::fwrite(data, 1, size, file_.get()) != size)
            throw std::runtime_error("writing failed");
    }

    Options o_;
    Subsampling sub_;
    File file_;
    std::vector<unsigned char> row_;
};

void write_clip(const Options &o) {
    Writer writer(o);
    std::unique_ptr<clips::Scene> scene;
    for (unsigned n = 0; n < o.frames; n++) {
        if (n % o.cut == 0)
            scene = std::make_unique<clips::Scene>(o.seed * 1000 + n / o.cut, o.width, o.height);
        scene->seek(n % o.cut);
        writer.frame(*scene, n);
    }
    writer.finish();
}

} // namespace

int main(int argc, char **argv) {
    Options o;
    CLI::App app{"Writes a synthetic but natural looking clip as yuv4mpeg; the same seed gives the same clip."};
    app.add_option("--size", o.size, "WIDTHxHEIGHT")->capture_default_str();
    app.add_option("--frames", o.frames)->capture_default_str();
    app.add_option("--fps", o.fps)->capture_default_str()->check(CLI::Range(1u, 1000u));
    app.add_option("--depth", o.depth, "bits a sample")->capture_default_str()->check(CLI::IsMember({8, 10, 12}));
    app.add_option("--chroma", o.chroma)->capture_default_str()->check(CLI::IsMember({"420", "422", "440", "444"}));
    app.add_option("--cut", o.cut, "frames a scene")->capture_default_str()->check(CLI::PositiveNumber);
    app.add_option("--grain", o.grain, "noise, of full scale")->capture_default_str()->check(CLI::Range(0.0, 1.0));
    app.add_option("--seed", o.seed)->capture_default_str();
    app.add_flag("--raw", o.raw, "bare planes without yuv4mpeg's headers");
    app.add_option("-o,--output", o.output, "- is standard output")->capture_default_str();
    CLI11_PARSE(app, argc, argv);
    try {
        write_clip(parse_size(o));
    } catch (const std::exception &error) {
        std::fprintf(stderr, "synth: %s\n", error.what());
        return 1;
    }
    return 0;
}
