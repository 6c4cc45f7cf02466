/*
 * The program's own types are those of module D, beside the kernel's of the
 * same name.
 * @@args: -q
 */
struct task_struct { int a; int b; };
typedef short word_t;
enum shade { PALE, DARK };

BEGIN
{
	printf("%d %d\n", sizeof (struct D`task_struct),
	    offsetof(struct D`task_struct, b));
	printf("%d %d\n", sizeof (D`word_t), sizeof (enum D`shade));
	printf("%d\n", sizeof (struct vmlinux`task_struct) > 100);
	this->p = (struct D`task_struct *)alloca(8);
	this->p->b = 7;
	printf("%d\n", this->p->b);
	exit(0);
}
