set tools.approvals.mode "off"
user mail Sam
model call mail_send {"text":"a"}
window mail_send
wait 3s
stop
stopped (stopped)
wait 60s
ran mail_send 0
user did it go?
model No.
done No.
prompt has NOT SENT. The user stopped the reply
