/** Where the actions of an AI strategy go: what the user has to know before letting one act. */

import type { SignalBotInList } from '@tickwright/client'

export type Follower = Pick<
  SignalBotInList,
  | 'id'
  | 'name'
  | 'mode'
  | 'demo'
  | 'status'
  | 'webhook_id'
  | 'symbol'
  | 'amount'
  | 'amount_unit'
  | 'amount_in'
  | 'size_unit'
  | 'amount_currency'
  | 'strict_amount'
>

/** Where the actions of one strategy go. */
export type Target = {
  /** The user's bots that would get the signal now. */
  bots: readonly Follower[]
  /** Someone else shares the bot webhook with the user: bots of others may follow it too, which only they see. */
  hasOthers: boolean
  /** The strategy sends to a bot webhook at all. */
  hasWebhook: boolean
}

export type Routes = {
  /** The bot webhook of each AI strategy. */
  webhooks: ReadonlyMap<number, number | null>
  bots: readonly Follower[]
  /** Bot webhooks that others share with the user. */
  shared: ReadonlySet<number>
}

/** @returns `undefined` for a strategy that does not exist any more */
export function targetOf(strategyId: number, { webhooks, bots, shared }: Routes): Target | undefined {
  const webhookId = webhooks.get(strategyId)
  if (webhookId === undefined) return undefined
  return {
    bots: bots
      .filter(({ webhook_id, status }) => webhook_id === webhookId && status === 'ACTIVE')
      .sort(byRisk),
    hasOthers: webhookId !== null && shared.has(webhookId),
    hasWebhook: webhookId !== null,
  }
}

/** Money first: those are what a reader must not miss. */
function byRisk(one: Follower, other: Follower): number {
  return Number(isMoney(other)) - Number(isMoney(one)) || one.name.localeCompare(other.name)
}

function isMoney({ mode, demo }: Follower): boolean {
  return mode === 'live' && !demo
}

/** Whether real money moves if the action is sent, or may move where the user cannot see it. */
export function isAboutMoney({ bots, hasOthers }: Target): boolean {
  return hasOthers || bots.some(isMoney)
}
