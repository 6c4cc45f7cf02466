/*
 * A library's probe fires in a thread that does not run: known facts of such a
 * thread are its own, others are refused by name where nothing else fires the
 * probe; and its thread is an argument that is a task.
 * @@needs: prog:known
 */
BEGIN { exit(0); }
