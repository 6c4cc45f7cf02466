/*
 * A description has at most four fields.
 */
a:b:c:d:e { trace(1); }
