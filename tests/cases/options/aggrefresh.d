/*
 * Where there is no terminal, aggrefresh shows nothing before the end.
 * @@args: -q -x aggrefresh=10ms
 */
BEGIN { @["key"] = sum(3); }
tick-200ms { printf("end\n"); exit(0); }
