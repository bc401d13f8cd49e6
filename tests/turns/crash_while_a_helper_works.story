user look into it
model call delegate_task {"goal":"Look into it"}
model hangs Hm
wait 5s
crash
model I do not know how far it came.
result not known whether it went through
done I do not know how far it came.
helper error restarted while this helper was working
