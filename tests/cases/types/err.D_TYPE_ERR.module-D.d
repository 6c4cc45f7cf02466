/*
 * Module D has no types but the program's.
 * @@needs: nothing
 */
BEGIN { trace(sizeof (struct D`task_struct)); }
