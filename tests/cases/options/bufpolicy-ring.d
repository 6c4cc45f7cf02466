/*
 * bufpolicy=ring hands over what it kept when tracing stops: after END began
 * nothing older than the buffer is there, and BEGIN's record is kept apart.
 * On one CPU, 4096 bytes keep 170 records of 16 and a word each.
 */
BEGIN { printf("begin\n"); i = 0; }
tick-1ms { i++; trace(i); printf("\n"); }
tick-1ms /i == 300/ { exit(0); }
END { printf("end %d\n", i); }
