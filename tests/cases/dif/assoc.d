/*
 * A tuple is pushed after the value is known, then the element is stored.
 */
BEGIN { m["k", pid] = 5; trace(m["k", 1]); }
