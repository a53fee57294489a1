/** The health of one part. `ready` says whether the service can work with it now. */
export type PartHealth = { ready: boolean } & Record<string, unknown>

/** Whether every part can work. */
export function isReady(parts: Record<string, PartHealth>): boolean {
  return Object.values(parts).every((part) => part.ready)
}
