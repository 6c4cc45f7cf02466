/*
 * fire() is for D libraries.
 */
BEGIN { fire("proc:::create", 1); }
