/*
 * Typedefs of pointers to functions, and extern prototypes, are read as in C.
 * @@args: -q
 */
typedef int (*fn_t)(int, char *, ...);
fn_t f;
extern int puts(const char *);
extern void none(void);
BEGIN { printf("%d %d\n", sizeof (fn_t), f == NULL); exit(0); }
