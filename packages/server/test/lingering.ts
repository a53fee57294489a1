/** Preloaded into test files: ends a file whose tests have ended, if something that they opened keeps it alive. */
import { after } from 'node:test'

const graceMs = Number(process.env.TEST_FILE_GRACE_MS ?? 60_000)

// The test runner preloads this too, and so do processes that a test starts with its own flags.
if (process.env.NODE_TEST_CONTEXT !== undefined && process.argv[1]?.endsWith('.test.ts')) {
  after(() => {
    setTimeout(() => {
      const open = process.getActiveResourcesInfo().join(', ')
      process.stderr.write(`The tests of ${process.argv[1]} have ended, but left open: ${open}.\n`)
      process.exit(1)
    }, graceMs).unref()
  })
}
