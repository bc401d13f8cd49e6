user look into it
model call delegate_task {"goal":"Look into it"}
model hangs Hm
wait 5s
stop helper
model The helper was stopped.
result The helper was stopped.
done The helper was stopped.
helper cancelled
