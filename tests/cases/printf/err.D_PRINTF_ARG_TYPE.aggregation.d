/*
 * printf() prints no aggregation.
 * @@needs: nothing
 */
BEGIN { @a = count(); printf("%d\n", @a); }
