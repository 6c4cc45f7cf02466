/*
 * A clause on a call that programs no longer make: the notice names the one that
 * they make, once, and only where nothing else fires the clause.
 */
BEGIN { exit(0); }
