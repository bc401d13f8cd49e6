user list my files
model call terminal_run {"command":"ls"}
result turned off
ran command 0
model It is off.
done It is off.
