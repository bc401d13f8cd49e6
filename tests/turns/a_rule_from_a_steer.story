set tools.approvals.mode "off"
user look it up
model call slow_read {}
steer never send mail
model {"keys":["mail_send"],"rule":"never"}
model call mail_send {"text":"a"}
ask mail_send
answer deny
model Fine.
done Fine.
proposal never mail_send
