# SPDX-License-Identifier: BSD-2-Clause
"""tools/pi-report's figures as Markdown, and what is wrong in them."""

from statistics import median

THROTTLED_NOW, THROTTLED_SINCE_START = 0xF, 0xF0000  # bits of the firmware's get_throttled


def table(head: list[str], rows: list[list[object]]) -> list[str]:
    return [f"| {' | '.join(head)} |", "|---" * len(head) + "|", *(f"| {' | '.join(map(str, row))} |" for row in rows),
            ""]


def seen(figures: dict) -> str:
    """A line of what the machine did meanwhile."""
    names = {"v3d_mhz": "V3D {} MHz", "arm_mhz": "CPU {} MHz", "celsius": "{} °C"}
    parts = [text.format("–".join(f"{value:.0f}" for value in figures[name])) for name, text in names.items()
             if name in figures]
    if "throttled" in figures:
        parts.append("throttled" if int(figures["throttled"][1]) & THROTTLED_NOW else "not throttled")
    return ", ".join(parts)


def of_machine(facts: dict) -> list[str]:
    return table(["", ""], [[name.replace("_", " "), ", ".join(value) if isinstance(value, list) else value]
                            for name, value in facts.items()])


def of_exactness(codecs: dict) -> list[str]:
    return table(["codec", "streams exact", "failed", "skipped"],
                 [[codec, f.get("passed", f.get("error", "")), f.get("failed", ""), f.get("skipped", "")]
                  for codec, f in codecs.items()])


def of_memory(figures: dict) -> list[str]:
    if "error" in figures:
        return [figures["error"], ""]
    rows = [[name, *(f"{figures[key][rate] / 1e9:.1f}" for rate in ("read", "write", "copy"))]
            for name, key in (("plain", "plain"), ("dma-heap", "heap")) if figures[key]["read"]]
    cost = figures["synchronisation"]
    synchronised = (f"Synchronising a picture of {cost['bytes'] / 1e6:.1f} MB that the GPU has imported: begin "
                    f"{cost['begin_ns'] / 1e3:.0f} µs, "
                    f"end {cost['end_ns'] / 1e3:.0f} µs.") if cost else "The GPU imports no memory of a dma-heap."
    return [*table(["memory", "reads, GB/s", "writes", "copies"], rows), synchronised, ""]


def of_kernels(depths: dict) -> list[str]:
    lines = []
    for depth, figures in depths.items():
        if "error" in figures:
            lines += [f"{depth} bits: {figures['error']}", ""]
            continue
        lines += [f"{depth} bits, {figures['device']}: {figures['submit_seconds'] * 1e6:.0f} µs a submit, "
                  f"{figures['dispatch_seconds'] * 1e6:.0f} µs each further dispatch. {seen(figures['machine'])}", ""]
        lines += table(["kernel", "GPU, Mpixel/s", "with submit", "CPU's SIMD", "GPU by CPU", "exact"],
                       [[row["kernel"], *(f"{row[key] / 1e6:.1f}" for key in ("gpu", "gpu_wall", "simd")),
                         f"{row['ratio']:.2f}", row["problem"] or "yes"] for row in figures["kernels"]])
    return lines


def of_compiling(clips: dict) -> list[str]:
    return table(["first frames of", "caches empty, s", "full"],
                 [[name, f["error"], ""] if "error" in f else [name, f"{f['empty']:.1f}", f"{f['full']:.1f}"]
                  for name, f in clips.items()])


def of_decodes(plans: dict) -> list[str]:
    rows = []
    for plan, figures in plans.items():
        for row in figures.get("results", []):
            if row["problem"]:
                rows.append([row["stream"], row["cores"], plan, row["problem"], "", "", ""])
                continue
            fps, cpu = ({side: median(row[side][figure]) for side in ("stock", "daedalus")}
                        for figure in ("fps", "cpu_ms"))
            rows.append([row["stream"], row["cores"], plan, f"{fps['stock']:.1f}", f"{fps['daedalus']:.1f}",
                         f"{cpu['stock']:.1f}", f"{cpu['daedalus']:.1f}"])
        if "error" in figures:
            rows.append(["", "", plan, figures["error"], "", "", ""])
    lines = table(["stream", "cores", "plan", "stock, fps", "Daedalus", "stock, CPU ms a frame", "Daedalus"], rows)
    return lines + [f"Plan {plan}: {seen(f['machine'])}" for plan, f in plans.items()
                    if seen(f.get("machine", {}))] + [""]


SECTIONS = {"machine": ("The machine", of_machine), "exactness": ("Exactness", of_exactness),
            "memory": ("Memory", of_memory),
            "kernels": ("Kernels", of_kernels), "compiling": ("Compiling", of_compiling),
            "decodes": ("Whole decodes", of_decodes)}


def markdown(whole: dict) -> str:
    lines = ["# Daedalus on this machine", ""]
    for name, (title, of) in SECTIONS.items():
        if name in whole:
            lines += [f"## {title}", "", *of(whole[name])]
    return "\n".join(lines)


def problems(whole: dict) -> list[str]:
    found = [f"exactness, {codec}: {f.get('error') or str(f['failed']) + ' streams differ'}"
             for codec, f in whole.get("exactness", {}).items()
             if "error" in f or f.get("failed")]
    found += [f"memory: {whole['memory']['error']}"] if "error" in whole.get("memory", {}) else []
    for depth, figures in whole.get("kernels", {}).items():
        found += [f"kernels, {depth} bits: {figures['error']}"] if "error" in figures else []
        found += [f"kernel {row['kernel']}, {depth} bits: {row['problem']}" for row in figures.get("kernels", [])
                  if row.get("problem")]
    found += [f"first start, {name}: {f['error']}" for name, f in whole.get("compiling", {}).items() if "error" in f]
    for plan, figures in whole.get("decodes", {}).items():
        found += [f"decodes, plan {plan}: {figures['error']}"] if "error" in figures else []
        found += [f"{row['stream']}, plan {plan}: {row['problem']}" for row in figures.get("results", [])
                  if row["problem"]]
    return found
