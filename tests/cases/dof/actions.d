/*
 * The file also has the types of print(), the sizes of printm() and the
 * operations of library actions.
 */
#pragma D option quiet
#pragma D option destructive

uintptr_t ref[2];

BEGIN
{
	print((uint16_t)513);
	print("text");
	ref[0] = (uintptr_t)curthread;
	ref[1] = 3;
	printm(2, ref);
	setopt("aggsortrev", "on");
	@[1] = sum(1);
	@[2] = sum(2);
	printa("%d\n", @);
	freopen("out.%d", 1);
	printf("in the file\n");
	ftruncate();
	printf("again\n");
	freopen("");
	exit(0);
}
