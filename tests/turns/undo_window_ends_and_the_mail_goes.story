set tools.approvals.mode "off"
user mail Sam
model call mail_send {"text":"a"}
window mail_send
ran mail_send 0
wait 11s
ran mail_send 1
model Sent.
done Sent.
rows user assistant(1) tool assistant
