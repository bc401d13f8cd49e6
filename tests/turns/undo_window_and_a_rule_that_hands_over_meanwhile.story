set tools.approvals.mode "off"
user mail Sam
model call mail_send {"text":"a"}
window mail_send
set tools.approvals.rules {"mail_send":"hand_off"}
wait 11s
result "handed_off":true
model It is ready for you.
done It is ready for you.
ran mail_send 0
