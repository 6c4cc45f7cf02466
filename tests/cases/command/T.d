/*
 * -T prints a type as D would declare it, with offsets and sizes; a script's
 * own types, too.
 * @@needs: nothing
 */
struct inner {
	char text[5];
	struct inner *next;
};

typedef struct outer {
	unsigned int low : 3;
	unsigned int high : 7;
	union {
		uint64_t whole;
		struct {
			uint32_t left, right;
		} half;
	};
	struct inner in[2];
	enum { RED, GREEN = 7, BLUE } color;
	int (*call)(struct inner *, int);
	void (*visit)(void (*)(int), ...);
	const char *const *names;
} outer_t;

typedef outer_t *outerp_t;

BEGIN { exit(0); }
