user hello
model hangs
wait 1s
crash
model hangs
wait 1s
crash
fails restarted while this reply was being written
user hello
model Hi.
done Hi.
