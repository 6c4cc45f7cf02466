/*
 * In headers, enumerators may be wider than int, as gcc has them.
 * @@args: -q -C
 */
#include <sys/epoll.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <math.h>

enum big { SMALL = 1, BIG = 0x100000000ULL, NEXT };
enum big b;
enum EPOLL_EVENTS e;

BEGIN
{
	printf("%u %x\n", EPOLLET, BPF_F_INDEX_MASK);
	printf("%x\n", PERF_TXN_ABORT_MASK);
	printf("%d %d\n", sizeof (enum EPOLL_EVENTS), sizeof (enum big));
	b = NEXT;
	e = EPOLLET;
	printf("%d\n", b == NEXT);
	print(e);
	printf("\n%x %d %d\n", b, sizeof (_Float128), sizeof (_Float32));
	exit(0);
}
