user mail Sam
model call mail_send {"text":"a"}
ask mail_send
set tools.approvals.rules {"mail_send":"never"}
answer allow
result never use
ran mail_send 0
model It is switched off.
done It is switched off.
