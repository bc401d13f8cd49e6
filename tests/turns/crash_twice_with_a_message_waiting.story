user first
model hangs
wait 1s
crash
model hangs
wait 1s
steer the blue one
crash
model The blue one.
fails restarted while this reply was being written
done The blue one.
prompt has the blue one
rows user user assistant
