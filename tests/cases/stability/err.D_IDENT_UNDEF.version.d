/*
 * Option version hides younger variables.
 * @@args: -x version=1.6.2
 * @@needs: nothing
 */
BEGIN { trace(cpu); }
