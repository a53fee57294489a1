/** An action that the strategy has sent, and what bots did with it. Sizes are in quote currency to open. */
export type SentSignal = {
  at: string
  action: string
  symbols: string[]
  size: number | null
  /** Why no bot took it; `null` if one did. */
  reason: string | null
  /** The first bots. `status` is `DONE`, `REFUSED` and so on. */
  bots: { bot_id: number; symbol: string; status: string; reason: string | null }[]
  more_bots: number
}

/** A run that failed or broke a rule. */
export type FailedRun = {
  at: string
  run_id: number
  status: string
  error: string | null
  violation: object | null
}

/** What a model may read of the past of its own strategy, the newest first. */
export type ModelLogs = {
  signals(count: number): Promise<SentSignal[]>
  errors(count: number): Promise<FailedRun[]>
}
