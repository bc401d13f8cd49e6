# One answer for an hour: other arguments, another chat, a restart; then it is over.
user mail Sam
model call mail_send {"text":"a"}
ask mail_send
card has "grant_minutes":60
answer allow_timed
model Sent.
done Sent.
grants 1
user and Ann
model call mail_send {"text":"b"}
model Sent too.
done Sent too.
crash
user and Bea
model call mail_send {"text":"c"}
model Sent to Bea.
done Sent to Bea.
wait 61m
grants 0
user and Cid
model call mail_send {"text":"d"}
ask mail_send
answer deny
result declined
model Not sent.
done Not sent.
ran mail_send 3
