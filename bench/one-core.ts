import { existsSync, readFileSync } from 'node:fs'

const tasksetPath = '/usr/bin/taskset'

/**
 * The start of a command line that keeps a program and its children on one core: the last one that this process may
 * use. Empty if that is not possible.
 */
export const onOneCore: readonly string[] = existsSync(tasksetPath)
  ? [tasksetPath, '--cpu-list', lastCore(readFileSync('/proc/self/status', 'utf8'))]
  : []

/** From a list such as `0-3,6`. */
function lastCore(status: string): string {
  return /^Cpus_allowed_list:.*?(\d+)$/m.exec(status)![1]!
}
