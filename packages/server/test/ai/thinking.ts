import type { ActionName, ActionOptions, ActionResult, LastTrigger } from '@tickwright/sandbox'
import { MemoryBudgets, RunBudget } from '../../src/ai/budget.ts'
import type { ThinkHost } from '../../src/ai/gate.ts'
import type { ModelMarket } from '../../src/ai/market-tools.ts'
import { ProviderHttp } from '../../src/ai/provider-http.ts'
import { Providers } from '../../src/ai/providers.ts'
import { parseTemplate, type Template } from '../../src/ai/template.ts'
import {
  type ThinkInput,
  type ThinkLimits,
  type ThinkOutcome,
  think,
  thinkLimits,
} from '../../src/ai/think.ts'
import { usualTools } from '../../src/ai/tools.ts'
import { NoSuchMarket } from '../../src/market/price-source.ts'
import { refuseExitAfterExit } from '../../src/signals/exit-after-exit.ts'
import type { StandIn } from './stand-in.ts'

/** A market with one symbol, whose price stays the same. */
const quietMarket: ModelMarket = {
  price: async ({ symbol }) => {
    if (symbol !== 'btc/usdt') throw new NoSuchMarket(`There is no symbol ${symbol}.`)
    return { price: 67_000, at: Date.UTC(2026, 0, 2) }
  },
  candles: async (_asked, count) =>
    Array.from({ length: count }, (_, index) => {
      const time = Date.UTC(2026, 0, 1) + index * 3_600_000
      return { time, open: 100, high: 102, low: 99, last: 101, volume: 5, done: index < count - 1 }
    }),
}

/** A host that records its calls, and enforces the rule that the host must enforce. */
export function recordingHost(lastTrigger: LastTrigger = none) {
  const actions: { action: ActionName; options: ActionOptions; storage: string | undefined }[] = []
  const host: ThinkHost = {
    action: async (action, options, storage): Promise<ActionResult> => {
      refuseExitAfterExit(action, lastTrigger?.action)
      actions.push({ action, options, storage })
      return { id: actions.length, action, symbols: ['btc/usdt'], price: 100, at: 1, delivered: false }
    },
    positions: async () => [],
    http: async () => ({ status: 404, text: 'Nothing is here.', cache: false }),
    price: async ({ pair }) => (pair === 'btc/usdt' ? 67_000 : null),
    market: quietMarket,
    logs: { signals: async () => [], errors: async () => [] },
    strategies: { read: async () => undefined, change: async () => ({ problem: 'There is none.' }) },
  }
  return { host, actions }
}

export const none: LastTrigger = { action: null, price: null, at: null }

export function template(text: string): Template {
  const { template: read, problems } = parseTemplate(text)
  if (read === undefined) throw new Error(JSON.stringify(problems))
  return read
}

/** Sends requests to stand-ins, and to nothing else on this machine. */
export function providersFor(...standIns: readonly Pick<StandIn, 'host'>[]): Disposable & {
  http: ProviderHttp
  providers: Providers
} {
  const allow = standIns.map(({ host }) => host)
  const http = new ProviderHttp({ publicUrl: 'http://service.example', allow })
  return { http, providers: new Providers(http), [Symbol.dispose]: () => http.close() }
}

export type Thought = ThinkOutcome & { actions: ReturnType<typeof recordingHost>['actions'] }

type RunOptions = Partial<Omit<ThinkInput, 'values'>> & {
  data?: string
  storage?: string | null
  lastTrigger?: LastTrigger
  streaming?: boolean
  /** Default: a new one. */
  providers?: Pick<Providers, 'ask'>
  limits?: Partial<ThinkLimits>
}

/** One run of a reaction that asks `provider`. */
export async function thinkWith(
  provider: StandIn,
  {
    data = '{}',
    storage = null,
    lastTrigger = none,
    streaming = false,
    limits = {},
    ...options
  }: RunOptions = {},
): Promise<Thought> {
  const fallback = options.fallback ?? null
  const hosts = [provider, ...(fallback === null ? [] : [{ host: new URL(fallback.baseUrl!).host }])]
  using asked = providersFor(...hosts)
  const { host, actions } = recordingHost(lastTrigger)
  const values = { data, headers: {}, ip: '203.0.113.7', lastTrigger, storage, now: new Date() }
  const outcome = await think(
    options.providers ?? asked.providers,
    {
      connection: provider.access(streaming),
      template: template('Decide on this: {{data}}'),
      policy: { actions: ['LONG', 'SHORT', 'EXIT'], maxSize: 1_000, tools: usualTools, mayChange: [] },
      budget: endless(),
      secrets: [],
      drawChart: null,
      ...{ host, values, ...options, fallback },
    },
    { ...thinkLimits, ...limits },
  )
  return { ...outcome, actions }
}

/** A budget that no test uses up. */
export function endless(): RunBudget {
  const limits = { tokens: 1e12, actions: 1e6 }
  return new RunBudget(new MemoryBudgets(), { strategyId: 1, limits, now: new Date() })
}
