user mail Sam
model call mail_send {"text":"a"}
ask mail_send
answer allow_session
model Sent.
done Sent.
user mail him again
model call mail_send {"text":"b"}
model Sent again.
done Sent again.
ran mail_send 2
