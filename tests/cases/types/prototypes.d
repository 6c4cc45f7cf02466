/*
 * Function prototypes are those of C: of the kernel's functions, in typedefs,
 * as targets of pointers, with parameters of any type, named or not.
 * @@args: -q
 */
int f(int);
extern long g(struct s *p, char *, ...);
void h(void);
typedef int (*compare_t)(const void *, const void *);
struct ops {
	int (*open)(struct ops *o, int flags);
	void (*close)(struct ops *);
	compare_t compare;
};
BEGIN
{
	printf("%d %d %d\n", sizeof (struct ops), sizeof (compare_t),
	    offsetof(struct ops, compare));
	printf("%d\n", ((int (*)(void))0) == NULL);
	exit(0);
}
