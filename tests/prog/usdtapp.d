/* SPDX-License-Identifier: BSD-2-Clause */
typedef struct request {
	int r_id;
	int r_len;
	char *r_path;
} request_t;

typedef struct reqinfo {
	int ri_id;
	int ri_twice;
	string ri_path;
} reqinfo_t;

translator reqinfo_t < request_t *R > {
	ri_id = *(int *)copyin((uintptr_t)&R->r_id, sizeof (int));
	ri_twice = 2 * *(int *)copyin((uintptr_t)&R->r_len, sizeof (int));
	ri_path = copyinstr(*(uintptr_t *)copyin((uintptr_t)&R->r_path,
	    sizeof (uintptr_t)));
};

provider usdtapp {
	probe start();
	probe request__start(int, char *, size_t);
	probe request__done(request_t *r) : (reqinfo_t *r, request_t *r);
	probe sizes(char, unsigned char, short, unsigned short, int,
	    unsigned int, long, unsigned long, unsigned long long);
	probe enabled(int);
	probe swapped(int a, char *b) : (char *b, int a);
};

#pragma D attributes Evolving/Evolving/Common provider usdtapp provider
#pragma D attributes Private/Private/Unknown provider usdtapp module
#pragma D attributes Private/Private/Unknown provider usdtapp function
#pragma D attributes Stable/Evolving/Common provider usdtapp name
#pragma D attributes Evolving/Stable/ISA provider usdtapp args
