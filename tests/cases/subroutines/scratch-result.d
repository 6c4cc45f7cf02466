/*
 * A string that does not fit into what is left of the scratch space.
 * @@args: -q -x scratchsize=16
 */
BEGIN { trace(strjoin("12345678", "1234567")); }
BEGIN { trace(strjoin("12345678", "12345678")); }
BEGIN { exit(0); }
