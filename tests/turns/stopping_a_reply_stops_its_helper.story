user look into it
model call delegate_task {"goal":"Look into it"}
model hangs Hm
wait 5s
stop
stopped (stopped)
wait 5s
helper cancelled
