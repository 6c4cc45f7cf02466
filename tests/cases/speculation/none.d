/*
 * With nspec=0 no speculation can begin: the id is 0, and that is reported.
 * @@args: -q -x nspec=0
 */
BEGIN { trace(lltostr(4)); self->id = speculation(); trace(self->id); exit(0); }
