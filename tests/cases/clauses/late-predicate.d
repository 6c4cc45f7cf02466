/*
 * A predicate may name variables that only the body of its clause assigns.
 * @@args: -q
 */
BEGIN /x == 0/ { x++; printf("x %d\n", x); }
BEGIN /!self->seen/ { self->seen = execname != ""; printf("seen\n"); }
BEGIN /this->n == 0 && a["k", 1] == NULL/
{
	if (x) {
		a["k", 1] = "v";
	}
	this->n = a["k", 1] == "v" ? 3 : 4;
	printf("n %d\n", this->n);
}
BEGIN /y++ == 0/ { printf("y %d\n", y); }
BEGIN { exit(0); }
