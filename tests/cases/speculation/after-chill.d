/*
 * chill() records nothing: speculate() and commit() may follow it.
 * @@args: -q -w
 */
BEGIN { self->id = speculation(); }
BEGIN { chill(100); speculate(self->id); printf("speculative\n"); }
BEGIN { chill(100); commit(self->id); }
BEGIN { printf("done\n"); exit(0); }
