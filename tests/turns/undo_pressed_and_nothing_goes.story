set tools.approvals.mode "off"
user mail Sam
model call mail_send {"text":"a"}
window mail_send
wait 5s
press undo
result NOT SENT. The user pressed Undo
model I did not send it.
done I did not send it.
prompt has NOT SENT
wait 30s
ran mail_send 0
