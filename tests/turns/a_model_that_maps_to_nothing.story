# No proposal from an answer that names none of the candidates; nothing asks then.
set tools.approvals.mode "off"
user never send mail
model I would never!
model call mail_send {"text":"a"}
model Sent.
done Sent.
proposal none
ran mail_send 1
