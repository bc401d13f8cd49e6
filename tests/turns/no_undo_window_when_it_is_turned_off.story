set tools.approvals.mode "off"
set tools.approvals.undo_seconds 0
user mail Sam
model call mail_send {"text":"a"}
model Sent.
done Sent.
ran mail_send 1
