/** Why a reaction was suspended, in words. */

import { count, formatBytes, formatNumber } from '../../base/numbers.ts'

export type Suspension = { rule: string; limit: number; actual: number }

export function suspensionText({ rule, limit, actual }: Suspension): string {
  switch (rule) {
    case 'storage_size':
      return `A run wanted to store ${formatBytes(actual)}; ${formatBytes(limit)} are allowed.`
    case 'actions_per_run':
      return `A run wanted to act ${count(actual, 'time')}; ${formatNumber(limit)} is allowed.`
    case 'action_rate':
      return `Your strategies wanted to act ${count(actual, 'time')} within a second; ${formatNumber(limit)} are allowed.`
    case 'consecutive_exit':
      return 'A run wanted to close a position again after an EXIT.'
    default:
      return `A run broke the rule ${rule}: ${formatNumber(actual)} of ${formatNumber(limit)}.`
  }
}
