set tools.approvals.timeout_s 30
user mail Sam
model call mail_send {"text":"a"}
ask mail_send
wait 31s
result declined
model I was not allowed to.
done I was not allowed to.
ran mail_send 0
