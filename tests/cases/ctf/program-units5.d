/*
 * Types of a program, by its file name: from its DWARF's type units.
 * @@args: -q
 * @@needs: root bpf prog:types_units5
 * @@run: $PROGS/types_units5
 */
syscall::write:entry
/pid == $target && (int)arg0 == -1/
{
	this->n = (struct types_units5`nested *)copyin(arg1,
	    sizeof (struct types_units5`nested));
	printf("%d %d %d %d ", this->n->before, this->n->a, this->n->b,
	    this->n->named.in);
	printf("%s %d %d\n", stringof(this->n->place.name),
	    this->n->place.at.x, this->n->place.at.y);
}

syscall::write:entry
/pid == $target && (int)arg0 == -2/
{
	this->b = (struct a.out`bits *)copyin(arg1, 16);
	printf("%d %d %d %d %d ", this->b->low, this->b->mid,
	    this->b->colour, this->b->flag, this->b->byte);
	printf("%x %x\n", this->b->wide, this->b->rest);
	exit(0);
}
