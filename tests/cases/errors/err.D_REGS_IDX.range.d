/*
 * There are 26 registers.
 * @@needs: nothing
 */
BEGIN { trace(uregs[26]); }
