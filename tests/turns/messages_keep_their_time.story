user one
model 1
done 1
wait 60m
user two
model 2
done 2
prompt has [Saturday, 10 October 2026, 09:00]
prompt has [Saturday, 10 October 2026, 10:00]
