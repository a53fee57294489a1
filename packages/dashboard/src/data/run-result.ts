import type { Run } from '@tickwright/client'

const triggers: Record<string, string> = {
  webhook: 'Webhook',
  schedule: 'Schedule',
  tick: 'Price',
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
