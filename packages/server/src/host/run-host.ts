import { type ActionResult, type LastTrigger, type RunHost, RunViolation } from '@tickwright/sandbox'
import type { Journal } from '../runs/journal.ts'
import type { HeldStrategy } from '../runs/leases.ts'
import type { QueuedRun } from '../runs/queued-run.ts'

export type HostParts = {
  journal: Journal
  /** Switches a strategy off for good; resolves once that is durable. */
  deactivate(strategyId: number, notify: boolean): Promise<void>
  /** Told of each signal that has been sent. */
  onSignal(strategy: HeldStrategy, signal: ActionResult): void
}

/** What a run finds when it calls out of the sandbox. `strategy` is brought up to date as the run goes on. */
export function runHost(parts: HostParts, strategy: HeldStrategy, run: QueuedRun): RunHost {
  return {
    action: async (action, options): Promise<ActionResult> => {
      // This very run was executed before, and what it then decided stands: one run, one signal.
      if (run.earlierSignal !== null) {
        const { id, action: sent, symbols, price, at, delivered } = run.earlierSignal
        return { id, action: sent, symbols, price, at, delivered }
      }
      if (action === 'EXIT' && strategy.lastTrigger.action === 'EXIT') {
        throw new RunViolation(
          { rule: 'consecutive_exit', limit: 1, actual: 2 },
          'EXIT after EXIT is not permitted.',
        )
      }
      const atMs = Date.now()
      const written = await parts.journal.write({
        kind: 'signal',
        runId: run.id,
        strategyId: strategy.id,
        claim: strategy,
        userId: strategy.userId,
        action,
        symbols: strategy.symbols,
        price: null,
        options,
        previousTrigger: strategy.lastTrigger,
        atMs,
      })
      if (written.status === 'lost' || written.id === null) {
        throw new Error('The action was not accepted: this run is being taken over by another node.')
      }
      const lastTrigger: LastTrigger = { action, price: null, at: atMs }
      strategy.lastTrigger = lastTrigger
      const { symbols } = strategy
      const signal = { id: written.id, action, symbols, price: null, at: atMs, delivered: false }
      parts.onSignal(strategy, signal)
      return signal
    },
    stop: async (notify) => {
      await parts.deactivate(strategy.id, notify)
      strategy.active = false
      return true
    },
  }
}
