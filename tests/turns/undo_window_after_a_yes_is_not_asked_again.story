user mail Sam
model call mail_send {"text":"a"}
ask mail_send
card has "kind":"email"
answer allow
window mail_send
wait 11s
model Sent.
done Sent.
ran mail_send 1
