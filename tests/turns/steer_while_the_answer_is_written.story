user tell me a story
model slow Once upon a time
wait 2s
steer shorter please
done The end.
model The end.
rows user assistant steer assistant
