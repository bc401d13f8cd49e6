set tools.approvals.mode "off"
set tools.approvals.undo_seconds 0
user send it
model call slow_send {}
wait 2s
ran slow_send 1
crash
result not known whether it went through
model call slow_send {}
result it is not known whether it went through
model I do not know whether it was sent.
done I do not know whether it was sent.
ran slow_send 1
# once the person has spoken it is another matter
user then send it again
model call slow_send {}
wait 61s
model Sent.
done Sent.
ran slow_send 2
