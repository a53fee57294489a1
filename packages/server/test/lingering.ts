/** Preloaded into test files: ends one whose tests have ended while something that they opened keeps it alive. */
import { after } from 'node:test'

const graceMs = Number(process.env.TEST_FILE_GRACE_MS ?? 20_000)

// The runner preloads this too, and so does what a test starts with the flags of its own process.
if (process.env.NODE_TEST_CONTEXT !== undefined && process.argv[1]?.endsWith('.test.ts')) {
  after(() => {
    setTimeout(() => {
      const open = process.getActiveResourcesInfo().join(', ')
      process.stderr.write(`The tests of ${process.argv[1]} have ended, but left open: ${open}.\n`)
      process.exit(1)
    }, graceMs).unref()
  })
}
