/*
 * Arrays, thread-local and clause-local variables and subroutines as DOF.
 * @@args: -q -e --dump=dof
 */
string names[int, string];
self int busy[string];

BEGIN
/strlen(execname) > 2 && !self->busy["x"]/
{
	this->s = strjoin(execname, "!");
	names[pid, this->s] = substr(this->s, 1, 2);
	self->busy["x"] = names[pid, this->s] == "tr";
	self->p = (char *)arg0;
	trace(*self->p);
}
