user hello
model hangs Once
wait 1s
crash
model Hello after the crash.
done Hello after the crash.
rows user assistant
