# SPDX-License-Identifier: BSD-2-Clause
"""Random compute programs in GLSL whose results every correct implementation computes to the same bytes.

Integers wrap (the remainder of negative numbers is left out: GLSL does not define it); floats stay in a range without
denormals, infinities and signed zeros that show, and only operations that IEEE rounds correctly are used on them;
invocations meet only through barriers and atomics whose order does not show."""
import random

# No workgroup of a single invocation: several of them share a batch, and the driver (25.0.7) takes what is loaded
# from shared memory at a constant place for the same in the whole batch.
SHAPES = [(16, 1, 1), (32, 1, 1), (64, 1, 1), (256, 1, 1), (8, 8, 1), (16, 16, 1), (20, 3, 1), (7, 5, 2), (63, 1, 1),
          (3, 1, 1)]
OUTPUTS = 4  # words that each invocation writes


class Generator:
    def __init__(self, seed: int):
        self.random = random.Random(seed)
        self.shape = self.random.choice(SHAPES)
        self.groups = (self.random.randint(1, 5), self.random.randint(1, 3), self.random.choice((1, 1, 2)))
        self.size = self.shape[0] * self.shape[1] * self.shape[2]
        self.total = self.size * self.groups[0] * self.groups[1] * self.groups[2]
        self.variables = {"uint": [], "int": [], "float": []}
        self.lines = []
        self.depth = 0
        self.names = 0
        self.loops = 0
        self.data_seed = self.random.getrandbits(32)
        self.push = [self.random.getrandbits(32) for _ in range(4)]

    # ---- expressions ----

    def pick(self, *choices):
        return self.random.choice(choices)

    def leaf(self, kind: str) -> str:
        variables = self.variables[kind]
        if variables and self.random.random() < 0.75:
            return self.random.choice(variables)
        if kind == "uint":
            return self.pick(f"{self.random.getrandbits(32)}u", f"{self.random.randrange(40)}u", "li", "gid",
                             "push.v[%d]" % self.random.randrange(4))
        if kind == "int":
            return self.pick(str(self.random.randrange(-20, 40)), f"int({self.random.getrandbits(32)}u)", "int(li)")
        return self.pick("0.5", "3.0", "-7.25", "float(li)", f"{self.random.randrange(-300, 300)}.0")

    def expression(self, kind: str, depth: int = 3) -> str:
        if depth == 0 or self.random.random() < 0.12:
            return self.leaf(kind)
        return getattr(self, "expression_" + kind)(depth - 1)

    def boolean(self, depth: int = 2) -> str:
        kind = self.pick("uint", "int", "float")
        operator = self.pick("<", "<=", ">", ">=", "==", "!=")
        simple = f"({self.expression(kind, depth)} {operator} {self.expression(kind, depth)})"
        if depth and self.random.random() < 0.3:
            return f"({simple} {self.pick('&&', '||', '^^')} {self.boolean(depth - 1)})"
        return simple if self.random.random() < 0.85 else f"!{simple}"

    def expression_uint(self, depth: int) -> str:
        a, b = self.expression("uint", depth), self.expression("uint", depth)
        return self.pick(
            lambda: f"({a} {self.pick('+', '-', '*', '^', '&', '|')} {b})",
            lambda: f"({a} {self.pick('<<', '>>')} ({b} & 31u))",
            lambda: f"({a} {self.pick('/', '%')} (({b} & 0x3ffu) + 1u))",
            lambda: f"({a} {self.pick('/', '%')} ({b} | 1u))",
            lambda: f"{self.pick('min', 'max')}({a}, {b})",
            lambda: f"clamp({a}, {self.random.randrange(100)}u, {self.random.randrange(100, 90000)}u)",
            lambda: f"({self.boolean(1)} ? {a} : {b})",
            lambda: f"uint({self.expression('int', depth)})",
            lambda: f"uint(abs({self.expression('float', depth)}))",
            lambda: f"bitfieldExtract({a}, {self.random.randrange(16)}, {self.random.randrange(1, 17)})",
            lambda: f"bitfieldInsert({a}, {b}, {self.random.randrange(16)}, {self.random.randrange(1, 17)})",
            lambda: f"bitfieldReverse({a})",
            lambda: f"uint(bitCount({a}))",
            lambda: f"uint(findMSB({a}) + findLSB({b}))",
            lambda: f"high_product({a}, {b})",
            lambda: f"carry({a}, {b})",
            lambda: f"~{a}",
            lambda: f"constant.v[({self.index(a)}) & 15u]",
            lambda: f"constant.v[{self.random.randrange(16)}]",
            lambda: f"input32[{self.random.randrange(self.total)}]",
            lambda: f"input32[({self.index(a)}) % {self.total}u]",
            lambda: f"uint(input8[({self.index(a)}) % {4 * self.total}u])",
            lambda: f"uint(input16[({self.index(a)}) % {2 * self.total}u])",
            lambda: f"input128[({self.index(a)}) % {max(self.total // 4, 1)}u].{self.pick('x', 'y', 'z', 'w')}",
            lambda: f"fold(input128[({self.index(a)}) % {max(self.total // 4, 1)}u])",
        )()

    def expression_int(self, depth: int) -> str:
        a, b = self.expression("int", depth), self.expression("int", depth)
        return self.pick(
            lambda: f"({a} {self.pick('+', '-', '*', '^', '&', '|')} {b})",
            lambda: f"({a} {self.pick('<<', '>>')} ({b} & 31))",
            lambda: f"({a} / (({b} & 0xff) + 1))",
            lambda: f"(({a} & 0x7fffffff) % (({b} & 0xff) + 1))",
            lambda: f"{self.pick('min', 'max')}({a}, {b})",
            lambda: f"{self.pick('abs', 'sign', '-', '~')}({a})",
            lambda: f"clamp({a}, {self.random.randrange(-300, 0)}, {self.random.randrange(0, 300)})",
            lambda: f"({self.boolean(1)} ? {a} : {b})",
            lambda: f"int({self.expression('uint', depth)})",
            lambda: f"int({self.expression('float', depth)})",
            lambda: f"int({self.pick('floor', 'ceil', 'trunc', 'roundEven')}({self.expression('float', depth)}))",
            lambda: f"bitfieldExtract({a}, {self.random.randrange(16)}, {self.random.randrange(1, 17)})",
            lambda: f"int(signed8[({self.index('uint(' + a + ')')}) % {4 * self.total}u])",
            lambda: f"int(signed16[({self.index('uint(' + a + ')')}) % {2 * self.total}u])",
        )()

    def expression_float(self, depth: int) -> str:
        a, b = self.expression("float", depth), self.expression("float", depth)
        return self.pick(
            lambda: f"bounded({a} {self.pick('+', '-', '*')} {b})",
            lambda: f"bounded({a} {self.pick('+', '-', '*')} {b})",
            lambda: f"{self.pick('min', 'max')}({a} + 0.25, {b})",
            lambda: f"{self.pick('abs', '-')}({a})",
            lambda: f"{self.pick('floor', 'ceil', 'trunc', 'roundEven')}({a})",
            lambda: f"clamp({a}, -64.0, 63.5)",
            lambda: f"({self.boolean(1)} ? {a} : {b})",
            lambda: f"float({self.expression('int', depth)} & 0xffff)",
            lambda: f"float(({self.expression('uint', depth)}) >> 12)",
            lambda: f"unpackHalf2x16(packHalf2x16(vec2(float({self.expression('int', depth)} & 0x7ff), 1.0))).x",
        )()

    def index(self, value: str) -> str:
        """An index that differs from lane to lane: in a branch the driver (25.0.7) may take an address that was loaded
        there for uniform, and lane 0's word for it, although lane 0 is switched off and has none. What the device does
        then is not documented."""
        return f"{value} + li"

    # ---- statements ----

    def line(self, text: str) -> None:
        self.lines.append("    " * (self.depth + 1) + text)

    def declare(self) -> None:
        kind = self.pick("uint", "uint", "int", "float")
        value = self.expression(kind, 3)
        self.names += 1
        name = f"{kind[0]}{self.names}"
        self.line(f"{'precise ' if kind == 'float' else ''}{kind} {name} = {value};")
        self.variables[kind].append(name)

    def assign(self) -> None:
        kind = self.pick("uint", "uint", "int", "float")
        if not self.variables[kind]:
            return self.declare()
        self.line(f"{self.random.choice(self.variables[kind])} = {self.expression(kind, 3)};")

    def block(self, count: int) -> None:
        """Statements in braces; what they declare goes out of scope."""
        saved = {kind: list(names) for kind, names in self.variables.items()}
        self.depth += 1
        for _ in range(count):
            self.statement()
        self.depth -= 1
        self.variables = saved

    def branch(self) -> None:
        self.line(f"if ({self.boolean()}) {{")
        self.block(self.random.randint(1, 3))
        if self.random.random() < 0.5:
            self.line("} else {")
            self.block(self.random.randint(1, 3))
        self.line("}")

    def loop(self) -> None:
        self.names += 1
        counter = f"n{self.names}"
        limit = self.pick(str(self.random.randint(1, 9)) + "u", f"({self.leaf('uint')} & 7u)")
        self.line(f"for (uint {counter} = 0u; {counter} < {limit}; {counter}++) {{")
        saved = {kind: list(names) for kind, names in self.variables.items()}
        self.loops += 1
        self.depth += 1
        for _ in range(self.random.randint(1, 2)):
            self.statement()
        if self.random.random() < 0.4:
            self.line(f"if ({self.boolean(1)}) {self.pick('break', 'continue')};")
        self.assign()
        self.depth -= 1
        self.loops -= 1
        self.variables = saved
        self.line("}")

    def switch(self) -> None:
        self.line(f"switch ({self.expression('uint', 2)} & 3u) {{")
        for case in range(self.random.randint(1, 3)):
            self.line(f"case {case}u: {{")
            self.block(1)
            self.line("}" + ("" if self.random.random() < 0.25 else " break;"))
        self.line("default: {")
        self.block(1)
        self.line("}")
        self.line("}")

    def array(self) -> None:
        """A local array indexed at run time: scratch memory on the device."""
        self.names += 1
        name, size = f"a{self.names}", self.random.choice((4, 8, 16))
        values = ", ".join(self.expression("uint", 1) for _ in range(size))
        self.line(f"uint {name}[{size}] = uint[{size}]({values});")
        self.line(f"{name}[{self.expression('uint', 1)} & {size - 1}u] = {self.expression('uint', 2)};")
        self.names += 1
        self.line(f"uint u{self.names} = {name}[{self.expression('uint', 1)} & {size - 1}u];")
        self.variables["uint"].append(f"u{self.names}")

    def exchange(self) -> None:
        """Every invocation leaves a word in shared memory and takes another one's."""
        self.names += 1
        self.line(f"shared_words[li] = {self.expression('uint', 2)};")
        self.line("barrier();")
        step, start = self.random.randrange(1, 999, 2), self.random.randrange(self.size)
        self.line(f"uint u{self.names} = shared_words[(li * {step}u + {start}u) % {self.size}u];")
        self.line("barrier();")
        self.variables["uint"].append(f"u{self.names}")

    def atomic(self) -> None:
        """Atomics of one kind on one word do not show their order."""
        operation, place = self.random.choice(list(enumerate(("Add", "Min", "Max", "And", "Or", "Xor"))))[::-1]
        target = self.pick("shared_sums", "sums.v")
        index = place if target == "shared_sums" else f"{place}u + 6u * ({self.leaf('uint')} & 3u)"
        self.line(f"atomic{operation}({target}[{index}], {self.expression('uint', 2)});")

    def statement(self) -> None:
        deep = self.depth >= 3
        kind = self.random.random()
        if kind < 0.35:
            self.declare()
        elif kind < 0.6 or deep:
            self.assign()
        elif kind < 0.74:
            self.branch()
        elif kind < 0.82 and self.loops < 2:
            self.loop()
        elif kind < 0.86:
            self.switch()
        elif kind < 0.92:
            self.array()
        elif kind < 0.97 or self.depth:
            self.atomic()
        else:
            self.exchange()

    def body(self) -> None:
        for _ in range(3):
            self.declare()
        for _ in range(self.random.randint(4, 12)):
            self.statement()
        if self.random.random() < 0.5:
            self.exchange()

    def outputs(self) -> None:
        for i in range(OUTPUTS):
            self.line(f"output32[gid * {OUTPUTS}u + {i}u] = {self.expression('uint', 2)} ^ {self.leaf('uint')};")
        precise = self.expression("float", 2)
        self.line(f"precise float last = {precise};")
        self.line(f"output32[gid * {OUTPUTS}u] += floatBitsToUint(last + 0.0);")
        self.line(f"output8[gid] = uint8_t({self.expression('uint', 2)} & 0xffu);")
        self.line(f"output16[gid] = uint16_t({self.expression('uint', 2)} & 0xffffu);")
        if self.random.random() < 0.4:
            self.line(f"output128[gid] = uvec4({', '.join(self.expression('uint', 1) for _ in range(4))});")

    def program(self) -> str:
        self.body()
        self.outputs()
        x, y, z = self.shape
        return HEAD % {"x": x, "y": y, "z": z, "size": self.size} + "\n".join(self.lines) + TAIL

    def spec(self, spirv: str, out: str) -> dict:
        total = self.total
        sizes = [4 * total, 4 * OUTPUTS * total, -(-total // 4) * 4, -(-total // 2) * 4, 16 * total, 96]
        buffers = [{"bytes": size, "seed": self.data_seed + i} for i, size in enumerate(sizes)]
        buffers.append({"type": "uniform", "bytes": 256, "seed": self.data_seed + 99})
        return {"spirv": spirv, "out": out, "groups": list(self.groups), "buffers": buffers, "push": self.push}


HEAD = """#version 450
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = %(x)d, local_size_y = %(y)d, local_size_z = %(z)d) in;
layout(std430, binding = 0) readonly buffer I32 { uint input32[]; };
layout(std430, binding = 0) readonly buffer I8 { uint8_t input8[]; };
layout(std430, binding = 0) readonly buffer I16 { uint16_t input16[]; };
layout(std430, binding = 0) readonly buffer S8 { int8_t signed8[]; };
layout(std430, binding = 0) readonly buffer S16 { int16_t signed16[]; };
layout(std430, binding = 0) readonly buffer I128 { uvec4 input128[]; };
layout(std430, binding = 1) buffer O32 { uint output32[]; };
layout(std430, binding = 2) buffer O8 { uint8_t output8[]; };
layout(std430, binding = 3) buffer O16 { uint16_t output16[]; };
layout(std430, binding = 4) buffer O128 { uvec4 output128[]; };
layout(std430, binding = 5) buffer Sums { uint v[24]; } sums;
layout(std140, binding = 6) uniform Constant { uint v[16]; } constant;
layout(push_constant) uniform Push { uint v[4]; } push;
shared uint shared_words[%(size)d];
shared uint shared_sums[6];

uint high_product(uint a, uint b) { uint high, low; umulExtended(a, b, high, low); return high; }
uint carry(uint a, uint b) { uint c; uint sum = uaddCarry(a, b, c); return sum ^ c; }
uint fold(uvec4 v) { return v.x + 3u * v.y ^ v.z - v.w; }
// Keeps a value in a range whose products stay far from overflow, and away from denormals and negative zero.
float bounded(precise float f) {
    precise float g = f;
    if (abs(g) > 65536.0) g = g * (1.0 / 65536.0);
    if (abs(g) > 65536.0) g = 511.0;
    return abs(g) < 0.0009765625 ? 0.0 : g;
}

void main() {
    uint li = gl_LocalInvocationIndex;
    uvec3 g3 = gl_NumWorkGroups;
    uint gid = ((gl_WorkGroupID.z * g3.y + gl_WorkGroupID.y) * g3.x + gl_WorkGroupID.x) * %(size)du + li;
    if (li < 6u) shared_sums[li] = li * 0x01010101u;
    barrier();
"""

TAIL = """
    barrier();
    if (li < 6u) atomicAdd(sums.v[6u * 3u + li], 0u);
    output32[gid * 4u + 3u] ^= shared_sums[li % 6u];
}
"""
