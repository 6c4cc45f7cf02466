/*
 * Option version hides younger functions.
 * @@args: -x version=1.2.2
 * @@needs: nothing
 */
BEGIN { trace(htons(1)); }
