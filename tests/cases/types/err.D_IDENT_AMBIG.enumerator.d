/*
 * An enumerator that two enums of the kernel give different values.
 */
BEGIN { trace(TWICE); }
