cat >classic.h <<'EOF'
#define PROBE(p, n) do { extern void __dtrace_##p##___##n(void); \
	__dtrace_##p##___##n(); } while (0)
#define PROBE2(p, n, a, b) do { \
	extern void __dtrace_##p##___##n(unsigned long, unsigned long); \
	__dtrace_##p##___##n((unsigned long)(a), (unsigned long)(b)); \
	} while (0)
#define SRV_QUERY_DONE_ENABLED() __dtraceenabled_srv___query__done(0)
extern int __dtraceenabled_srv___query__done(long);
extern void __dtrace_srv___many(int, int, int, int, int, int, int, int);
EOF
cat >a.c <<'EOF'
#include <stdio.h>
#include <stdlib.h>
#include "classic.h"
void other(const char *text, int n);
static void __attribute__((noinline)) many(int n)
{
	__dtrace_srv___many(n, n + 1, n + 2, n + 3, n + 4, n + 5, n + 6, n + 7);
	printf("%d\n", n);
}
int main(int argc, char **argv)
{
	PROBE(srv, begin);
	for (int i = 0; i < 3; i++)
		other(argv[1], i);
	many(argc);
	return 0;
}
EOF
cat >b.c <<'EOF'
#include <stdio.h>
#include "classic.h"
void other(const char *text, int n);
void other(const char *text, int n)
{
	if (SRV_QUERY_DONE_ENABLED())
		PROBE2(srv, query__done, text, n); /* a tail call */
	else
		puts("not enabled");
}
EOF
cat >s.d <<'EOF'
srv$target:::begin { trace(probename); trace(arg0 * 0); }
srv$target:::query-done { printf("%s %d %d", copyinstr((uintptr_t)args[0]),
    args[1], arg1 == args[1]); }
srv$target:::many { printf("%d %d %d", args[0], args[5], args[7]);
    @[stringof(probefunc), ufunc(ucaller)] = count(); }
EOF
build() {
	echo "--- $*"
	rm -f ./*.o prog out
	cc "$@" -c a.c b.c || return
	cp a.o before.o
	"$DTRACE" -G -s "$CASE" a.o b.o -o f.o || return
	cmp a.o before.o
	cc "$@" -o prog a.o b.o f.o || return
	./prog text
	"$DTRACE" -q -c "./prog text" -s s.d -o out >/dev/null
	sed 's/0x0*//; s/  */ /g' out
	"$DTRACE" -c "./prog x" -ln 'srv$target:::' 2>&1 |
	    awk '$2 ~ /^srv/ { print $3, $4, $5 }'
}
build -O2
build -O0 -static
build -O2 -fPIE -pie -Wl,--gc-sections -ffunction-sections -fcf-protection=full
build -O2 -fPIE -static-pie
build -O2 -fno-plt
# 32 bits, without a library
cat >d.c <<'EOF'
#include "classic.h"
void _start(void);
void _start(void)
{
	if (SRV_QUERY_DONE_ENABLED())
		PROBE2(srv, query__done, 32, 4);
	PROBE(srv, begin);
	__asm__ volatile("int $0x80" : : "a"(1), "b"(7));
}
EOF
cc -m32 -O1 -fno-pic -c d.c && "$DTRACE" -G -s "$CASE" d.o -o e.o &&
    ld -m elf_i386 -o prog32 d.o e.o && ./prog32
echo $?
"$DTRACE" -q -x substrate=kernel -c ./prog32 \
    -n 'srv$target:::query-done { printf("%d %d\n", arg0, args[1]); }
        srv$target:::begin { printf("%s\n", probename); }'
# a probe that the definition lacks is an error
cat >c.c <<'EOF'
#include "classic.h"
int main(void) { PROBE(srv, wrong); PROBE(unknown, probe); return 0; }
EOF
cc -c c.c
"$DTRACE" -G -s "$CASE" c.o -o g.o 2>&1
echo $?
# Oracle's headers ask by the address of a flag
cat >flag.c <<'EOF'
#include <stdint.h>
#include <stdio.h>
#include "classic.h"
extern void __dtraceenabled_srv___begin(uint32_t *flag);
#define SRV_BEGIN_ENABLED() ({ uint32_t enabled = 0; \
	__dtraceenabled_srv___begin(&enabled); enabled; })
int main(void)
{
	for (int i = 0; i < 3; i++) {
		if (SRV_BEGIN_ENABLED())
			PROBE(srv, begin);
		else
			puts("not enabled");
	}
	return 0;
}
EOF
for options in -O2 -O0 "-O2 -fno-plt" "-Os -fPIE -pie -fcf-protection"; do
	echo "--- a flag, $options"
	rm -f e.o
	cc $options -c flag.c && "$DTRACE" -G -s "$CASE" flag.o -o e.o &&
	    cc $options -o flag flag.o e.o && ./flag
	for substrate in kernel process; do
		"$DTRACE" -q -x substrate=$substrate -c ./flag -n '
		    srv$target:::begin { @ = count(); } END { printa("%@d\n", @); }'
	done
done
# two headers in one program, or in one object
cat >value.c <<'EOF'
extern int __dtraceenabled_srv___begin(void);
int value(void);
int value(void) { return __dtraceenabled_srv___begin() != 0; }
EOF
cc -O2 -c value.c
"$DTRACE" -G -s "$CASE" flag.o value.o -o e.o 2>&1
echo $?
cat >both.c <<'EOF'
__asm__(".globl flag; .type flag, @function; flag: sub $24, %rsp; "
    "lea 12(%rsp), %rdi; call __dtraceenabled_srv___begin; "
    "mov 12(%rsp), %eax; add $24, %rsp; ret; .size flag, . - flag");
__asm__(".globl val; .type val, @function; val: sub $8, %rsp; "
    "call __dtraceenabled_srv___begin; test %eax, %eax; "
    "add $8, %rsp; ret; .size val, . - val");
EOF
cc -c both.c
"$DTRACE" -G -s "$CASE" both.o -o e.o 2>&1
echo $?
# %rdi has an address by chance: the function must not store anything there
cat >chance.c <<'EOF'
#include <stdio.h>
#include <string.h>
extern int __dtraceenabled_srv___begin(void);
struct node { struct node *next; int v; };
struct big { long a[100]; };
int sum(struct node *p);
int sum(struct node *p)
{
	int s = 0;

	for (; p; p = p->next)
		s += p->v;
	return __dtraceenabled_srv___begin() ? -s : s;
}
int clear(struct big *b);
int clear(struct big *b)
{
	memset(b, 0, sizeof(*b));
	return __dtraceenabled_srv___begin() ? 1 : 0;
}
int main(void)
{
	struct node b = { 0, 3 }, a = { &b, 4 };
	struct { struct big b; int next; } x = { .next = 9 };

	printf("%d %d", sum(&a), clear(&x.b));
	printf(" %d\n", x.next);
	return 0;
}
EOF
for options in -O0 -Os -O1 -O2 "-O2 -march=x86-64-v3" -O3; do
	rm -f e.o
	cc $options -fno-inline -c chance.c &&
	    "$DTRACE" -G -s "$CASE" chance.o -o e.o &&
	    cc -o chance chance.o e.o && ./chance
done
# the names of macOS's generated headers are refused
cat >mac.c <<'EOF'
extern void begin(void) __asm__("___dtrace_probe$srv$begin$v1");
int main(void) { begin(); return 0; }
EOF
cc -c mac.c
"$DTRACE" -G -s "$CASE" mac.o -o e.o 2>&1
echo $?
