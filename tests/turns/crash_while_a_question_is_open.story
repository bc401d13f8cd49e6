user mail Sam
model call mail_send {"text":"a"}
ask mail_send
crash
# asked again, under a new id
ask mail_send
ran mail_send 0
answer allow
model Sent.
done Sent.
ran mail_send 1
