user tell me
model hangs
wait 1s
stop
stopped 
rows user
user again
model Here.
done Here.
