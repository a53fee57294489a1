import { orderSizeProblem } from '@tickwright/sandbox'
import { and, eq, sql } from 'drizzle-orm'
import { AppError } from '../base/errors.ts'
import type { Db } from '../db/database.ts'
import { aiSpending, type approvals, llmReactions, strategies, strategyState } from '../db/schema.ts'
import { isExitAfterExit } from '../signals/exit-after-exit.ts'
import { splitSymbols } from '../signals/symbol-list.ts'

/** What was asked for, by the rules of its time. */
type Asked = Pick<
  typeof approvals.$inferSelect,
  'strategyId' | 'action' | 'symbols' | 'options' | 'createdAt'
>

type Rules = Awaited<ReturnType<typeof readRules>>

/**
 * Holds an action that waits against the rules that are in force now, which its owner may have tightened since it was
 * asked for. It needs the row of the strategy held, which everybody holds who changes them.
 * @throws {AppError} 409 naming the rule, and then the approval waits on
 */
export async function demandWilling(tx: Db, asked: Asked): Promise<void> {
  demandSize(asked)
  const broken = brokenRule(await readRules(tx, asked), asked)
  if (broken === undefined) return
  throw new AppError(
    'resource_conflict',
    `The action cannot be sent: AI reaction ${asked.strategyId} ${broken}.`,
  )
}

/** @throws {AppError} 409 for a size that no order can have, which an older version let be asked for */
function demandSize({ options: { size } }: Asked): void {
  const problem = size === undefined ? null : orderSizeProblem(size)
  if (problem === null) return
  throw new AppError('resource_conflict', `The action cannot be sent: its size ${problem}.`)
}

async function readRules(tx: Db, { strategyId, createdAt }: Asked) {
  const [rules] = await tx
    .select({
      status: strategies.status,
      sendSignal: strategies.sendSignal,
      symbol: strategies.symbol,
      actions: llmReactions.actions,
      maxSize: llmReactions.maxSize,
      actionsPerDay: llmReactions.actionsPerDay,
      needsApproval: llmReactions.needsApproval,
      isSuspended: sql<boolean>`coalesce(${strategyState.suspendedUntil} > clock_timestamp(), false)`,
      lastAction: strategyState.lastAction,
      spentActions: aiSpending.actions,
    })
    .from(strategies)
    .innerJoin(llmReactions, eq(llmReactions.strategyId, strategies.id))
    .innerJoin(strategyState, eq(strategyState.strategyId, strategies.id))
    // The action counts for the day on which it was asked for.
    .leftJoin(
      aiSpending,
      and(eq(aiSpending.strategyId, strategies.id), eq(aiSpending.day, createdAt.toISOString().slice(0, 10))),
    )
    .where(eq(strategies.id, strategyId))
  return rules
}

/** What goes on "AI reaction 7 …", or `undefined` where the action may be sent. */
function brokenRule(rules: Rules, { action, symbols, options }: Asked): string | undefined {
  if (rules === undefined) return 'is gone'
  if (rules.status !== 'ACTIVE') return 'is INACTIVE'
  if (rules.isSuspended) return 'is SUSPENDED'
  if (!rules.sendSignal) return 'has send_signal off'
  if (!rules.needsApproval) return 'does not wait for approvals any more'
  if (!rules.actions.includes(action)) return `may not send ${action} any more, by its actions`
  const tooLarge = brokenSize(rules.maxSize, options.size)
  if (tooLarge !== undefined) return tooLarge
  const left = splitSymbols(rules.symbol)
  const gone = symbols.find((symbol) => !left.includes(symbol))
  if (gone !== undefined) return `does not have ${gone} among its symbols any more`
  if ((rules.spentActions ?? 0) > rules.actionsPerDay) {
    return `asked for ${rules.spentActions} actions on that day, and its actions_per_day is ${rules.actionsPerDay}`
  }
  if (isExitAfterExit(action, rules.lastAction)) {
    return 'has sent an EXIT last, and EXIT after EXIT is not permitted'
  }
  return undefined
}

/** Without a `max_size` a model may name no size at all. */
function brokenSize(maxSize: number | null, size: unknown): string | undefined {
  if (size === undefined) return undefined
  if (maxSize === null) return 'has no max_size any more, so that no size may be named'
  return Number(size) <= maxSize ? undefined : `has a max_size of ${maxSize}, and the size is ${size}`
}
