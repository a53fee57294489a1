const line = 'x'.repeat(1_000)
for (;;) $.log(line)
