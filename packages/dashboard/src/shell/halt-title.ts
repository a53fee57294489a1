import type { TradingSwitch } from '@tickwright/client'

/** What is halted, as a title. @param halted `undefined` if it is not known yet */
export function haltTitle(halted: TradingSwitch['halted'] | undefined): string {
  if (halted === false) return 'Trading goes on'
  return halted === 'openings' ? 'Openings are halted' : 'Trading is halted'
}
