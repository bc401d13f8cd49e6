set tools.approvals.mode "off"
user mail Sam
model call mail_send {"text":"a"}
window mail_send
wait 3s
crash
result NOT SENT. Sentient stopped while this was waiting
model It was not sent. Shall I send it now?
done It was not sent. Shall I send it now?
wait 60s
ran mail_send 0
rows user assistant(1) tool assistant
