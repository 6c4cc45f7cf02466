/*
 * A program may stand on one line, or use any blanks.
 * @@args: -q
 */
BEGIN{printf("a\n");x=1;y=x+++2;printf("%d %d\n",x,y);exit(0);}
END{printf("z\n");}
