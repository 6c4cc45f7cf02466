/*
 * A forbidden operation ends a helper, which is counted; a helper that knows
 * no name for a frame is no error.
 * @@needs: prog:helped
 */
pid$target:a.out:leaf:entry
/(this->mine = 4711) != 0/
{
	this->text = "mine";
	jstack(2, 64);
	printf("%d %s\n", this->mine, this->text);
}
