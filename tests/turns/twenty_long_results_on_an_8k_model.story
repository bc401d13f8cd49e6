set models.max_tool_rounds 40
set tools.repeated_call_limit 0
user read them all
model call long_read {}
model call long_read {}
model call long_read {}
model call long_read {}
model call long_read {}
model call long_read {}
model call long_read {}
model call long_read {}
model call long_read {}
model call long_read {}
model call long_read {}
model call long_read {}
model call long_read {}
model call long_read {}
model call long_read {}
model call long_read {}
model call long_read {}
model call long_read {}
model call long_read {}
model call long_read {}
model All read.
done All read.
ran long_read 20
prompt has read them all
