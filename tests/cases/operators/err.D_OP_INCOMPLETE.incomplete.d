/*
 * A struct that is not declared has no members.
 * @@needs: nothing
 */
struct nosuch_struct *p;
BEGIN { trace(p->x); }
