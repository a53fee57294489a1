import type { ChildProcess } from 'node:child_process'
import { subscribe } from 'node:diagnostics_channel'

/**
 * Makes the test process kill each test file that takes longer, and name it: `--test-timeout` ends a test, but not a file
 * whose code loops or keeps something open.
 */
export function limitFiles(limitMs: number): void {
  subscribe('child_process', (message) => {
    const { process: child } = message as { process: ChildProcess }
    const timer = setTimeout(() => {
      const file = child.spawnargs.find((argument) => argument.endsWith('.test.ts'))
      if (file === undefined) return
      process.stderr.write(`\n${file} did not end within ${limitMs / 1000} s and was killed.\n`)
      child.kill('SIGKILL')
    }, limitMs).unref()
    child.once('exit', () => clearTimeout(timer))
  })
}
