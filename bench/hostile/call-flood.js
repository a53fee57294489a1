// Makes as many calls as a run may, and as many at once as it may.
for (let calls = 0; calls < 200; calls += 8) {
  await Promise.all(Array.from({ length: 8 }, () => $.Strategy.stop()))
}
