import { type ActionName, type LastTrigger, RunViolation } from '@tickwright/sandbox'

/** @throws {RunViolation} for an `EXIT` after an `EXIT` */
export function refuseExitAfterExit(action: ActionName, lastTrigger: LastTrigger | undefined): void {
  if (action !== 'EXIT' || lastTrigger?.action !== 'EXIT') return
  throw new RunViolation(
    { rule: 'consecutive_exit', limit: 1, actual: 2 },
    'EXIT after EXIT is not permitted.',
  )
}
