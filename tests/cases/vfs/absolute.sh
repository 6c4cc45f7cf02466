cat >work <<EOT
mkdir $PWD/dir
ln -s $PWD/dir $PWD/link
mv $PWD/link $PWD/moved
rm $PWD/moved
chmod 700 $PWD/dir
rmdir $PWD/dir
EOT
"$DTRACE" -q -s "$CASE" -c "sh work" "$PWD"
