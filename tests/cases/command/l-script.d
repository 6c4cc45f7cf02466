/*
 * -l with a script lists what it would enable.
 */
BEGIN, END { trace(1); }
