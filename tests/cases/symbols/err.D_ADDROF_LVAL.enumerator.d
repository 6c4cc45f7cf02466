/*
 * An enumerator is in no memory.
 */
BEGIN { trace(&`PIDTYPE_TGID); }
