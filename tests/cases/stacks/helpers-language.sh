src=${CASE%/*}/../../prog/helped.c
try() {
	echo "$1" >h.d
	"$DTRACE" -G -s h.d -o h.o && cc -O1 "$src" h.o -o program || exit 1
	"$DTRACE" -q -c "./program ${2:-1}" -s "$CASE" 2>&1 |
	    grep -e '\[' -e error
}
H=dtrace:helper:ustack:
L='this->r = strjoin(this->r, strjoin(" ", lltostr('
try "$H { this->a = (int64_t)arg1 - (int64_t)arg1 - 7; this->b = (int64_t)2; }
$H { this->r = \"@\"; $L this->a / this->b))); $L this->a % this->b)));
$L this->a >> 1))); $L (uint64_t)this->a >> 60)));
$L this->a << 2))); $L this->a * this->b))); $L ~this->a)));
$L (uint64_t)this->a / 3))); $L (uint64_t)this->a % 3)));
$L this->a & 15))); $L this->b | 9))); $L this->b ^ 3))); stringof(this->r) }"
try "$H { this->a = (int64_t)-1; this->b = (int64_t)1; this->r = \"@\";
$L this->a < this->b))); $L (uint64_t)this->a < (uint64_t)this->b)));
$L this->a <= this->b))); $L (uint64_t)this->a <= (uint64_t)this->b)));
$L this->a > this->b))); $L (uint64_t)this->a > (uint64_t)this->b)));
$L this->a >= this->b))); $L (uint64_t)this->a >= (uint64_t)this->b)));
$L this->a == this->b))); $L this->a != this->b)));
$L \"a\" < \"b\"))); $L \"a\" == \"b\"))); $L !this->a))); stringof(this->r) }"
try "$H { this->p = (char *)alloca(16); *(int *)this->p = -2; this->p[4] = 'x';
*(short *)(this->p + 6) = -3; *(uint64_t *)(this->p + 8) = 1;
this->q = (char *)alloca(16); bcopy(this->p, this->q, 16); this->r = \"@\";
$L *(int *)this->q))); $L *(unsigned int *)this->q))); $L this->q[4])));
$L *(short *)(this->q + 6)))); $L *(unsigned short *)(this->q + 6))));
$L *(unsigned char *)this->q))); $L *(uint64_t *)(this->q + 8)))); stringof(this->r) }"
try "$H { this->r = \"@\"; $L index(\"abcabc\", \"c\")))); $L rindex(\"abcabc\", \"c\"))));
$L index(\"abcabc\", \"c\", 3)))); $L htons(0x1234)))); $L ntohl(0x12345678))));
$L htonll(1)))); this->r = strjoin(this->r, strchr(\"a/b/c\", '/'));
this->r = strjoin(this->r, strrchr(\"a/b/c\", '/')); this->r = strjoin(this->r, strstr(\"frames\", \"am\"));
this->i = (ipaddr_t *)alloca(4); *this->i = 0x0100007f;
this->r = strjoin(this->r, inet_ntoa(this->i));
this->r = strjoin(this->r, inet_ntop(2, this->i)); stringof(this->r) }"
try "$H { pid == tid ? \"@one thread\" : \"@several\" } $H /uid == 1/ { \"@not this\" }
$H /arg0 == 0/ { \"@nor this\" }"
try "$H { n++; strjoin(\"@call \", lltostr(n)) }" 3
