/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Every kind of type that C has, for readers of debug information.  Compiled
 * with DWARF of several versions and with CTF, it must give the same types.
 *
 * Its write() calls show two structs to a tracer.  With an argument, it waits
 * for the end of its standard input first.
 */
#include <complex.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum colour { RED, GREEN = 5, BLUE = -7 };
enum flags { F_LOW = 1, F_HIGH = 0x40000000 };
enum top { T_TOP = 0x80000000u }; /* gcc 12 leaves it out of CTF */
enum __attribute__((packed)) small { TINY, BIG = 200 };

struct point {
	int x, y;
};

typedef struct {
	char name[16];
	struct point at;
} place_t;

struct opaque;
struct node;
typedef struct node node_t;
typedef int visit_f(node_t *n, void *arg, ...);

struct node {
	node_t *next, **link;
	struct node *children[2][2];
	visit_f *visit;
	const char *text;
	struct opaque *hidden;
	volatile int hits;
	char *const restricted;
};

struct bits {
	unsigned low : 3;
	unsigned : 2;
	signed mid : 7;
	enum colour colour : 4;
	_Bool flag : 1;
	unsigned char byte;
	uint64_t wide : 40;
	uint64_t rest : 24;
};

union value {
	int8_t i8;
	uint16_t u16;
	int32_t i32;
	uint64_t u64;
	float f;
	double d;
	void *p;
};

struct nested {
	int before;
	struct {
		short a;
		union {
			long b;
			char c[5];
		};
	};
	struct {
		int in;
	} named;
	place_t place;
	union value value;
};

struct odd {
	char c;
	long double ld;
	_Complex float cf;
	_Complex double cd;
	_Complex long double cld;
	unsigned long ul;
	long long ll;
	unsigned long long ull;
	signed char sc;
	unsigned short us;
	__int128 huge;
	_Bool truth;
	enum small small;
	enum flags flags;
} __attribute__((packed));

struct flexible {
	size_t n;
	int items[];
};

struct large {
	char filler[10000];
	int last;
	unsigned bit : 1;
};

struct node a_node;
struct bits some_bits = { .low = 5,
	.mid = -3,
	.colour = GREEN,
	.flag = 1,
	.byte = 7,
	.wide = 0x123456789a,
	.rest = 0xabcdef };
struct nested a_nested = { .before = 11,
	.a = -2,
	.b = 77,
	.named = { 42 },
	.place = { "somewhere", { 3, 4 } } };
struct odd an_odd;
struct flexible *a_flexible;
struct large a_large = { .last = 99, .bit = 1 };
enum colour a_colour = BLUE;
/* with type units, gcc 12 loses one of two qualifiers */
const int *volatile a_pointer;
int (*table[4])(const char *, double);
static struct point corners[4][4] __attribute__((used));
/* gcc 12 writes the dimensions in the wrong order to CTF (its PR 114186) */
struct tensor {
	short v[2][3][5];
} a_tensor;
enum top a_top;
place_t *places;
va_list *args;

__attribute__((noinline)) void
wait_here(struct nested *n, struct bits *b)
{
	char c;

	__asm__ volatile("" ::"r"(n), "r"(b) : "memory");
	while (read(0, &c, 1) > 0)
		;
}

static int
visit(node_t *n, void *arg, ...)
{
	return n == arg;
}

int
main(int argc, char **argv)
{
	a_node.visit = visit;
	strncpy(corners[0][0].x == 0 ? a_nested.place.name : argv[0], "here",
	    sizeof(a_nested.place.name));
	if (argc > 1)
		wait_here(&a_nested, &some_bits);
	/* fails, but a tracer sees the arguments */
	if (write(-1, &a_nested, sizeof(a_nested)) < 0 &&
	    write(-2, &some_bits, sizeof(some_bits)) < 0)
		return a_node.visit(&a_node, &a_node) - 1;
	return 1;
}
