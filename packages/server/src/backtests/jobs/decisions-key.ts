import { randomBytes } from 'node:crypto'
import { serviceVersion } from '../../base/service-version.ts'
import type { BacktestPlan } from '../../db/schema.ts'
import type { Vault } from '../../secrets/vault.ts'
import { digestOf } from '../backtest.ts'
import type { CandleRange } from '../question.ts'
import { variesCode } from '../sweep/plan.ts'

type Decided = {
  code: string
  symbol: string
  env: Record<string, string>
  plan: BacktestPlan
  range: CandleRange
  /** A text that names the candles by their content. */
  candles: string
}

/** Names everything that the decisions of the code depend on, unless it asks what its bot holds. */
export function decisionsKey(
  vault: Pick<Vault, 'hash'>,
  { code, symbol, env, plan, range, candles }: Decided,
): Buffer {
  // What other servers answer, and what is recorded, may differ each time: nothing else has these decisions.
  if (plan.http === 'read' || plan.model !== undefined) return randomBytes(32)
  const { warmUp, end } = range
  const { parameters, seed, answers, storage, lastTrigger, deliveries, sweep } = plan
  const input = {
    ...{ code, symbol, env: { ...env, ...parameters }, seed, answers, storage, lastTrigger, deliveries },
    // Others cannot use what one of many sets of parameters decides.
    ...(sweep !== undefined && variesCode(sweep) ? { sweep } : {}),
  }
  const digest = digestOf({ serviceVersion, ...input, candles, warmUp, end })
  return vault.hash(digest, 'backtest decisions')
}
