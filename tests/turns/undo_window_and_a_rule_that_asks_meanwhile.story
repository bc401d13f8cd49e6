set tools.approvals.mode "off"
user mail Sam
model call mail_send {"text":"a"}
window mail_send
set tools.approvals.rules {"mail_send":"ask"}
# also after Send now
press send_now
ask mail_send
ran mail_send 0
answer allow
model Sent.
done Sent.
ran mail_send 1
