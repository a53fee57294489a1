/** What one part says of itself; `ready` is whether the service can work with it as it is. */
export type PartHealth = { ready: boolean } & Record<string, unknown>
