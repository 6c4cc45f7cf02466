/*
 * An inline that stands for a translation is used as a function, too.
 * @@args: -q
 */
typedef struct in { int i; } in_t;
typedef struct out { int o; } out_t;

translator out_t < in_t *P > {
	o = P->i + 1;
};

inline out_t translated[in_t *p] = xlate < out_t > (p);

BEGIN
{
	this->p = (in_t *)alloca(sizeof (in_t));
	this->p->i = 41;
	printf("%d %d\n", translated(this->p).o, translated[this->p].o);
	exit(0);
}
