user mail Sam
model call mail_send {"text":"a"}
ask mail_send
stop
stopped (stopped)
ran mail_send 0
user never mind
model Fine.
done Fine.
ran mail_send 0
