/*
 * Memory that is not a helper's own ends it: the frame has no name, which is
 * counted, and the next frame's begins anew.
 * @@needs: prog:helped
 */
pid$target:a.out:leaf:entry
/(this->mine = 4711) != 0/
{
	this->text = "mine";
	jstack(2, 64);
	printf("%d %s\n", this->mine, this->text);
}
