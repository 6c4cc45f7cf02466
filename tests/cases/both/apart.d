/* -v tells which variables are shared, and of whom others are. */
int n, m;
string last;
char *where;
pid$target:a.out:step:entry { n = arg0; m++; own++; }
pid$target:a.out:other:entry { last = "other"; }
pid$target:libc.so.6:malloc:entry { at[arg0] = 1; }
pid$target:libc.so.6:free:entry { where = (char *)arg0; }
syscall::getpriority:entry /n && m/ { trace(last); trace(at[n]); trace(where); }
