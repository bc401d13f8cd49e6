set tools.approvals.mode "off"
user mail Sam
model call mail_send {"text":"a"}
window mail_send
set tools.approvals.rules {"mail_send":"never"}
wait 11s
result never use
model I may not.
done I may not.
ran mail_send 0
