user hello
model Hi there.
done Hi there.
rows user assistant
title hello
shown has Hi there.
prompt has [Saturday, 10 October 2026, 09:00]
