/** The health of one part. `ready` says whether the service can work with it now. */
export type PartHealth = { ready: boolean } & Record<string, unknown>
