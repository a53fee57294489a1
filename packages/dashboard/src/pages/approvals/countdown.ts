/** How much time is left to decide. */

/** @returns `14:59`, `1:02:03`; `0:00` once the time is over */
export function countdownText(leftMs: number): string {
  const seconds = Math.max(0, Math.ceil(leftMs / 1000))
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60)]
  const rest = String(seconds % 60).padStart(2, '0')
  return hours === 0 ? `${minutes}:${rest}` : `${hours}:${String(minutes).padStart(2, '0')}:${rest}`
}

/** The part of the time that is left, from 0 to 1. */
export function leftOf(createdAt: string, expiresAt: string, now: number): number {
  const [begin, end] = [Date.parse(createdAt), Date.parse(expiresAt)]
  if (!(end > begin)) return 0
  return Math.min(1, Math.max(0, (end - now) / (end - begin)))
}
