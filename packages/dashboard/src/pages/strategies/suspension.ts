import { count, formatBytes, formatNumber } from '../../base/numbers.ts'
import { formatDuration } from '../../base/times.ts'

export type Suspension = { run_id: number; rule: string; limit: number; actual: number }

/** Each rule as a sentence with both figures. */
const sentences: Record<string, (limit: number, actual: number) => string> = {
  execution_time: (limit, actual) =>
    `took ${formatDuration(actual)}; at most ${formatDuration(limit)} are allowed`,
  memory: (limit) => `needed more than ${formatBytes(limit)} of memory`,
  storage_size: (limit, actual) =>
    `stored ${formatNumber(actual)} bytes; at most ${formatNumber(limit)} are allowed`,
  actions_per_run: (limit, actual) => `sent ${count(actual, 'action')}; at most ${limit} is allowed`,
  consecutive_exit: () => 'sent EXIT although its last action was EXIT',
  forbidden_identifier: () => 'had a forbidden identifier in its code',
  action_rate: (limit, actual) =>
    `asked for action ${formatNumber(actual)} of your account within one second; ${formatNumber(limit)} are allowed`,
}

/** What the run did that suspended its strategy, after the words “Run 7”. A rule of a newer service keeps its name. */
export function brokenRule({ rule, limit, actual }: Suspension): string {
  const sentence = sentences[rule]
  if (sentence !== undefined) return sentence(limit, actual)
  return `broke the rule ${rule}: ${formatNumber(actual)} of ${formatNumber(limit)}`
}
