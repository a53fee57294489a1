import type { Run } from '@tickwright/client'

/** What can become of a run, as filters offer it. */
export const runStatusChoices = [
  { value: 'SUCCEEDED', text: 'Succeeded' },
  { value: 'FAILED', text: 'Failed' },
  { value: 'VIOLATION', text: 'Broke a rule' },
  { value: 'SKIPPED', text: 'Skipped' },
  { value: 'RUNNING', text: 'Running' },
  { value: 'QUEUED', text: 'Queued' },
] as const

export type RunStatus = (typeof runStatusChoices)[number]['value']

export function isRunStatus(value: unknown): value is RunStatus {
  return runStatusChoices.some((choice) => choice.value === value)
}

const triggers: Record<string, string> = {
  webhook: 'Webhook',
  schedule: 'Schedule',
  tick: 'Price',
  manual: 'By hand',
  replay: 'Replay',
}

export function triggerText(trigger: string): string {
  return triggers[trigger] ?? trigger
}

type Result = Pick<Run, 'error' | 'violation' | 'signal_id' | 'approval_id' | 'log'>

/** What came of a run, in one line: its error, the rule that it broke, its signal, or the last line of its log. */
export function resultOf({ error, violation, signal_id, approval_id, log }: Result): string {
  if (violation !== null) return `Broke the rule ${violation.rule}: ${violation.actual} of ${violation.limit}`
  if (error !== null)
    return `${error.name}: ${error.message}${error.line === null ? '' : ` (line ${error.line})`}`
  if (approval_id !== null) return `Approval ${approval_id}`
  if (signal_id !== null) return `Signal ${signal_id}`
  return log?.trimEnd().split('\n').at(-1) ?? ''
}
