/** What a form proposes for an open position, and what a change of its protection changes. */

import { formatPrice, type Protected, type Protection, settingsInWords, usesRisk } from './words.ts'

/**
 * What the fields begin with: what protects the position now, so that to send it again changes little. Targets that are
 * reached are gone, and parts are of what it holds now. A stop that has moved is where it has moved to, unless multiples
 * are measured from where it was.
 */
export function proposalFor({ protection, size }: Protected): Protection | null {
  if (protection === null) return null
  const { settings, targets, state } = protection
  const ahead = settings.take_profit.slice(settings.take_profit.length - targets.length)
  const take_profit = ahead.map(({ at, part }, index) => ({
    at,
    part: partNow(part, Number(targets[index]!.size) / Number(size)),
  }))
  const isKept = state === 'CALLED_OFF' || !hasMoved(protection) || usesRisk(settings)
  return { ...settings, take_profit, stop_loss: isKept ? settings.stop_loss : protection.stop_price }
}

/** Figures of the market are rounded, which is no reason to show another part than what was asked for. */
function partNow(part: string, now: number): string {
  if (!Number.isFinite(now) || Math.abs(now - Number(part)) < 0.001) return part
  return String(Math.floor(Math.min(1, now) * 10_000) / 10_000)
}

function hasMoved({ stop_reason }: NonNullable<Protected['protection']>): boolean {
  return stop_reason === 'break_even' || stop_reason === 'trailing'
}

/** Whether the stop stands elsewhere than at what was asked for, and a change does not leave it there. */
export function stopMovesBack({ protection: before }: Protected, after: Protection | null): boolean {
  if (before === null || after === null || before.state === 'CALLED_OFF' || !hasMoved(before)) return false
  return after.stop_loss === null || Number(after.stop_loss) !== Number(before.stop_price)
}

/** Each part that changes, before and after. If none does, all that is asked for. */
export function changesInWords(
  { protection: before }: Protected,
  after: Protection | null,
): { name: string; from: string; to: string }[] {
  const now = before?.state === 'CALLED_OFF' ? null : before
  const former = settingsInWords(now?.settings ?? null)
  const words = settingsInWords(after).map(([name, to], index) => ({ name, from: former[index]![1], to }))
  if (now?.stop_price != null && hasMoved(now))
    words[0]!.from = `${formatPrice(now.stop_price)}, where it has moved`
  const changed = words.filter(({ from, to }) => from !== to)
  return changed.length > 0 ? changed : words.filter(({ to }) => to !== 'none')
}
