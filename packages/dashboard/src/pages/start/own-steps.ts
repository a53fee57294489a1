/** How far the user is with a strategy of their own, by what the service says. */

import type {
  AiReactionInList,
  AiSessionInList,
  CodeReactionInList,
  CodeStrategyInList,
  Signal,
  SignalBotInList,
} from '@tickwright/client'
import { isOfExample } from '../../data/example.ts'

/** What all kinds of strategies have in common. */
export type Strategy = Pick<
  CodeStrategyInList | CodeReactionInList | AiReactionInList | AiSessionInList,
  'id' | 'type' | 'name' | 'status' | 'send_signal' | 'webhook_id'
>
type Bot = Pick<SignalBotInList, 'id' | 'name' | 'mode' | 'status' | 'webhook_id'>

export type OwnSteps = {
  /** The strategy that has come furthest. */
  strategy: Strategy | undefined
  bot: Bot | undefined
  /** What keeps the second step from being done; `null`: nothing, or there is no strategy. */
  botProblem: 'sends-nothing' | 'no-bot' | null
  /** What keeps the third step from being done. */
  actProblem: 'strategy-off' | 'suspended' | 'bot-off' | 'no-signal' | 'not-followed' | null
  /** Why no bot followed the latest signal. */
  reason: string | null
  done: readonly [hasStrategy: boolean, hasBot: boolean, hasActed: boolean]
}

/** The strategy that the steps are about: one with a paper bot if there is any, else the newest. */
export function ownStrategy(strategies: readonly Strategy[], bots: readonly Bot[]): Strategy | undefined {
  const own = strategies.filter((strategy) => !isOfExample(strategy)).sort((one, other) => other.id - one.id)
  const followed = own.filter((strategy) => followerOf(strategy, bots) !== undefined)
  return followed.find(({ status }) => status === 'ACTIVE') ?? followed[0] ?? own[0]
}

/** The paper bot that gets the signals of a strategy, one that is on if there is any. */
function followerOf({ send_signal, webhook_id }: Strategy, bots: readonly Bot[]): Bot | undefined {
  if (!send_signal || webhook_id === null) return undefined
  const followers = bots.filter((bot) => bot.mode === 'paper' && bot.webhook_id === webhook_id)
  return followers.find(({ status }) => status === 'ACTIVE') ?? followers[0]
}

/** @param signals the latest ones of `strategy`, newest first */
export function ownSteps(
  strategy: Strategy | undefined,
  bots: readonly Bot[],
  signals: readonly Pick<Signal, 'bots' | 'reason'>[],
): OwnSteps {
  const bot = strategy && followerOf(strategy, bots)
  const hasActed = signals.some((signal) => signal.bots.some(({ status }) => status === 'DONE'))
  const latest = signals[0]
  return {
    strategy,
    bot,
    botProblem: strategy === undefined || bot !== undefined ? null : botProblemOf(strategy),
    actProblem: strategy && bot && !hasActed ? actProblemOf(strategy, bot, latest !== undefined) : null,
    reason: latest === undefined ? null : (latest.bots.find(({ reason }) => reason)?.reason ?? latest.reason),
    done: [strategy !== undefined, bot !== undefined, hasActed],
  }
}

function botProblemOf({ send_signal, webhook_id }: Strategy): 'sends-nothing' | 'no-bot' {
  return send_signal && webhook_id !== null ? 'no-bot' : 'sends-nothing'
}

function actProblemOf(strategy: Strategy, bot: Bot, hasSignal: boolean): NonNullable<OwnSteps['actProblem']> {
  if (strategy.status === 'SUSPENDED') return 'suspended'
  if (strategy.status !== 'ACTIVE') return 'strategy-off'
  if (bot.status !== 'ACTIVE') return 'bot-off'
  return hasSignal ? 'not-followed' : 'no-signal'
}
