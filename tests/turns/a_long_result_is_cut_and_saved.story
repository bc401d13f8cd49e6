user read the long one
model call long_read {}
model Done.
done Done.
prompt has [Result cut: this is only the first 6144 of 16000 characters. The full result is saved as files/outputs/tool-
