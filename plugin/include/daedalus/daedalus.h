/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * The C interface of Daedalus, the batched GPU side of a hybrid video decoder.
 *
 * A decoder opens a device, then a session per stream. For every frame it begins a DdFrame, asks for its
 * plan, records the work of the stages that the plan gives to the GPU, submits it and waits; everything else
 * stays with the decoder's own code.
 *
 * Handles are opaque. A function that returns int returns DD_OK or a negative DdResult; no exception crosses
 * this interface. Strings are UTF-8 and stay valid as long as the object they came from. Structures that the
 * caller fills begin with their own size, so that later versions can append members; members that are not set
 * must be 0, and those that the caller's version doesn't have count as 0. What the library fills is cut to
 * the size that the caller gives. Records of blocks (DdVp9*, DdAv1* but DdAv1Filters) have no size: they stay
 * as they are as long as the library's SOVERSION does, which follows the minor version while the major one is
 * 0.
 *
 * Threads: devices and sessions may be used from any number of threads at once. A device may have a thread of
 * its own, which opens the GPU while frames are decoded; it ends with the device. A DdFrame belongs to one
 * thread at a time, except for recording: recorder k of a frame may be filled by one thread while other
 * threads fill other recorders. A picture is read-only for everybody but the frame whose `dst` it is.
 *
 * The life of a frame: here of VP9, 64x64 pixels, a copy of its reference. The decoder reconstructs a frame
 * itself where this returns an error, and after any error in between.
 * @code
 * static int copy_frame(DdSession *session, DdPicture *reference, DdPicture *dst) {
 *     DdFrameInfo info = {.size = sizeof(info), .dst = dst, .ref = {reference}, .recorders = 1};
 *     DdFrame *frame = NULL;
 *     int result = dd_frame_begin(session, &info, &frame);
 *     if (result < 0)
 *         return result;
 *     if (dd_frame_plan(frame).side[DD_STAGE_MC] == DD_SIDE_GPU) { // else the decoder predicts
 *         DdVp9Recorder *recorder = dd_vp9_recorder(frame, 0);
 *         DdVp9Prediction luma = {.plane = 0, .w = 64, .h = 64, .step_x = 16, .step_y = 16};
 *         DdVp9Prediction chroma = {.plane = DD_PLANES_CHROMA, .w = 32, .h = 32, .step_x = 16, .step_y = 16};
 *         dd_vp9_begin_block(recorder);
 *         dd_vp9_predict(recorder, &luma); // an error is remembered: dd_frame_submit returns it
 *         dd_vp9_predict(recorder, &chroma);
 *     }
 *     result = dd_frame_submit(frame, DD_PHASE_RECON | DD_PHASE_FILTER, 0);
 *     if (result == DD_OK)
 *         result = dd_frame_wait(frame); // the CPU sees the pixels of dst
 *     if (result < 0)
 *         dd_frame_rerun(frame); // and the decoder reconstructs dst
 *     dd_frame_end(&frame, result == DD_OK ? DD_OUTCOME_DONE : DD_OUTCOME_RERUN);
 *     return result;
 * }
 * @endcode
 */
#ifndef DAEDALUS_DAEDALUS_H
#define DAEDALUS_DAEDALUS_H

#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#define DD_API
#else
#define DD_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define DD_VERSION_MAJOR 0
#define DD_VERSION_MINOR 2
#define DD_VERSION_PATCH 0

/** Goes up with every change of this interface:
 *  1  2026-11-21  as 0.1 has it
 *  2  2026-11-27  DdDeviceOptions.robust
 *  3  2026-11-28  dd_picture_dma_buf, dd_device_exports, DdDeviceOptions.dma_buf; DdVp9FilterSuperblock and
 *                 DdAv1FilterBlock instead of void *; lengths in DdAv1Filters; DdStats.disabled instead of latched
 *  4  2026-11-28  DdAv1Recorder instead of a frame and an index; DD_SIDE_NONE is in debug.h
 *  5  2026-11-28  DdDeviceOptions.p010; dd_device_exports says what
 *  6  2026-11-29  DdFrameInfo.unread, dd_picture_read, dd_frame_rerun
 *  7  2026-11-29  DD_OPTION_OFF for DdDeviceOptions.p010
 *  8  2026-11-29  dd_av1_intra and dd_av1_takes_intra are gone, DdFrameInfo.tiles is ignored */
#define DD_API_NUMBER 8

typedef enum DdResult {
    DD_OK = 0,
    DD_ERR_INVALID = -1,     /**< an argument is out of range; nothing was done */
    DD_ERR_NO_MEMORY = -2,   /**< host or device memory ran out */
    DD_ERR_DEVICE = -3,      /**< the GPU failed or hung: run this frame on the CPU, and all later ones */
    DD_ERR_RANGE = -4,       /**< values left the range in which all implementations agree: run this frame on the CPU */
    DD_ERR_UNSUPPORTED = -5, /**< this picture or device can't be served by the GPU */
} DdResult;

/** A short English text for a DdResult; never NULL. */
DD_API const char *dd_result_text(int result);
/** "0.2.0" */
DD_API const char *dd_version(void);

typedef enum DdLogLevel { DD_LOG_ERROR, DD_LOG_WARNING, DD_LOG_INFO, DD_LOG_VERBOSE, DD_LOG_DEBUG } DdLogLevel;

/** Receives one line without a line end. May be called from any thread that uses the object, and from the device's own,
 *  never after the object is gone. */
typedef void (*DdLogFn)(void *opaque, DdLogLevel level, const char *line);

/* ---- device -------------------------------------------------------------------------------------------
 * Thread-safety: any thread, at any time, with a reference. Blocking: dd_device_open under plans that name the GPU,
 * dd_device_name and dd_device_has_gpu wait for the GPU's driver; the last dd_device_unref for the device's thread. */

typedef struct DdDevice DdDevice;

/** Of an option that is on or off and has a variable of the environment: what is unset follows the variable. */
enum { DD_OPTION_UNSET, DD_OPTION_ON, DD_OPTION_OFF };

/** Options go before the environment; NULL and DD_OPTION_UNSET leave an option to it. */
typedef struct DdDeviceOptions {
    size_t size; /**< sizeof(DdDeviceOptions) */
    /** "auto" or NULL: first real GPU (a CPU-type Vulkan device is never chosen by itself); "cpu": none; else a
     *  Vulkan device index or a part of its name. NULL falls back to the environment's DAEDALUS_DEVICE. */
    const char *device;
    /** "auto", "gpu", "cpu" or a list such as "mc=gpu,itx=gpu,lf=cpu". NULL: DAEDALUS_PLAN, else "auto". Plans that
     *  measure and test are debug.h's. */
    const char *plan;
    /** "auto", "v3d" (few dispatches) or "wide" (many). NULL: DAEDALUS_PROFILE, else chosen by the device. */
    const char *profile;
    DdLogFn log; /**< may be NULL */
    void *log_opaque;
    /** What plan "auto" is after: "speed" (the most frames a second) or "cpu" (the least CPU time a frame, while
     *  60 frames a second are reached). NULL: DAEDALUS_GOAL, else "speed". */
    const char *goal;
    /** 1: the device checks every access of kernels to buffers (robustBufferAccess), which costs time. A device
     *  that can't is used without, and one warning says so. */
    uint32_t robust;
    /** 1: pictures lie in a dma-heap where there is one, also those that the GPU can't reach or that come before it:
     *  dd_picture_dma_buf copies none of them then. */
    uint32_t dma_buf;
    /** DD_OPTION_ON: with dma_buf, pictures of 10 bits and 4:2:0 are given as P010, which takes as much memory once
     *  more. DD_OPTION_UNSET: where the environment has DAEDALUS_P010=1. */
    uint32_t p010;
} DdDeviceOptions;

/** Opens a device. That no GPU can be used is no error: one warning is logged, and the device is CPU-only. Fails
 *  with DD_ERR_INVALID where an option can't be understood, with DD_ERR_NO_MEMORY. Plan "auto" doesn't wait for
 *  the GPU's driver: a thread of the device's opens the GPU when that pays, and makes what a session's
 *  pictures need. Until then pictures lie in plain memory and plans are the CPU's; frames after that may use the
 *  GPU, also those that refer to earlier ones. Under other plans everything is there when this function and
 *  dd_picture_alloc return. */
DD_API int dd_device_open(DdDevice **device, const DdDeviceOptions *options);
DD_API DdDevice *dd_device_ref(DdDevice *device);
/** Drops a reference and sets *device to NULL. The last one waits for the device's thread, which leaves out what
 *  it hasn't begun. */
DD_API void dd_device_unref(DdDevice **device);
/** The Vulkan device's name, or "CPU". Waits until the GPU is open. */
DD_API const char *dd_device_name(const DdDevice *device);
/** 1 while the GPU is being opened: whether there is one isn't known. Once 0, it stays 0. */
DD_API int dd_device_opening(const DdDevice *device);
/** 1 where there is a GPU that may be given work. Where it is 0, a decoder need not call anything else. Waits until
 *  the GPU is open; a caller that mustn't wait asks dd_device_opening first. */
DD_API int dd_device_has_gpu(const DdDevice *device);
/** What dd_picture_dma_buf gives. */
typedef enum DdExport {
    DD_EXPORT_NONE = 0, /**< DdDeviceOptions.dma_buf isn't set, or there is no dma-heap that may be opened */
    DD_EXPORT_PLANAR,   /**< the planes as the CPU has them */
    DD_EXPORT_P010,     /**< the same, but P010 for 10 bits and 4:2:0 */
} DdExport;
DD_API DdExport dd_device_exports(const DdDevice *device);

/* ---- session ------------------------------------------------------------------------------------------
 * Thread-safety: any thread, at any time, with a reference. Blocking: nothing, but for a log callback that does. */

typedef struct DdSession DdSession;

typedef enum DdCodec { DD_CODEC_VP9, DD_CODEC_AV1 } DdCodec;

typedef struct DdSessionOptions {
    size_t size; /**< sizeof(DdSessionOptions) */
    DdCodec codec;
    DdLogFn log; /**< replaces the device's for this session where it isn't NULL */
    void *log_opaque;
} DdSessionOptions;

/** Opens the state of one stream: its pools, its statistics. Holds the device. */
DD_API int dd_session_open(DdSession **session, DdDevice *device, const DdSessionOptions *options);
DD_API DdSession *dd_session_ref(DdSession *session);
/** Drops a reference and sets *session to NULL. The last one logs the statistics at DD_LOG_VERBOSE. Pictures keep
 *  what they need alive. */
DD_API void dd_session_unref(DdSession **session);

typedef enum DdStage {
    DD_STAGE_MC,  /**< inter prediction */
    DD_STAGE_ITX, /**< inverse transform and addition, of inter blocks */
    DD_STAGE_LF,  /**< loop filter (AV1: deblocking) */
    DD_STAGE_CDEF,
    DD_STAGE_LR, /**< loop restoration */
    DD_STAGES
} DdStage;

typedef enum DdSide {
    DD_SIDE_CPU,
    DD_SIDE_GPU,
} DdSide;

/** Where each stage of one frame runs. */
typedef struct DdPlan {
    uint8_t side[8]; /**< DdSide by DdStage; DD_SIDE_NONE of debug.h under its plans */
} DdPlan;

typedef struct DdStats {
    size_t size;                          /**< sizeof(DdStats), set by the caller */
    uint64_t frames;                      /**< finished */
    uint64_t gpu_frames;                  /**< frames with at least one stage on the GPU */
    uint64_t rerun_frames;                /**< run again on the CPU after the GPU failed or refused */
    uint64_t gpu_blocks[8];               /**< by stage: predictions, transforms, superblocks that ran on the GPU */
    uint64_t cpu_frames[8];               /**< by stage: frames whose share of this stage ran on the CPU */
    uint64_t gpu_stage_frames[8];         /**< by stage: frames whose share of this stage ran on the GPU */
    uint64_t submits, dispatches;         /**< of all frames */
    uint32_t max_submits, max_dispatches; /**< of any one frame */
    uint32_t disabled;                    /**< 1: the GPU was given up */
} DdStats;

DD_API int dd_session_stats(DdSession *session, DdStats *stats);

/* ---- pictures -----------------------------------------------------------------------------------------
 * Thread-safety: any thread, with a reference. Pixels are written by the frame whose `dst` the picture is, and
 * read by others when that frame has ended, or as dd_frame_await_references says. Blocking: dd_picture_alloc may
 * wait for the driver's allocation, and under plans that name the GPU for its compiler. */

typedef struct DdPicture DdPicture;

typedef struct DdPictureFormat {
    size_t size;            /**< sizeof(DdPictureFormat) */
    uint32_t width, height; /**< true size in luma pixels, 1 to 16384 */
    uint32_t bit_depth;     /**< 8, 10, 12; above 8 two bytes a pixel, little endian */
    uint32_t ss_h, ss_v;    /**< log2 of the chroma subsampling: 0 or 1 */
    uint32_t monochrome;    /**< 1: one plane */
} DdPictureFormat;

/** A picture from the session's pool, in memory that CPU and GPU reach. Contents are undefined. */
DD_API int dd_picture_alloc(DdSession *session, const DdPictureFormat *format, DdPicture **picture);
DD_API DdPicture *dd_picture_ref(DdPicture *picture);
DD_API void dd_picture_unref(DdPicture **picture);
/** The planes as the CPU sees them. Each holds whole superblocks (64, AV1: 128 luma pixels), and the buffer has at
 *  least 64 bytes of slack before the first and after the last plane. Strides are the same for equal formats. */
DD_API void dd_picture_planes(const DdPicture *picture, uint8_t *data[3], ptrdiff_t stride[3]);

/** Brings the planes of a complete picture up to date whose frame was DdFrameInfo.unread, and does nothing for other
 *  pictures. May be called from several threads at once. Fails with DD_ERR_NO_MEMORY, or DD_ERR_DEVICE. */
DD_API int dd_picture_read(DdPicture *picture);

/** A picture as other devices import it: one object that holds all planes, linear. */
typedef struct DdDmaBuf {
    size_t size;            /**< sizeof(DdDmaBuf), set by the caller */
    int32_t fd;             /**< the picture's: it stays open as long as the picture lives */
    uint32_t planes;        /**< 1 or 3; P010: 2, luma, then Cb and Cr in turn, samples in the upper 10 of 16 bits */
    uint64_t bytes;         /**< of the object */
    uint64_t offset[3];     /**< bytes, of each plane's first pixel */
    uint64_t pitch[3];      /**< bytes from a row to the next */
    uint32_t width, height; /**< as DdPictureFormat has them, and so are the rest */
    uint32_t bit_depth, ss_h, ss_v;
} DdDmaBuf;

/** Gives the dma-buf that a complete picture lies in, or one with a copy of it where it lies in other memory. Other
 *  devices may read it as long as the picture is referred to; the CPU may go on reading the planes. Nothing may be
 *  written to the picture any more. May be called from several threads at once. Fails with DD_ERR_UNSUPPORTED where
 *  there is no dma-heap, with DD_ERR_NO_MEMORY. */
DD_API int dd_picture_dma_buf(DdPicture *picture, DdDmaBuf *dma_buf);

/* ---- frames -------------------------------------------------------------------------------------------
 * Thread-safety: one thread at a time for each frame; frames of a session are independent. Blocking: dd_frame_wait,
 * dd_frame_end and dd_frame_await_references wait for the GPU, for a bounded time. Errors: the
 * first one of a frame stays, and every later call of it fails: the decoder reconstructs the frame itself. */

typedef struct DdFrame DdFrame;

#define DD_MAX_REFERENCES 7

typedef struct DdFrameInfo {
    size_t size;                       /**< sizeof(DdFrameInfo) */
    DdPicture *dst;                    /**< the frame holds its own references to all pictures */
    DdPicture *ref[DD_MAX_REFERENCES]; /**< by slot; NULL where a slot is unused or lies in other memory */
    uint32_t recorders;                /**< number of threads that will record at once, at least 1 */
    uint32_t intra_only;               /**< 1: no inter blocks */
    uint32_t filtered;                 /**< 1: the frame has a loop filter; AV1: an or of DD_AV1_FILTER_* */
    uint32_t cpu_only;                 /**< 1: the frame needs what the GPU doesn't do; it is only counted */
    uint32_t one_pass;    /**< AV1: 1: blocks are reconstructed as they are parsed; the recon phase stays on the CPU */
    uint32_t coded_bytes; /**< of the frame in the bitstream: large frames share large records; 0: unknown */
    uint32_t tiles;       /**< ignored */
    /** 1: on a device that exports pictures, the CPU reads the complete `dst` only after a call of dd_picture_read,
     *  so its caches need no maintenance before. The library takes care of later frames that refer to `dst`. */
    uint32_t unread;
} DdFrameInfo;

/** Begins a frame and makes its plan. After an error the decoder reconstructs the frame; where pictures may be
 *  unread it calls dd_picture_read for the references. */
DD_API int dd_frame_begin(DdSession *session, const DdFrameInfo *info, DdFrame **frame);
DD_API DdPlan dd_frame_plan(const DdFrame *frame);

/** What runs with one submit. */
enum {
    DD_PHASE_RECON = 1,  /**< predictions, then residuals */
    DD_PHASE_FILTER = 2, /**< in-loop filters */
};

/** Submits the recorded work of the phases in `phases` (an or of DD_PHASE_*) that the plan puts on the GPU.
 *  References that predictions were recorded from must be complete, or dd_frame_await_references must have let
 *  them pass. `cpu_wrote`: the CPU has written pixels of `dst` since the frame began or since the last wait. Waits
 *  for an earlier submit of the frame, as dd_frame_wait does. After DD_OK the CPU must not touch `dst` until
 *  dd_frame_wait. After an error nothing of `phases` runs on the GPU any more. AV1: where a recon phase would take
 *  too many dispatches, nothing is submitted; dd_frame_plan says so from then on. */
DD_API int dd_frame_submit(DdFrame *frame, unsigned phases, int cpu_wrote);
/** Before the recon phase is submitted: waits until the frame's references in these slots (a bit mask) may be read
 *  by work of the GPU. Of VP9 only those count that predictions were recorded from. Of AV1 it doesn't wait: those
 *  that weren't submitted yet are among the ones that it returns. @return the slots of those that the decoder has
 *  to wait for until they are complete */
DD_API unsigned dd_frame_await_references(DdFrame *frame, unsigned slots);
/** Waits for what was submitted. After DD_OK the CPU sees the pixels of `dst`. After an error (DD_ERR_DEVICE,
 *  DD_ERR_RANGE) the pixels of `dst` are undefined, and the whole frame must be reconstructed by the CPU. Bounded in
 *  time: a GPU that hangs is given up. */
DD_API int dd_frame_wait(DdFrame *frame);

/** Called before the CPU reconstructs a whole frame again. The CPU sees the references then, and may write all of
 *  `dst`; dd_frame_end comes after it has. Fails with DD_ERR_DEVICE where the caches of a reference can't be
 *  synchronised: its pixels are out of date. */
DD_API int dd_frame_rerun(DdFrame *frame);

typedef enum DdOutcome {
    DD_OUTCOME_DONE,    /**< as planned */
    DD_OUTCOME_RERUN,   /**< the CPU ran the whole frame again */
    DD_OUTCOME_DROPPED, /**< the frame was given up (broken stream) */
} DdOutcome;

/** Ends a frame, waiting for the GPU where it still runs, and sets *frame to NULL. Whatever the outcome, the CPU's view
 *  of `dst` is the picture from here on. */
DD_API void dd_frame_end(DdFrame **frame, DdOutcome outcome);

/** Marks for the timeline of the environment's DAEDALUS_TRACE: a span from `begin`, which dd_frame_trace_time
 *  gave, to now on the calling thread. Where no timeline is written, dd_frame_trace_time gives 0, and
 *  dd_frame_trace does nothing. @param name  stays valid until the device is gone */
DD_API int64_t dd_frame_trace_time(const DdFrame *frame);
DD_API void dd_frame_trace(DdFrame *frame, const char *name, int64_t begin);

/* ---- recording: VP9 ------------------------------------------------------------------------------------
 * Thread-safety: one thread at a time for each recorder, different recorders at once; the loop filter is the
 * frame's, as are all functions that take a DdFrame. Blocking: nothing. All that is pointed to is read before a
 * function returns, unless it says otherwise. */

#define DD_PLANES_CHROMA 3 /**< planes 1 and 2, which are predicted alike */

/** A prediction of a rectangle of one plane from one reference. */
typedef struct DdVp9Prediction {
    uint8_t plane;           /**< 0 to 2, or DD_PLANES_CHROMA */
    uint8_t ref;             /**< slot of DdFrameInfo.ref, 0 to 2 */
    uint8_t filter;          /**< 0 smooth, 1 regular, 2 sharp, 3 bilinear */
    uint8_t second;          /**< 1: second reference of a compound block: averaged with the first */
    uint16_t x, y;           /**< pixels of the destination plane, multiples of 4 */
    uint16_t w, h;           /**< multiples of 4, at most 64 */
    int32_t src_x, src_y;    /**< 1/16 pixel of the reference's plane */
    uint16_t step_x, step_y; /**< 1/16 pixel of the reference a pixel; 16: same size */
} DdVp9Prediction;

/** One of a frame's recorders (DdFrameInfo.recorders). */
typedef struct DdVp9Recorder DdVp9Recorder;
/** The recorder with this index. Belongs to the frame, and is valid until dd_frame_end; one thread at a time may
 *  use it. @return NULL if there is none: the index is too large, or the frame's plan leaves the GPU nothing to do */
DD_API DdVp9Recorder *dd_vp9_recorder(DdFrame *frame, unsigned index);

/** Marks the start of a block. Second predictions pair with the first ones since then, in the same order. */
DD_API int dd_vp9_begin_block(DdVp9Recorder *recorder);
DD_API int dd_vp9_predict(DdVp9Recorder *recorder, const DdVp9Prediction *prediction);

/** All planes of a whole block, from references of the picture's own size: what most blocks are. Needs no
 *  dd_vp9_begin_block(). */
typedef struct DdVp9Block {
    uint32_t col, row; /**< position in 8x8 blocks of luma */
    uint32_t size;  /**< as VP9 numbers block sizes: 3 is 8x8, then 8x16 (8 wide), 16x8, 16x16 and so on, 12 is 64x64 */
    uint8_t filter; /**< as DdVp9Prediction.filter */
    uint8_t compound; /**< 1: the average of two references */
    uint8_t ref[2];   /**< slots; the second one counts where `compound` is set, as does its vector */
    int16_t mv[2][2]; /**< of each reference: x, y in 1/8 pixel of luma */
} DdVp9Block;
DD_API int dd_vp9_predict_block(DdVp9Recorder *recorder, const DdVp9Block *block);

/** Residuals of an inter block: its transform blocks that lie in the picture, row after row. The decoder's own
 *  arrays count in 4x4 blocks: a transform block of 8x8 takes four places of them. */
typedef struct DdVp9Residuals {
    uint32_t x, y;    /**< pixels of luma, multiples of 4 in every plane */
    uint32_t w4, h4;  /**< 4x4 blocks of luma, at most 16 */
    uint32_t kind[2]; /**< of luma and chroma; 0 to 3: DCT 4x4 to 32x32; 4: lossless 4x4 WHT */
    /** By plane: number of coefficients in the default scan, 0: none; uint8_t for blocks up to 8x8, else uint16_t. */
    const void *eobs[3];
    /** By plane: int16_t (8 bits) or int32_t, 16 for each place; a transform block column after column (element j
     *  * n + i is row i of column j). NULL: the plane has none. */
    void *coefs[3];
} DdVp9Residuals;
/** Takes the coefficients away: they are zero afterwards, or undefined after an error.
 *  @return DD_ERR_RANGE where a transform's values leave the range in which all decoders agree; like any error of
 *          recording it sends the whole frame to the CPU */
DD_API int dd_vp9_take_residuals(DdVp9Recorder *recorder, const DdVp9Residuals *residuals);

/** VP9's intra modes, of which the GPU's are numbered like FFmpeg's. */
enum {
    DD_VP9_INTRA_V,
    DD_VP9_INTRA_H,
    DD_VP9_INTRA_DC,
    DD_VP9_INTRA_D45,
    DD_VP9_INTRA_D135,
    DD_VP9_INTRA_D117,
    DD_VP9_INTRA_D153,
    DD_VP9_INTRA_D63,
    DD_VP9_INTRA_D207,
    DD_VP9_INTRA_TM,
};

/** Says whether the GPU predicts the frame's intra blocks too, so that none is left to the CPU: all of them have
 *  to be recorded then. So it is where a frame with inter blocks has predictions and residuals there, on a GPU
 *  with lanes to spare. */
DD_API int dd_vp9_takes_intra(const DdFrame *frame);

/** An intra block: all of its transform blocks that lie in the picture, with their residuals. */
typedef struct DdVp9IntraBlock {
    /** Where it lies, and its coefficients. `kind` up to 3: a lossless frame can't be recorded. Luma's transforms
     *  and scans go by its modes, and `eobs` count along those scans. A plane whose `coefs` are NULL has no
     *  residual. */
    DdVp9Residuals residuals;
    uint8_t has_left; /**< 1: it may read what lies to its left, which belongs to the same tile */
    uint8_t quarters; /**< 1: smaller than 8x8: luma has a mode for each 4x4 */
    uint8_t mode[4];  /**< DD_VP9_INTRA_* of luma: of the whole block, or raster */
    uint8_t chroma_mode;
} DdVp9IntraBlock;
/** Takes the coefficients away, as dd_vp9_take_residuals() does. Blocks of a tile have to come in the order of
 *  decoding, and those of tiles side by side that share a recorder row after row of superblocks. */
DD_API int dd_vp9_intra_block(DdVp9Recorder *recorder, const DdVp9IntraBlock *block);

/** What the loop filter has to know of a superblock: 64x64 pixels of luma. */
typedef struct DdVp9FilterSuperblock {
    uint8_t level[64]; /**< of each 8x8 of luma, row after row, below 64; 0: not filtered */
    /** Edges: of luma / of subsampled chroma; between columns / between rows; by 8-pixel row; 16 wide, 8 wide, 4 wide,
     *  4 wide inside the 8x8; a bit an 8-pixel column, the leftmost one lowest. */
    uint8_t mask[2][2][8][4];
} DdVp9FilterSuperblock;

/** The loop filter of the whole frame. All tables are copied.
 *  @param superblocks     sb_cols * sb_rows, raster: as many as the picture has
 *  @param limit, mblimit  by level (clause 8.8.1) */
DD_API int dd_vp9_loop_filter(DdFrame *frame, const DdVp9FilterSuperblock *superblocks, unsigned sb_cols,
                              unsigned sb_rows, const uint8_t limit[64], const uint8_t mblimit[64]);

/* ---- recording: AV1 ------------------------------------------------------------------------------------
 * Thread-safety: one thread at a time for each recorder, different recorders at once; dd_av1_filters and what takes no
 * recorder are the frame's. Blocking: nothing. All that is pointed to is read before a function returns, unless it
 * says otherwise. */

/** In-loop filters that a frame has (DdFrameInfo.filtered). The GPU doesn't do those of frames with
 *  super-resolution: they are DdFrameInfo.cpu_only. */
enum {
    DD_AV1_FILTER_DEBLOCK = 1,
    DD_AV1_FILTER_CDEF = 2,
    DD_AV1_FILTER_RESTORATION = 4,
};

typedef struct DdAv1RestorationUnit {
    uint8_t kind;                      /**< 0 none, 1 Wiener, 2 self-guided */
    uint8_t set;                       /**< self-guided: 0 to 15 */
    int8_t horizontal[3], vertical[3]; /**< Wiener: the outer taps, outermost first */
    int8_t weight[2];                  /**< self-guided, as coded */
} DdAv1RestorationUnit;

/** What the in-loop filters have to know of 128x128 pixels of luma. */
typedef struct DdAv1FilterBlock {
    /** Edges of luma: between columns / between rows; by position in 4 pixels; 4, 8, 14 wide; a bit each 4 pixels along
     *  the edge, 16 a word. */
    uint16_t luma[2][32][3][2];
    uint16_t chroma[2][32][2][2]; /**< the same of chroma: 4, 6 wide; 16 >> subsampling bits a word */
    int8_t cdef[4];               /**< index of the strengths of each 64x64; -1: none */
    uint16_t coded[16][2];        /**< rows of 8 pixels: blocks with residual, a bit each 4 pixels */
} DdAv1FilterBlock;

/** What the decoder has parsed for the in-loop filters of a whole frame. `superblocks` and `levels` have to stay
 *  until the filters are submitted, the rest is copied. Of CDEF and restoration, a plan gives both to the GPU or
 *  neither, where a frame has both. */
typedef struct DdAv1Filters {
    size_t size;                         /**< sizeof(DdAv1Filters) */
    const DdAv1FilterBlock *superblocks; /**< raster: as many as the picture has */
    /** Filter levels, 4 bytes a 4x4 block: luma columns, luma rows, U, V; chroma at its own plane's positions. */
    const uint8_t (*levels)[4];
    uint32_t level_stride; /**< blocks from a row to the next */
    uint8_t deblock_luma, deblock_chroma;
    uint8_t sharpness;
    uint8_t cdef; /**< 0: off; `cdef_*` aren't looked at */
    uint8_t cdef_damping;
    uint8_t cdef_luma[8], cdef_chroma[8]; /**< strengths: primary << 2 | secondary */
    /** Of each plane, raster; NULL: the plane isn't restored. */
    const DdAv1RestorationUnit *units[3];
    uint16_t unit_cols[3], unit_rows[3];
    uint8_t unit_log2[3]; /**< log2 of a unit's size */
    /** Lengths of `superblocks` and `levels`: where one is less than the picture needs, DD_ERR_INVALID is returned.
     *  0: not said. */
    uint32_t superblock_count, level_count;
} DdAv1Filters;

/** Records the filters that the plan gives to the GPU; those of the CPU are taken off. Submit with DD_PHASE_FILTER. */
DD_API int dd_av1_filters(DdFrame *frame, const DdAv1Filters *filters);

/** Of a warped source: AV1's warp matrix and its shear parameters (alpha, beta, gamma, delta). */
typedef struct DdAv1Warp {
    int32_t matrix[6];
    int16_t shear[4];
} DdAv1Warp;

enum {
    DD_AV1_TAPS_REGULAR,
    DD_AV1_TAPS_SMOOTH,
    DD_AV1_TAPS_SHARP,
    DD_AV1_TAPS_REGULAR_4, /**< the four taps of predictions that are at most four pixels wide (high) */
    DD_AV1_TAPS_SMOOTH_4,
    DD_AV1_TAPS_BILINEAR,
};

/** Where a prediction reads: a picture of the same size as `dst`. */
typedef struct DdAv1Source {
    const DdAv1Warp *warp;  /**< NULL: translation; else the rest but `ref` doesn't count */
    int32_t x, y;           /**< 1/16 pixel of the plane, of the rectangle's first pixel */
    uint8_t ref;            /**< slot of DdFrameInfo.ref */
    uint8_t taps_x, taps_y; /**< DD_AV1_TAPS_* */
} DdAv1Source;

typedef enum DdAv1PredictionKind {
    DD_AV1_SINGLE,   /**< the first source */
    DD_AV1_WEIGHTED, /**< both; the first one with `weight` 64ths */
    DD_AV1_BY_MASK,  /**< both; the first one with `mask` 64ths */
    /** four pixels wide: the left half from the first source, the right half, whose first pixel is at the
     *  second source's position, from the second one. No warp */
    DD_AV1_SPLIT,
} DdAv1PredictionKind;

/** A prediction of a rectangle of luma, or the same one of both planes of chroma. */
typedef struct DdAv1Prediction {
    uint8_t chroma;
    uint8_t kind;        /**< DdAv1PredictionKind */
    uint8_t weight;      /**< 0 to 64 */
    uint16_t x, y, w, h; /**< pixels of the plane; x a multiple of 4, y of 2; powers of two, 4x2 to 128x128 */
    DdAv1Source source[2];
    const uint8_t *mask; /**< w * h bytes, 0 to 64; at most 32x32. Is copied */
} DdAv1Prediction;

/** All planes of an inter block that are predicted by translation, each from one source, or from two by weight:
 *  most blocks are such. */
typedef struct DdAv1InterBlock {
    uint16_t x, y;          /**< pixels of luma, multiples of 8 */
    uint8_t w_log2, h_log2; /**< pixels of luma: 3 to 7 */
    uint8_t compound;       /**< 0: one source */
    uint8_t weight;         /**< of two: 64ths of the first one, 0 to 64 */
    uint8_t ref[2];         /**< slots of DdFrameInfo.ref */
    uint8_t taps_x, taps_y; /**< DD_AV1_TAPS_*: of more than four pixels; planes with no more get those of four */
    int16_t mv[2][2];       /**< x, y: 1/8 pixel of luma */
} DdAv1InterBlock;

/** Overlapped prediction: of at most 8x8 pixels, that have one neighbour above and one to the left at most. */
typedef struct DdAv1Overlap {
    uint8_t chroma;
    uint8_t above, left;       /**< size of the overlap in pixels, 2 to 32; 0: none */
    uint8_t above_at, left_at; /**< rows (columns) from the block's edge to the first pixel */
    uint16_t x, y, w, h;       /**< multiples of 4, but for a height of 2 */
    DdAv1Source source[3];     /**< own, above, left; no warp */
} DdAv1Overlap;

/** Difference-weighted compound of luma and of chroma with it. */
typedef struct DdAv1Difference {
    uint8_t chroma;      /**< 1: chroma too */
    uint8_t sign;        /**< 1: mask_sign of the bitstream; sources are ordered by it already */
    uint16_t x, y, w, h; /**< pixels of luma, 8x8 to 128x128 */
    DdAv1Source source[2], chroma_source[2];
} DdAv1Difference;

/** Residual of one transform block, which is added to the predictions of the same frame. */
typedef struct DdAv1Residual {
    uint8_t plane;
    /** 0 to 18: 4x4, 8x8, 16x16, 32x32, 64x64, 4x8, 8x4, 8x16, 16x8, 16x32, 32x16, 32x64, 64x32, 4x16, 16x4,
     *  8x32, 32x8, 16x64, 64x16 */
    uint8_t size;
    /** 0 to 15: vertical_horizontal DCT_DCT, ADST_DCT, DCT_ADST, ADST_ADST, FLIPADST_DCT, DCT_FLIPADST,
     *  FLIPADST_FLIPADST, ADST_FLIPADST, FLIPADST_ADST, identity, vertical DCT, horizontal DCT, vertical
     *  ADST, horizontal ADST, vertical FLIPADST, horizontal FLIPADST; 16: lossless WHT */
    uint8_t type;
    uint16_t x, y; /**< pixels of the plane, multiples of 4 */
    uint16_t eob;  /**< index of the last coefficient in the scan */
    /** int16_t (8 bits) or int32_t, dequantised: the upper left of the block, at most 32x32, column after column. */
    void *coefs;
    void *home; /**< where dd_av1_give_back_residuals puts them, until the frame ends; NULL: where they were */
} DdAv1Residual;

/** One of a frame's recorders (DdFrameInfo.recorders). */
typedef struct DdAv1Recorder DdAv1Recorder;
/** The recorder with this index. Belongs to the frame, and is valid until dd_frame_end; one thread at a time may
 *  use it. @return NULL if there is none: the frame's plan leaves the recon phase to the CPU, or the index is too
 *  large, which is an error of the frame */
DD_API DdAv1Recorder *dd_av1_recorder(DdFrame *frame, unsigned index);

/** Each returns DD_OK, or DD_ERR_INVALID where a position, a reference or a size isn't possible; then, as after
 *  any other error, nothing of the frame's recon phase will run. */
DD_API int dd_av1_predict(DdAv1Recorder *recorder, const DdAv1Prediction *prediction);
DD_API int dd_av1_predict_block(DdAv1Recorder *recorder, const DdAv1InterBlock *block);
DD_API int dd_av1_overlap(DdAv1Recorder *recorder, const DdAv1Overlap *overlap);
DD_API int dd_av1_difference(DdAv1Recorder *recorder, const DdAv1Difference *difference);
/** Takes the coefficients away: they are zero afterwards. Also DD_ERR_RANGE, where the transform's values leave
 *  the range in which all decoders agree. Only where the plan gives residuals to the GPU. */
DD_API int dd_av1_take_residual(DdAv1Recorder *recorder, const DdAv1Residual *residual);
/** Puts all coefficients that were taken back to where they were, or to their homes, for the CPU to do the frame.
 *  Its recon phase can't run on the GPU then. After both phases were submitted together, or a wait for the recon
 *  phase was good, there is nothing to put back. */
DD_API void dd_av1_give_back_residuals(DdFrame *frame);
/** Counts residuals of a frame whose others are the GPU's: these stay with the CPU, as their prediction ends there. */
DD_API int dd_av1_residuals_kept(DdAv1Recorder *recorder, unsigned count);

/** A block of which the CPU has a share behind the recon phase: intra, or inter-intra. Pixels of luma, multiples
 *  of 4, at most 128x128 and within whole superblocks; the block's chroma goes with it. Where pictures have a copy
 *  for the GPU and one for the CPU, what such blocks need, and intra prediction around them, is all that is copied
 *  between the recon and the filter phase. */
DD_API int dd_av1_cpu_share(DdAv1Recorder *recorder, unsigned x, unsigned y, unsigned w, unsigned h);
/** Before the recon phase is submitted alone: a promise that all such blocks were told. Until the filter phase is
 *  submitted, with `cpu_wrote`, the CPU writes no pixel of `dst` outside of them, and those that AV1's intra
 *  prediction of them doesn't read are undefined. The promise ends with an error of dd_frame_submit or
 *  dd_frame_wait. Without it whole pictures are copied; so they are where the CPU has other stages behind the
 *  recon phase. */
DD_API void dd_av1_cpu_shares_complete(DdFrame *frame);

/** Why the CPU reconstructs the inter blocks of a frame that the plan would give to the GPU. */
typedef enum DdAv1Refusal {
    DD_AV1_REFUSE_SCALED,     /**< a block has a reference of another size */
    DD_AV1_REFUSE_REFERENCE,  /**< a reference lies where the GPU can't read it */
    DD_AV1_REFUSE_NO_PASSES,  /**< the decoder's threads leave it no second pass */
    DD_AV1_REFUSE_SUPERRES,   /**< the frame is super-resolved: its filters are the CPU's too (DdFrameInfo.cpu_only) */
    DD_AV1_REFUSE_DISPATCHES, /**< it would take more dispatches than V3D's profile allows */
    DD_AV1_REFUSE_LIMITS,     /**< it would be more work than the device may be given at once */
    DD_AV1_REFUSALS
} DdAv1Refusal;
/** Before the recon phase is submitted: its stages go to the CPU, which is counted. */
DD_API void dd_av1_refuse(DdFrame *frame, DdAv1Refusal why);

#ifdef __cplusplus
}
#endif
#endif /* DAEDALUS_DAEDALUS_H */
