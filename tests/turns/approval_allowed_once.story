user mail Sam that I am late
model call mail_send {"text":"I am late"}
ask mail_send
ran mail_send 0
answer allow
result I am late
ran mail_send 1
model Sent.
done Sent.
rows user assistant(1) tool assistant
# once means once
user and again
model call mail_send {"text":"still late"}
ask mail_send
answer deny
result declined
ran mail_send 1
model Not sent.
done Not sent.
