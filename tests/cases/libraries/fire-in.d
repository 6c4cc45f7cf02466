/*
 * A library's probe fires in a thread that does not run: what is known of such a
 * thread is its own, what is not is refused by name where nothing else fires the
 * probe; and its thread is an argument that is a task.
 * @@needs: prog:known
 */
BEGIN { exit(0); }
