// SPDX-License-Identifier: BSD-2-Clause
//
// The C interface as a decoder uses it, for tests.
#pragma once
#include "daedalus/daedalus.h"
#include "plugin/random_frame.h"
#include "vulkan/gpu.h"

#include <initializer_list>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace dd::test {

// A variable of the environment for the time of a test.
class Environment {
  public:
    Environment(const char *name, const std::string &value);
    ~Environment();
    Environment(const Environment &) = delete;
    Environment &operator=(const Environment &) = delete;

  private:
    std::string name_, before_;
    bool had_ = false;
};

struct LogLines {
    std::mutex mutex;
    std::vector<std::pair<DdLogLevel, std::string>> lines;
    static void take(void *opaque, DdLogLevel level, const char *line);
    unsigned count(DdLogLevel level);
    bool contains(const std::string &text);
    std::string text();
};

struct FreeHandle {
    void operator()(DdDevice *device) const { dd_device_unref(&device); }
    void operator()(DdSession *session) const { dd_session_unref(&session); }
    void operator()(DdPicture *picture) const { dd_picture_unref(&picture); }
};
using Device = std::unique_ptr<DdDevice, FreeHandle>;
using Session = std::unique_ptr<DdSession, FreeHandle>;
using Picture = std::unique_ptr<DdPicture, FreeHandle>;

// The device that tests run on: DAEDALUS_TEST_DEVICE, else llvmpipe.
std::string test_device();
// That device, opened anew.
std::shared_ptr<Gpu> open_own_gpu();
// Asks for a device by name, whatever becomes of it.
Device request_device(LogLines &log, const char *plan, const char *profile, const std::string &name);
// That one must be there, unless another is named.
Device open_device(LogLines &log, const char *plan, const char *profile = nullptr, const char *device = nullptr);
Session open_session(DdDevice *device, DdCodec codec = DD_CODEC_VP9);
Picture alloc_picture(DdSession *session, const PictureFormat &format);
// Of a frame with one recorder.
DdFrameInfo frame_info(DdPicture *dst, std::initializer_list<DdPicture *> refs = {});
// The CPU's view of a picture, whole planes with padding.
void write_pixels(DdPicture *picture, const PictureLayout &layout, const std::vector<std::byte> &pixels);
std::vector<std::byte> pixels_of(DdPicture *picture, const PictureLayout &layout);
// The first difference between a picture and pixels in the layout's planes; empty: none.
std::string difference(DdPicture *picture, const PictureLayout &layout, const std::vector<std::byte> &pixels);

// Records what the plan of the frame puts on the GPU. The first error, or DD_OK.
int record(DdFrame *frame, const RandomFrame &from, unsigned recorders);
// What the CPU would have made of the stages; `pixels` is changed in place.
void run_stages(const Vp9Batch &batch, std::vector<std::byte> &pixels,
                const std::array<const std::vector<std::byte> *, 3> &ref, bool mc, bool itx, bool lf);

} // namespace dd::test
