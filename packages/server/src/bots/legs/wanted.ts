/** What the legs of a position should be, by what the books know. */
import {
  type LegSteps,
  type WantedLeg,
  wantedLeg,
  wantedOco,
  wantedTargets,
} from '../../trading/protection/legs.ts'
import { wantedState } from '../../trading/protection/plan.ts'
import { isTooLong } from '../../trading/protection/unprotected.ts'
import type { LegsRow } from './store.ts'

/**
 * The legs that there should be.
 * @param now `keepsTargets`: whether targets rest at the exchange, too. `mayOco`: whether the stop may have one in its order
 */
export function wantedOf(
  { protection, account }: LegsRow,
  steps: LegSteps,
  { keepsTargets, mayOco }: { keepsTargets: boolean; mayOco: boolean },
): WantedLeg[] {
  // What the account holds beside the bot's part could be closed instead of it, so the service only watches.
  if (protection === null || account?.hasOthers === true) return []
  const { position, settings, marks } = protection
  const { stop } = wantedState(position, settings, marks)
  const stopLeg = stop === null ? null : wantedLeg(position, stop, steps)
  const targets = keepsTargets ? wantedTargets(position, settings, steps) : []
  if (stopLeg === null) return targets
  const oco = mayOco && steps.hasOco === true ? wantedOco(position, settings, marks, steps, stopLeg) : null
  return [{ ...stopLeg, oco }, ...targets]
}

/** Whether the exchange has refused the stop for too long, and nothing else is to be done first. */
export function mustClose({ protection, account, unprotected, unprotectedRules }: LegsRow): boolean {
  if (protection === null || protection.isClosing || unprotected === null) return false
  if (account === null || account.differs || account.hasOthers) return false
  return isTooLong({ ...unprotected, last: protection.lastLeg }, unprotectedRules, Date.now())
}
