/*
 * Buffers are read at the rate that was set: nothing is printed in between,
 * though ticks wake dtrace; at the end comes the rest.  A buffer that fills is
 * read sooner, so that nothing is lost.
 */
BEGIN { printf("ready\n"); }
tick-50ms { printf("tick\n"); }
