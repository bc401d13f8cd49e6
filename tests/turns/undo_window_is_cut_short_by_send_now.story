set tools.approvals.mode "off"
user mail Sam
model call mail_send {"text":"a"}
window mail_send
press send_now
model Sent.
done Sent.
ran mail_send 1
