/** What the models of AI strategies want other strategies to be. */

import type { ApprovalInList } from '@tickwright/client'

export type Change = NonNullable<ApprovalInList['change']>

/** The change in a few words that a name follows: 'Replace the code of'. */
export function changeWords({ status }: Pick<Change, 'status'>): string {
  if (status === null) return 'Replace the code of'
  return status === 'ACTIVE' ? 'Switch on' : 'Switch off'
}
