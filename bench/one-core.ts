import { existsSync, readFileSync } from 'node:fs'

const tasksetPath = '/usr/bin/taskset'

/**
 * The beginning of a command line that keeps a program, with all that it starts, on one core: the last that this
 * process may use. Empty where that cannot be arranged.
 */
export const onOneCore: readonly string[] = existsSync(tasksetPath)
  ? [tasksetPath, '--cpu-list', lastCore(readFileSync('/proc/self/status', 'utf8'))]
  : []

/** From a list such as `0-3,6`. */
function lastCore(status: string): string {
  return /^Cpus_allowed_list:.*?(\d+)$/m.exec(status)![1]!
}
