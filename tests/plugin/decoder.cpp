// SPDX-License-Identifier: BSD-2-Clause
#include "plugin/decoder.h"

#include "catch.h"
#include "reference/vp9_reference.h"
#include "util/environment.h"

#include <cstring>

namespace dd::test {

Environment::Environment(const char *name, const std::string &value) : name_(name) {
    if (const char *before = std::getenv(name)) {
        had_ = true;
        before_ = before;
    }
    setenv(name, value.c_str(), 1);
}

Environment::~Environment() {
    if (had_)
        setenv(name_.c_str(), before_.c_str(), 1);
    else
        unsetenv(name_.c_str());
}

void LogLines::take(void *opaque, DdLogLevel level, const char *line) {
    auto *self = static_cast<LogLines *>(opaque);
    const std::lock_guard lock(self->mutex);
    self->lines.emplace_back(level, line);
}

unsigned LogLines::count(DdLogLevel level) {
    const std::lock_guard lock(mutex);
    unsigned n = 0;
    for (const auto &[of, line] : lines)
        n += of == level;
    return n;
}

std::string LogLines::text() {
    const std::lock_guard lock(mutex);
    std::string all;
    for (const auto &[level, line] : lines)
        all += line + "\n";
    return all;
}

bool LogLines::contains(const std::string &text) {
    const std::lock_guard lock(mutex);
    for (const auto &[level, line] : lines)
        if (line.find(text) != line.npos)
            return true;
    return false;
}

std::string test_device() {
    return option_or_environment(nullptr, "DAEDALUS_TEST_DEVICE", "llvmpipe");
}

std::shared_ptr<Gpu> open_own_gpu() {
    std::string why;
    auto gpu = Gpu::open({test_device(), "auto"}, why);
    INFO(why);
    REQUIRE(gpu);
    return gpu;
}

Device request_device(LogLines &log, const char *plan, const char *profile, const std::string &name) {
    DdDeviceOptions options = {};
    options.size = sizeof(options);
    options.device = name.c_str();
    options.plan = plan;
    options.profile = profile;
    options.log = LogLines::take;
    options.log_opaque = &log;
    DdDevice *opened = nullptr;
    REQUIRE(dd_device_open(&opened, &options) == DD_OK);
    return Device(opened);
}

Device open_device(LogLines &log, const char *plan, const char *profile, const char *device) {
    Device handle = request_device(log, plan, profile, device ? device : test_device());
    INFO(log.text());
    if (!device)
        REQUIRE(dd_device_has_gpu(handle.get()) == 1);
    return handle;
}

Session open_session(DdDevice *device, DdCodec codec) {
    DdSessionOptions options = {};
    options.size = sizeof(options);
    options.codec = codec;
    DdSession *session = nullptr;
    REQUIRE(dd_session_open(&session, device, &options) == DD_OK);
    return Session(session);
}

DdFrameInfo frame_info(DdPicture *dst, std::initializer_list<DdPicture *> refs) {
    DdFrameInfo info = {};
    info.size = sizeof(info);
    info.dst = dst;
    std::ranges::copy(refs, info.ref);
    info.recorders = 1;
    return info;
}

Picture alloc_picture(DdSession *session, const PictureFormat &format) {
    DdPictureFormat f = {};
    f.size = sizeof(f);
    f.width = format.width;
    f.height = format.height;
    f.bit_depth = format.bit_depth;
    f.ss_h = format.ss_h;
    f.ss_v = format.ss_v;
    f.monochrome = format.planes == 1;
    DdPicture *picture = nullptr;
    REQUIRE(dd_picture_alloc(session, &f, &picture) == DD_OK);
    return Picture(picture);
}

void write_pixels(DdPicture *picture, const PictureLayout &layout, const std::vector<std::byte> &pixels) {
    std::uint8_t *data[3];
    std::ptrdiff_t stride[3];
    dd_picture_planes(picture, data, stride);
    for (unsigned p = 0; p < layout.format.planes; p++) {
        const PlaneLayout &plane = layout.plane[p];
        REQUIRE(stride[p] == static_cast<std::ptrdiff_t>(plane.stride));
        std::memcpy(data[p], pixels.data() + plane.offset, std::size_t{plane.stride} * plane.padded_height);
    }
}

std::vector<std::byte> pixels_of(DdPicture *picture, const PictureLayout &layout) {
    std::uint8_t *data[3];
    std::ptrdiff_t stride[3];
    dd_picture_planes(picture, data, stride);
    std::vector<std::byte> pixels(layout.size);
    for (unsigned p = 0; p < layout.format.planes; p++)
        std::memcpy(pixels.data() + layout.plane[p].offset, data[p],
                    std::size_t{layout.plane[p].stride} * layout.plane[p].padded_height);
    return pixels;
}

std::string difference(DdPicture *picture, const PictureLayout &layout, const std::vector<std::byte> &pixels) {
    std::uint8_t *data[3];
    std::ptrdiff_t stride[3];
    dd_picture_planes(picture, data, stride);
    for (unsigned p = 0; p < layout.format.planes; p++) {
        const PlaneLayout &plane = layout.plane[p];
        for (unsigned y = 0; y < plane.padded_height; y++)
            for (unsigned i = 0; i < plane.padded_width * layout.bytes_per_pixel(); i++) {
                const std::size_t at = std::size_t{y} * plane.stride + i;
                if (data[p][at] != static_cast<std::uint8_t>(pixels[plane.offset + at]))
                    return "plane " + std::to_string(p) + ", row " + std::to_string(y) + ", byte " + std::to_string(i);
            }
    }
    return "";
}

namespace {

DdVp9Prediction to_c(const Vp9Prediction &p) {
    DdVp9Prediction c = {};
    c.plane = static_cast<std::uint8_t>(p.plane);
    c.ref = static_cast<std::uint8_t>(p.ref);
    c.filter = static_cast<std::uint8_t>(p.filter);
    c.second = p.second;
    c.x = static_cast<std::uint16_t>(p.x);
    c.y = static_cast<std::uint16_t>(p.y);
    c.w = static_cast<std::uint16_t>(p.w);
    c.h = static_cast<std::uint16_t>(p.h);
    c.src_x = p.src_x;
    c.src_y = p.src_y;
    c.step_x = static_cast<std::uint16_t>(p.step_x);
    c.step_y = static_cast<std::uint16_t>(p.step_y);
    return c;
}

// A transform block as a block of its own. The coefficients go with it, here those of a copy.
int take_residual(DdVp9Recorder *recorder, const Vp9Residual &r, const PictureFormat &format) {
    const unsigned n = itx_size(r.kind), ss_h = r.plane ? format.ss_h : 0, ss_v = r.plane ? format.ss_v : 0;
    const std::size_t bytes = std::size_t{n} * n * (format.bit_depth > 8 ? 4 : 2);
    std::vector<std::byte> coefs(bytes), none(bytes);
    std::memcpy(coefs.data(), r.coefs, bytes);
    const auto wide = static_cast<std::uint16_t>(r.eob);
    const auto narrow = static_cast<std::uint8_t>(r.eob);
    DdVp9Residuals c = {};
    c.x = r.x << ss_h;
    c.y = r.y << ss_v;
    c.w4 = n / 4 << ss_h;
    c.h4 = n / 4 << ss_v;
    c.kind[r.plane != 0] = r.kind;
    c.eobs[r.plane] = n > 8 ? static_cast<const void *>(&wide) : &narrow;
    c.coefs[r.plane] = coefs.data();
    const int result = dd_vp9_take_residuals(recorder, &c);
    if (result != DD_OK)
        REQUIRE(std::memcmp(coefs.data(), r.coefs, bytes) == 0);
    else
        REQUIRE(coefs == none);
    return result;
}

int record_block(DdVp9Recorder *recorder, const RandomFrame::Block &block, const DdPlan &plan,
                 const PictureFormat &format) {
    int result = DD_OK;
    const auto keep = [&result](int one) { result = result == DD_OK ? one : result; };
    if (plan.side[DD_STAGE_MC] == DD_SIDE_GPU) {
        keep(dd_vp9_begin_block(recorder));
        for (const Vp9Prediction &p : block.predictions) {
            const DdVp9Prediction c = to_c(p);
            keep(dd_vp9_predict(recorder, &c));
        }
    }
    if (plan.side[DD_STAGE_ITX] == DD_SIDE_GPU)
        for (const Vp9Residual &r : block.residuals)
            keep(take_residual(recorder, r, format));
    return result;
}

} // namespace

int record(DdFrame *frame, const RandomFrame &from, unsigned recorders) {
    const DdPlan plan = dd_frame_plan(frame);
    for (std::size_t i = 0; i < from.blocks.size(); i++)
        if (const int result = record_block(dd_vp9_recorder(frame, static_cast<unsigned>(i % recorders)),
                                            from.blocks[i], plan, from.dst.format))
            return result;
    if (plan.side[DD_STAGE_LF] == DD_SIDE_GPU && !from.superblocks.empty())
        return dd_vp9_loop_filter(frame, reinterpret_cast<const DdVp9FilterSuperblock *>(from.superblocks.data()),
                                  from.sb_cols, from.sb_rows, from.limit.data(), from.mblimit.data());
    return DD_OK;
}

void run_stages(const Vp9Batch &batch, std::vector<std::byte> &pixels,
                const std::array<const std::vector<std::byte> *, 3> &ref, bool mc, bool itx, bool lf) {
    reference::Vp9References references{};
    for (unsigned slot = 0; slot < 3; slot++)
        references[slot] = ref[slot] ? ref[slot]->data() : nullptr;
    if (mc)
        reference::run_predictions(batch, pixels.data(), references);
    if (itx)
        reference::run_residuals(batch, pixels.data());
    if (lf)
        reference::run_loop_filter(batch, pixels.data());
}

} // namespace dd::test
