import { orderSizeProblem } from '@tickwright/sandbox'
import { and, eq, sql } from 'drizzle-orm'
import { AppError } from '../base/errors.ts'
import type { Db } from '../db/database.ts'
import { aiSpending, type approvals, llmSettings, strategies, strategyState } from '../db/schema.ts'
import { typeName } from '../db/strategy-types.ts'
import { isExitAfterExit } from '../signals/exit-after-exit.ts'
import { splitSymbols } from '../signals/symbol-list.ts'

/** The action as the model requested it, by the rules of that time. */
type Asked = Pick<
  typeof approvals.$inferSelect,
  'strategyId' | 'action' | 'symbols' | 'options' | 'createdAt'
>

type Rules = Awaited<ReturnType<typeof readRules>>

/**
 * Checks a pending action by the current rules, which its owner may have tightened since the model requested it. The
 * caller has locked the strategy's row, so that the rules cannot change.
 * @throws {AppError} 409, which names the rule; the approval stays pending
 */
export async function demandAllowed(tx: Db, asked: Asked): Promise<void> {
  demandSize(asked)
  const rules = await readRules(tx, asked)
  const broken = brokenRule(rules, asked)
  if (broken === undefined) return
  const one = rules === undefined ? 'strategy' : typeName(rules.type)
  throw new AppError('resource_conflict', `The action cannot be sent: ${one} ${asked.strategyId} ${broken}.`)
}

/** @throws {AppError} 409 for a size that no order can have. Older versions let a model request it. */
function demandSize({ options: { size } }: Asked): void {
  const problem = size === undefined ? null : orderSizeProblem(size)
  if (problem === null) return
  throw new AppError('resource_conflict', `The action cannot be sent: its size ${problem}.`)
}

async function readRules(tx: Db, { strategyId, createdAt }: Asked) {
  const [rules] = await tx
    .select({
      type: strategies.type,
      status: strategies.status,
      sendSignal: strategies.sendSignal,
      symbol: strategies.symbol,
      actions: llmSettings.actions,
      maxSize: llmSettings.maxSize,
      actionsPerDay: llmSettings.actionsPerDay,
      needsApproval: llmSettings.needsApproval,
      isSuspended: sql<boolean>`coalesce(${strategyState.suspendedUntil} > clock_timestamp(), false)`,
      lastAction: strategyState.lastAction,
      spentActions: aiSpending.actions,
    })
    .from(strategies)
    .innerJoin(llmSettings, eq(llmSettings.strategyId, strategies.id))
    .innerJoin(strategyState, eq(strategyState.strategyId, strategies.id))
    // The action counts for the day on which the model requested it.
    .leftJoin(
      aiSpending,
      and(eq(aiSpending.strategyId, strategies.id), eq(aiSpending.day, createdAt.toISOString().slice(0, 10))),
    )
    .where(eq(strategies.id, strategyId))
  return rules
}

/** The rest of a sentence that begins "AI session 7", or `undefined` if the action may be sent. */
function brokenRule(rules: Rules, { action, symbols, options }: Asked): string | undefined {
  if (rules === undefined) return 'no longer exists'
  if (rules.status !== 'ACTIVE') return 'is INACTIVE'
  if (rules.isSuspended) return 'is SUSPENDED'
  if (!rules.sendSignal) return 'has send_signal off'
  if (!rules.needsApproval) return 'no longer needs approvals'
  if (!rules.actions.includes(action))
    return `may no longer send ${action}: its actions are ${rules.actions.join(', ') || 'none'}`
  const tooLarge = brokenSize(rules.maxSize, options.size)
  if (tooLarge !== undefined) return tooLarge
  const left = splitSymbols(rules.symbol)
  const gone = symbols.find((symbol) => !left.includes(symbol))
  if (gone !== undefined) return `no longer has the symbol ${gone}`
  if ((rules.spentActions ?? 0) > rules.actionsPerDay) {
    return `requested ${rules.spentActions} actions on that day; its actions_per_day is ${rules.actionsPerDay}`
  }
  if (isExitAfterExit(action, rules.lastAction)) {
    return 'has sent an EXIT last, and EXIT after EXIT is not permitted'
  }
  return undefined
}

/** Without a `max_size`, a model may choose no size at all. */
function brokenSize(maxSize: number | null, size: unknown): string | undefined {
  if (size === undefined) return undefined
  if (maxSize === null)
    return `no longer has a max_size, so it may not choose a size, but the size is ${size}`
  return Number(size) <= maxSize ? undefined : `has a max_size of ${maxSize}, but the size is ${size}`
}
