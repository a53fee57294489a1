import { type ActionName, orderSizeProblem } from '@tickwright/sandbox'
import { and, eq, sql } from 'drizzle-orm'
import { AppError } from '../base/errors.ts'
import type { Db } from '../db/database.ts'
import { aiSpending, type approvals, llmSettings, strategies, strategyState } from '../db/schema.ts'
import { typeName } from '../db/strategy-types.ts'
import { isExitAfterExit } from '../signals/exit-after-exit.ts'
import { splitSymbols } from '../signals/symbol-list.ts'

/** The action as the model requested it, by the rules of that time. */
type Asked = Pick<typeof approvals.$inferSelect, 'strategyId' | 'symbols' | 'options' | 'createdAt'> & {
  action: ActionName
}

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
  throw new AppError(
    'resource_conflict',
    `The action cannot be sent: ${nameOf(rules)} ${asked.strategyId} ${broken}.`,
  )
}

type AskedChange = {
  strategyId: number
  targetId: number
  kind: 'code' | 'status'
  createdAt: Date
}

/**
 * Checks a pending change by the current rules, and locks the AI strategy, so that its owner cannot change them meanwhile.
 * @throws {AppError} 409, which names the rule; the approval stays pending
 */
export async function demandChangeAllowed(tx: Db, asked: AskedChange): Promise<void> {
  const isAsker = eq(strategies.id, asked.strategyId)
  await tx.select({ id: strategies.id }).from(strategies).where(isAsker).for('share')
  const rules = await readRules(tx, asked)
  const broken = brokenChangeRule(rules, asked)
  if (broken === undefined) return
  throw new AppError(
    'resource_conflict',
    `The change cannot be made: ${nameOf(rules)} ${asked.strategyId} ${broken}.`,
  )
}

/** @throws {AppError} 409 for a size that no order can have. Older versions let a model request it. */
function demandSize({ options: { size } }: Asked): void {
  const problem = size === undefined ? null : orderSizeProblem(size)
  if (problem === null) return
  throw new AppError('resource_conflict', `The action cannot be sent: its size ${problem}.`)
}

async function readRules(tx: Db, { strategyId, createdAt }: Pick<Asked, 'strategyId' | 'createdAt'>) {
  const [rules] = await tx
    .select({
      type: strategies.type,
      status: strategies.status,
      sendSignal: strategies.sendSignal,
      symbol: strategies.symbol,
      actions: llmSettings.actions,
      maxSize: llmSettings.maxSize,
      actionsPerDay: llmSettings.actionsPerDay,
      tools: llmSettings.tools,
      mayChange: llmSettings.mayChange,
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
  const idle = whyIdle(rules)
  if (rules === undefined || idle !== undefined) return idle
  if (!rules.sendSignal) return 'has send_signal off'
  if (!rules.needsApproval) return 'no longer needs approvals'
  if (!rules.actions.includes(action))
    return `may no longer send ${action}: its actions are ${rules.actions.join(', ') || 'none'}`
  const tooLarge = brokenSize(rules.maxSize, options.size)
  if (tooLarge !== undefined) return tooLarge
  const left = splitSymbols(rules.symbol)
  const gone = symbols.find((symbol) => !left.includes(symbol))
  if (gone !== undefined) return `no longer has the symbol ${gone}`
  const overspent = whyOverspent(rules)
  if (overspent !== undefined) return overspent
  if (isExitAfterExit(action, rules.lastAction)) {
    return 'has sent an EXIT last, and EXIT after EXIT is not permitted'
  }
  return undefined
}

function brokenChangeRule(rules: Rules, { targetId, kind }: AskedChange): string | undefined {
  const idle = whyIdle(rules)
  if (rules === undefined || idle !== undefined) return idle
  const tool = kind === 'code' ? 'set_strategy' : 'set_strategy_status'
  if (!rules.tools.includes(tool)) return `no longer has the tool ${tool}`
  if (!rules.mayChange.includes(targetId)) return `may no longer change strategy ${targetId}`
  return whyOverspent(rules)
}

function whyIdle(rules: Rules): string | undefined {
  if (rules === undefined) return 'no longer exists'
  if (rules.status !== 'ACTIVE') return 'is INACTIVE'
  return rules.isSuspended ? 'is SUSPENDED' : undefined
}

function whyOverspent({ spentActions, actionsPerDay }: NonNullable<Rules>): string | undefined {
  if ((spentActions ?? 0) <= actionsPerDay) return undefined
  return `requested ${spentActions} actions on that day; its actions_per_day is ${actionsPerDay}`
}

function nameOf(rules: Rules): string {
  return rules === undefined ? 'strategy' : typeName(rules.type)
}

/** Without a `max_size`, a model may choose no size at all. */
function brokenSize(maxSize: number | null, size: unknown): string | undefined {
  if (size === undefined) return undefined
  if (maxSize === null)
    return `no longer has a max_size, so it may not choose a size, but the size is ${size}`
  return Number(size) <= maxSize ? undefined : `has a max_size of ${maxSize}, but the size is ${size}`
}
