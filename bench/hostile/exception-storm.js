for (let n = 0; n < 1_000; n++) {
  try {
    throw new Error('x'.repeat(1_000))
  } catch (error) {
    $.log(error.stack)
  }
}
throw new Error('x'.repeat(1_000_000))
