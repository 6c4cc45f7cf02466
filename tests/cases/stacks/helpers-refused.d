/*
 * Helpers that the rules forbid are not used, and that is reported.  One that
 * copies much is used, and an error in it is counted.
 * @@needs: prog:helped
 */
pid$target:a.out:leaf:entry
/(this->mine = 4711) != 0/
{
	this->text = "mine";
	jstack(2, 64);
	printf("%d %s\n", this->mine, this->text);
}
