#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Features that the random programs do not use: texel buffers, images, push constants indexed at run time, indirect
dispatch, operations across lanes, copies and fills of buffers. Compared with llvmpipe, or with results computed
here."""
import argparse
import struct
import sys
import tempfile
from pathlib import Path

import harness

MASK = 0xffffffff
# VkFormat: GLSL format, prefix of the types, largest value of a channel, bytes of a texel
FORMATS = {
    13: ("r8ui", "u", 0xff, 1), 20: ("rg8ui", "u", 0xff, 2), 41: ("rgba8ui", "u", 0xff, 4),
    42: ("rgba8i", "i", 0x7f, 4),
    74: ("r16ui", "u", 0xffff, 2), 81: ("rg16ui", "u", 0xffff, 4), 95: ("rgba16ui", "u", 0xffff, 8),
    98: ("r32ui", "u", MASK, 4), 101: ("rg32ui", "u", MASK, 8), 107: ("rgba32ui", "u", MASK, 16),
    99: ("r32i", "i", MASK, 4), 100: ("r32f", "", 0xfff, 4), 97: ("rgba16f", "", 0x3ff, 8),
}
TEXEL_FORMATS = {41: "u", 98: "u", 13: "u", 74: "u", 95: "u", 107: "u", 42: "i", 100: ""}
SIZES = [(3, 3), (8, 20), (16, 40), (40, 12), (100, 75), (300, 130), (64, 260)]


class Features:
    def __init__(self, simulator, folder: Path):
        self.simulator, self.folder, self.failed = simulator, folder, 0

    def report(self, name: str, problem: str) -> None:
        self.failed += bool(problem)
        print(f"{'FAIL' if problem else 'ok  '} {name}{': ' + problem if problem else ''}", flush=True)

    def compile(self, name: str, kernel: str, *defines) -> str:
        spirv = self.folder / f"{name}.spv"
        harness.compile_glsl(harness.HERE / "kernels" / f"{kernel}.comp", spirv, *defines)
        return str(spirv)

    def run(self, specs: dict, simulated: bool = True, **variables) -> tuple:
        """Runs named dispatches; returns their outputs and what went wrong."""
        side = "v3d" if simulated else "cpu"
        outputs = {name: self.folder / f"{name}.{side}" for name in specs}
        listed = [{**spec, "out": str(outputs[name])} for name, spec in specs.items()]
        done = self.simulator.run(listed, self.folder, simulated, **variables)
        data = {name: path.read_bytes() if path.exists() else None for name, path in outputs.items()}
        return data, "" if done.returncode == 0 else done.stderr.strip()

    def compare(self, specs: dict) -> None:
        """Both devices must write the same bytes."""
        (device, error), (host, host_error) = self.run(specs), self.run(specs, simulated=False)
        for name in specs:
            if device[name] is None or host[name] is None:
                self.report(name, f"no result: {error} {host_error}")
                break
            same = device[name] == host[name]
            first = 0 if same else next(i for i, (a, b) in enumerate(zip(device[name], host[name])) if a != b)
            self.report(name, "" if same else f"bytes differ from {first} of {len(host[name])} on")

    def expect(self, name: str, spec: dict, expected, **variables) -> None:
        data, error = self.run({name: spec}, **variables)
        self.report(name, error or ("" if data[name] == expected(data[name]) else "wrong result"))

    # ---- the features ----

    def texel_buffers(self) -> None:
        specs, count = {}, 500
        for vk_format, prefix in TEXEL_FORMATS.items():
            name = f"texel buffer of format {vk_format}"
            words = "floatBitsToUint" if prefix == "" else "uvec4"
            size = {13: 1, 74: 2, 95: 8, 107: 16}.get(vk_format, 4)
            # Floats out of small integers: random bits would be NaNs, which need not keep their bits.
            data = {"fill": 0x40490fdb} if vk_format == 100 else {"seed": vk_format}
            specs[name] = {"spirv": self.compile(name, "texels", f"SAMPLER={prefix}samplerBuffer", f"WORDS={words}",
                                                 f"COUNT={count}u"), "groups": [8, 1, 1],
                           "buffers": [{"bytes": 8 * 64 * 16}, {"type": "texels", "bytes": count * size,
                                                               "format": vk_format, **data}]}
        self.compare(specs)

    def images(self) -> None:
        specs = {}
        cases = [(f, s) for f in (98, 41) for s in SIZES] + [(f, (50, 38)) for f in FORMATS]
        for vk_format, (width, height) in cases:
            glsl, prefix, limit, _ = FORMATS[vk_format]
            name = f"image {glsl} {width}x{height}"
            words = "floatBitsToUint" if prefix == "" else "uvec4"
            texel = {"u": "uvec4", "i": "ivec4", "": "vec4"}[prefix]
            spirv = self.compile(name, "image", f"FORMAT={glsl}", f"IMAGE={prefix}image2D", f"WORDS={words}",
                                 f"TEXEL={texel}", f"LIMIT={limit}u", f"WIDTH={width}u", f"HEIGHT={height}u")
            specs[name] = {"spirv": spirv, "groups": [-(-width // 8), -(-height // 8), 1], "push": [0], "repeat": 2,
                           "buffers": [{"bytes": 16 * width * height}, {"type": "image", "format": vk_format,
                                                                       "width": width, "height": height},
                                       {"bytes": 16 * width * height, "seed": 7}]}
        name = "image atomics"
        specs[name] = {"spirv": self.compile(name, "image_atomic"), "groups": [8, 8, 1], "push": [0], "repeat": 3,
                       "buffers": [{"bytes": 4 * 64 * 64},
                                   {"type": "image", "format": 98, "width": 64, "height": 64}]}
        self.compare(specs)

    def push_index(self) -> None:
        push = [10, 2000, 300000, 0xf0000001]

        def expected(data):
            constants = struct.unpack("<16I", data[4 * 256:4 * 256 + 64])
            words = [(push[(i * 7 >> 2) & 3] + constants[4 * (i & 3) + (i >> 2 & 3)]) & MASK for i in range(256)]
            return struct.pack("<256I", *words) + data[4 * 256:]

        spec = {"spirv": self.compile("push", "push_index"), "groups": [4, 1, 1], "push": push,
                "buffers": [{"bytes": 1024}, {"type": "uniform", "bytes": 64, "seed": 3}]}
        for checks in ({}, {"V3DSIM_CHECK": "all"}):
            self.expect(f"constants indexed at run time {checks.get('V3DSIM_CHECK', '')}", spec, expected, **checks)

    def indirect(self) -> None:
        def expected(data):
            groups = struct.unpack("<3I", data[:12])
            total = groups[0] * groups[1] * groups[2]
            return struct.pack("<5I", *groups, 16 * total, groups[0] | groups[1] << 8 | groups[2] << 16) + data[20:]

        # Every word is 2: the dispatch has 2x2x2 workgroups.
        spec = {"spirv": self.compile("indirect", "indirect"), "groups": [1, 1, 1], "indirect": 0,
                "buffers": [{"bytes": 64, "fill": 2, "written": 12}]}
        self.expect("indirect dispatch", spec, expected)

    def subgroup(self) -> None:
        def expected(data):
            words = struct.unpack("<256I", data[4096:5120])
            out = []
            for base in range(0, 256, 16):
                lane = words[base:base + 16]
                on = [l for l in range(16) if lane[l] & 2]
                ballot = sum(1 << l for l in range(16) if lane[l] & 1)
                inner = sum(1 << l for l in on if lane[l] & 4)
                for l in range(16):
                    w = 0
                    if lane[l] & 2:
                        w = lane[on[0]] ^ inner ^ (0x10000 if l == on[0] else 0) ^ 0x20000 ^ 0x40000
                        w ^= 0x80000 if any(lane[k] & 8 for k in on) else 0
                    out += [lane[l ^ 5], lane[(l & ~3) + 2] ^ lane[l ^ 1], ballot, w & MASK]
            return struct.pack("<1024I", *out) + data[4096:]

        spec = {"spirv": self.compile("subgroup", "subgroup"), "groups": [4, 1, 1],
                "buffers": [{"bytes": 4096}, {"bytes": 1024, "seed": 11}]}
        self.expect("operations across lanes", spec, expected)

    def transfers(self) -> None:
        """Copies of all alignments and fills; what the driver does with the tile buffer."""
        specs = {}
        spirv = self.compile("transfer", "push_index")
        for size, at, to_at in ((4096, 0, 0), (4096, 16, 64), (1000, 4, 8), (998, 2, 4), (777, 1, 3), (1 << 20, 0, 0)):
            copy = {"from": 2, "to": 3, "bytes": size, "at": at, "to_at": to_at}
            specs[f"copy of {size} bytes from {at} to {to_at}"] = {"copy": [copy]}
        for size, at in ((4096, 0), (1004, 12), (1 << 20, 0)):
            specs[f"fill of {size} bytes at {at}"] = {"fill": [{"to": 3, "bytes": size, "at": at, "word": 0x01234567}]}
        for spec in specs.values():
            spec |= {"spirv": spirv, "groups": [4, 1, 1], "push": [1, 2, 3, 4],
                     "buffers": [{"bytes": 1024}, {"type": "uniform", "bytes": 64, "seed": 3},
                                 {"bytes": (1 << 20) + 4096, "seed": 4}, {"bytes": (1 << 20) + 4096, "seed": 5}]}
        self.compare(specs)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    harness.add_arguments(parser)
    names = ("texel_buffers", "images", "push_index", "indirect", "subgroup", "transfers")
    parser.add_argument("names", nargs="*", help=f"features (default: all of {', '.join(names)})")
    args = parser.parse_args()
    simulator = harness.simulator(args)
    with tempfile.TemporaryDirectory(prefix="v3dsim-features-") as temporary:
        features = Features(simulator, Path(temporary))
        for name in args.names or names:
            getattr(features, name)()
    print(f"{features.failed} failed")
    return bool(features.failed)


if __name__ == "__main__":
    sys.exit(main())
