/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * symbols: the CPU time that naming addresses takes; prints "NAME FIGURE"
 * lines.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "base/kallsyms.h"
#include "base/str.h"
#include "base/vec.h"
#include "consume/ksyms.h"
#include "sym/proc_maps.h"
#include "sym/usyms.h"

#define FRAMES 1000000
#define HOT 5000
#define LIBC "/lib/x86_64-linux-gnu/libc.so.6"

struct addrs {
	VEC(uint64_t) v;
};

static double
now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (double)ts.tv_sec * 1e3 + (double)ts.tv_nsec / 1e6;
}

/* Collect addresses from all mapped code, in no order. */
static void
collect(struct addrs *a, size_t n)
{
	struct proc_maps pm;
	struct err err = { 0 };
	uint64_t seed = 1;

	if (proc_maps_read(&pm, getpid(), &err) != 0)
		exit(1);
	while (a->v.n < n) {
		VEC_FOREACH(&pm.maps, map) {
			seed = seed * 6364136223846793005u + 1;
			if (map->is_exec && map->ino != 0)
				VEC_PUSH(&a->v,
				    map->start +
					(seed >> 20) % (map->end - map->start));
		}
	}
	proc_maps_fini(&pm);
}

static double
name_all(struct usyms *us, const struct addrs *a, size_t distinct)
{
	struct strbuf text = { 0 };
	double begin = now_ms();

	for (size_t i = 0; i < FRAMES; i++) {
		strbuf_reset(&text);
		usyms_format(us, getpid(), a->v.v[i % distinct], 1, &text);
	}
	strbuf_fini(&text);
	return now_ms() - begin;
}

static void
user_frames(void)
{
	struct sym_cache *sc = sym_cache_create();
	struct usyms *us = usyms_create(sc);
	struct addrs a = { 0 };

	collect(&a, FRAMES);
	printf("5,000-addresses %.0f ms\n", name_all(us, &a, HOT));
	printf("all-different %.0f ms\n", name_all(us, &a, FRAMES));
	VEC_FREE(&a.v);
	usyms_destroy(us);
	sym_cache_destroy(sc);
}

static bool
take(const struct ksymbol *sym, void *arg)
{
	struct addrs *a = arg;

	if (sym->addr != 0 && ksym_is_code(sym->type))
		VEC_PUSH(&a->v, sym->addr + 4);
	return false;
}

static void
kernel_frames(void)
{
	struct ksyms *ks = ksyms_create();
	struct strbuf text = { 0 };
	struct addrs a = { 0 };
	double begin;

	kallsyms_each(take, &a);
	begin = now_ms();
	for (size_t i = 0; i < FRAMES && a.v.n != 0; i++) {
		strbuf_reset(&text);
		ksyms_format(ks, a.v.v[i * 7919 % a.v.n], &text);
	}
	printf("kernel %.0f ms\n", now_ms() - begin);
	strbuf_fini(&text);
	VEC_FREE(&a.v);
	ksyms_destroy(ks);
}

static void
one_file(void)
{
	double begin, best = 1e9;
	struct err err = { 0 };

	for (int i = 0; i < 10; i++) {
		int fd = open(LIBC, O_RDONLY | O_CLOEXEC);
		struct elf_syms *es;

		begin = now_ms();
		es = fd >= 0 ? elf_syms_open(fd, LIBC, "", &err) : NULL;
		if (es != NULL && now_ms() - begin < best)
			best = now_ms() - begin;
		elf_syms_rele(es);
		if (fd >= 0)
			close(fd);
	}
	printf("libc %.2f ms\n", best);
}

static void
follow(void)
{
	struct sym_cache *sc = sym_cache_create();
	struct usyms *us = usyms_create(sc);
	struct err err = { 0 };
	double begin = now_ms();
	struct sideband *sb = sideband_open(&err);

	if (sb != NULL)
		usyms_follow(us, sb);
	printf("follow %.1f ms\n", now_ms() - begin);
	usyms_destroy(us);
	sideband_close(sb);
	sym_cache_destroy(sc);
}

int
main(void)
{
	user_frames();
	kernel_frames();
	one_file();
	follow();
	return 0;
}
