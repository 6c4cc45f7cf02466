"$DTRACE" -q -s /nonexistent/file.d 2>err
echo $?
grep -c "^dtrace: .*/nonexistent/file.d" err
