# A library with DWARF, and a program without that is linked with it.
cat >shape.c <<'EOF'
struct shape { char name[24]; double area; } a_shape;
int sides;
EOF
cat >main.c <<'EOF'
extern int sides;
int main(void) { return sides; }
EOF
gcc -g -shared -fPIC -o libshape.so shape.c
gcc -o main main.c -L. -lshape -Wl,-rpath,"$PWD"
"$DTRACE" -q -c ./main -s "$CASE"
