user send it
set tools.approvals.mode "off"
set tools.approvals.undo_seconds 0
model call slow_send {}
wait 2s
ran slow_send 1
crash
result not known whether it went through
model I do not know whether it was sent.
done I do not know whether it was sent.
ran slow_send 1
rows user assistant(1) tool assistant
