/*
 * -h writes macros for each probe: its site and whether it is traced.
 * @@needs: nothing
 */
#define ident_t unsigned int

provider my_srv {
	probe start();
	probe query__start(const char *, ident_t);
	probe a__b__c(void);
	probe twelve(int, int, int, int, int, int, int, int, int, int, int,
	    int);
};
provider other {
	probe translated(int *a) : (int *a, int *a);
};
