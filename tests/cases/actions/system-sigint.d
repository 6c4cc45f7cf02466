/*
 * A signal that comes while system() runs ends the trace.
 */
BEGIN { system("kill -INT $PPID; echo sent"); }
END { printf("end"); }
