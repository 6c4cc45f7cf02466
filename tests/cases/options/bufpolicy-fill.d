/*
 * bufpolicy=fill ends when a buffer is full.
 * On one CPU, 4096 bytes take 255 records of 16 bytes behind BEGIN's 16.
 */
BEGIN { i = 0; trace(i); printf("\n"); }
tick-1ms { i++; trace(i); printf("\n"); }
END { printf("end\n"); }
