/*
 * A register is named by an integer.
 * @@needs: nothing
 */
BEGIN { trace(uregs["rip"]); }
