// Keeps the garbage collector's threads busy without using much memory.
let kept
for (;;) kept = Array.from({ length: 10_000 }, (_, index) => ({ index, text: `${index}` }))
