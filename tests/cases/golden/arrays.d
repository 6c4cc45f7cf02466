/*
 * Compiled and saved: associative arrays with several keys, of this thread and
 * of all, with numbers, strings and structures.
 */
struct point {
	int x, y;
	char name[8];
};
struct point last[string, int];
string names[int];
self long seen[uint64_t];

BEGIN
{
	last["here", 1].x = 5;
	last["here", 1].y += last["here", 1].x << 3;
	names[4711] = strjoin("a", lltostr(-7, 10));
	self->seen[timestamp]++;
	self->seen[3] = self->seen[4] ? 1 : names[5] == "x";
	trace(last["here", 1].name[2]);
	names[5] = 0;
	exit(0);
}
