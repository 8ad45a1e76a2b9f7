// SPDX-License-Identifier: BSD-2-Clause
//
// A plugin of qemu-user: counts how often each translation block runs. At the end it writes to the file that COUNTS
// names where the program and its libraries lie ("map START END OFFSET PATH"), and a line for each block ("ADDRESS
// INSTRUCTIONS EXECUTIONS"). Debian has no header for plugins: what is used of it is declared here.
#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define API __attribute__((visibility("default")))

typedef uint64_t PluginId;
struct qemu_plugin_tb;
struct qemu_info_t;
void qemu_plugin_register_vcpu_tb_trans_cb(PluginId id, void (*callback)(PluginId, struct qemu_plugin_tb *));
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb, void (*callback)(unsigned, void *), int flags,
                                          void *opaque);
void qemu_plugin_register_atexit_cb(PluginId id, void (*callback)(PluginId, void *), void *opaque);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *tb);

API int qemu_plugin_version = PLUGIN_VERSION;

struct Block {
    uint64_t address, executions;
    size_t instructions;
    struct Block *next;
};

static struct Block *blocks;
static pthread_mutex_t blocks_mutex = PTHREAD_MUTEX_INITIALIZER;

static void executed(unsigned cpu, void *opaque) {
    (void)cpu;
    struct Block *block = opaque;
    __atomic_fetch_add(&block->executions, 1, __ATOMIC_RELAXED);
}

static void translated(PluginId id, struct qemu_plugin_tb *tb) {
    (void)id;
    struct Block *block = calloc(1, sizeof(*block));
    if (!block)
        abort();
    block->address = qemu_plugin_tb_vaddr(tb);
    block->instructions = qemu_plugin_tb_n_insns(tb);
    pthread_mutex_lock(&blocks_mutex);
    block->next = blocks;
    blocks = block;
    pthread_mutex_unlock(&blocks_mutex);
    const int no_registers = 0;
    qemu_plugin_register_vcpu_tb_exec_cb(tb, executed, no_registers, block);
}

static void write_maps(FILE *out) {
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[1024], path[1024];
    uint64_t start, end, offset;
    while (maps && fgets(line, sizeof(line), maps))
        if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64 " %*s %*s %1023s", &start, &end, &offset, path) == 4 &&
            path[0] == '/')
            fprintf(out, "map %" PRIx64 " %" PRIx64 " %" PRIx64 " %s\n", start, end, offset, path);
    if (maps)
        fclose(maps);
}

static void ended(PluginId id, void *opaque) {
    (void)id;
    FILE *out = fopen(opaque, "w");
    if (!out)
        return;
    write_maps(out);
    for (const struct Block *block = blocks; block; block = block->next)
        if (block->executions)
            fprintf(out, "%" PRIx64 " %zu %" PRIu64 "\n", block->address, block->instructions, block->executions);
    fclose(out);
}

API int qemu_plugin_install(PluginId id, const struct qemu_info_t *info, int argc, char **argv) {
    (void)info;
    (void)argc;
    (void)argv;
    char *path = getenv("COUNTS");
    if (!path)
        return 1;
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    qemu_plugin_register_atexit_cb(id, ended, path);
    return 0;
}
