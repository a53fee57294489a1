import { type ActionResult, type RunHost, serviceWaitMs, violations } from '@tickwright/sandbox'
import type { HttpCall } from '../db/schema.ts'
import { untilReachable } from '../db/until-reachable.ts'
import type { StrategyPrices } from '../market/strategy-prices.ts'
import { type OutsideParts, outsideOf } from '../outgoing/outside.ts'
import { checkOptions, signalOptions } from '../signals/action-options.ts'
import { refuseExitAfterExit } from '../signals/exit-after-exit.ts'
import type { HeldStrategy } from './held-strategy.ts'
import type { Journal } from './journal.ts'
import type { QueuedRun } from './queued-run.ts'
import { setLastTrigger, switchOff } from './strategy-state.ts'

export type HostParts = {
  journal: Journal
  outside: OutsideParts
  prices: Pick<StrategyPrices, 'current' | 'latest' | 'ofAction'>
  /** Deactivates a strategy, and mails its owner if `notify`. Resolves once both are durable. */
  deactivate(strategyId: number, runId: number, notify: boolean): Promise<void>
  /** Called for each signal that was stored. */
  onSignal(strategy: HeldStrategy, signal: ActionResult): void
}

/**
 * The host of one run: the functions that its code calls outside the sandbox. They update the state of `strategy`.
 * `httpCalls` grows with each call of `$.Http`, and `signalId` knows the signal that was
 * stored: `undefined` while that is not certain.
 *
 * @param env the variables of the run
 * @param startPrice the price in `$.Price`, in quote currency; `null` without one
 */
export function runHost(
  parts: HostParts,
  strategy: HeldStrategy,
  run: QueuedRun,
  env: Record<string, string>,
  startPrice: number | null,
): { host: RunHost; httpCalls: readonly HttpCall[]; signalId: () => number | null | undefined } {
  const { claim, settings, state } = strategy
  const { httpCalls, ...outside } = outsideOf(parts.outside, settings.id, env)
  let signalId: number | null | undefined = run.earlierSignal?.id ?? null
  const host: RunHost = {
    checkOptions,
    action: async (action, given): Promise<ActionResult> => {
      // An earlier execution of this run sent a signal, which stands: a run has at most one signal.
      if (run.earlierSignal !== null) {
        const { id, action: sent, symbols, price, at, delivered } = run.earlierSignal
        return { id, action: sent, symbols, price, at, delivered }
      }
      refuseExitAfterExit(action, state.lastTrigger.action)
      const options = signalOptions(given)
      const atMs = Date.now()
      const price =
        startPrice === null
          ? await parts.prices.ofAction(settings)
          : (parts.prices.latest(settings) ?? startPrice)
      signalId = undefined
      const written = await parts.journal.write({
        kind: 'signal',
        runId: run.id,
        claim,
        userId: settings.userId,
        action,
        symbols: settings.symbols,
        price,
        options,
        previousTrigger: state.lastTrigger,
        atMs,
      })
      if (written.status === 'refused') {
        signalId = null
        throw violations.action_rate()
      }
      if (written.status === 'lost' || written.signal === null) {
        throw new Error('The action was not accepted, because another node takes over this run.')
      }
      setLastTrigger(state, { action, price, at: atMs })
      signalId = written.signal.id
      const { symbols } = settings
      const signal = { ...written.signal, action, symbols, price, at: atMs }
      parts.onSignal(strategy, signal)
      return signal
    },
    positions: () => untilReachable(() => parts.outside.positions(settings.id), { mostMs: serviceWaitMs }),
    candles: (request) => {
      const { id: strategyId, userId, exchangeId } = settings
      return parts.outside.candles.forCode({ strategyId, userId, exchangeId }, request)
    },
    stop: async (notify) => {
      await parts.deactivate(settings.id, run.id, notify)
      switchOff(state)
      return true
    },
    ...outside,
  }
  return { host, httpCalls, signalId: () => signalId }
}
