set tools.approvals.mode "off"
user who is named on the page?
model call read_with_reader {"tool":"page_read","arguments":{"url":"https://a.example/x"},"fields":{"who":"email"}}
model {"who":"x@evil.example"}
model x@evil.example is.
result outside_content
done x@evil.example is.
user mail Sam hello
model call mail_send {"text":"hello"}
ask mail_send
answer deny
model Not sent.
done Not sent.
ran mail_send 0
