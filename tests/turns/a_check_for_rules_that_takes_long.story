# The reply waits twenty seconds for the check; until it ends, what it weighs asks first.
set tools.approvals.mode "off"
set models.local_queue false
user never send mail
model slow w0 w1 w2 w3 w4 w5 w6 w7 w8 w9 w10 w11 w12 w13 w14 w15 w16 w17 w18 w19 w20 w21 w22 w23 w24 w25 w26 w27 w28 w29 {"keys":["mail_send"],"rule":"never"}
model call mail_send {"text":"a"}
ask mail_send
proposal none
wait 15s
proposal never mail_send
answer deny
model Not sent.
done Not sent.
ran mail_send 0
