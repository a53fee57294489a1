import type { ModelStrategies, WantedChange } from '../ai/strategy-tools.ts'
import { AppError } from '../base/errors.ts'
import type { StrategyChange } from '../db/schema.ts'
import type { ApprovalRequests, AskingRun } from './approval-requests.ts'
import type { Standing } from './standing.ts'
import type { KnownStrategy, StrategyChanges } from './strategy-changes.ts'

type Parts = {
  changes: StrategyChanges
  approvals: Pick<ApprovalRequests, 'askForChange' | 'changeAtOnce'>
  standing(strategyId: number): Promise<Standing | undefined>
}

/** The strategies that the model of one run may read and change. */
export function modelStrategies(
  { changes, approvals, standing }: Parts,
  run: AskingRun,
  userId: number,
): ModelStrategies {
  const seen = new Map<number, KnownStrategy>()
  let number = 0
  const read = async (id: number) => {
    const strategy = await changes.read(userId, id)
    if (strategy !== undefined) seen.set(id, strategy)
    return strategy
  }
  return {
    read,
    change: async (targetId, wanted) => {
      const known = seen.get(targetId) ?? (await read(targetId))
      if (known === undefined) return { problem: goneWords(targetId) }
      const problem = await changes.problemWith(userId, known, wanted)
      if (problem !== undefined) return { problem }
      // The owner may have changed the permissions since the model was asked.
      const now = await standing(run.strategyId)
      if (now === undefined || !now.isActive) throw new Error('The strategy was deactivated.')
      if (!mayMake(now, targetId, wanted)) return { problem: 'The owner no longer allows this.' }
      number += 1
      const change: StrategyChange = { ...wanted, etag: known.etag, version: known.version }
      const order = {
        userId,
        byId: run.strategyId,
        targetId,
        change,
        reason: `By the model of run ${run.id}`,
      }
      try {
        const isMade =
          !now.changeNeedsApproval &&
          (await approvals.changeAtOnce(run, number, targetId, change, async (tx) =>
            (await changes.needsPerson(tx, userId, targetId, wanted)) ? null : changes.makeIn(tx, order),
          ))
        if (!isMade) await approvals.askForChange(run, number, targetId, change)
        // After its own change, the model knows no tag any more.
        if (isMade) seen.delete(targetId)
        return { awaitsApproval: !isMade }
      } catch (error) {
        if (error instanceof AppError) return { problem: error.message }
        throw error
      }
    },
  }
}

function mayMake({ tools, mayChange }: Standing, targetId: number, { kind }: WantedChange): boolean {
  return (
    tools.includes(kind === 'code' ? 'set_strategy' : 'set_strategy_status') && mayChange.includes(targetId)
  )
}

export function goneWords(id: number): string {
  return `There is no code strategy or code reaction ${id}.`
}
