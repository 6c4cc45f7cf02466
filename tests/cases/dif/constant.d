/*
 * Constants fold, and small programs are two instructions.
 */
BEGIN { trace(2 * 3 + 1); trace(pid); }
