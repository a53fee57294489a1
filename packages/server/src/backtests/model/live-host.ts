/** What a model that a backtest asks can see and do: the market of that moment, and nothing that has an effect. */

import { chartDrawer } from '../../ai/chart-drawer.ts'
import type { ThinkHost } from '../../ai/gate.ts'
import type { ModelLogs } from '../../ai/log-tools.ts'
import type { ModelMarket } from '../../ai/market-tools.ts'
import type { ThinkInput } from '../../ai/think.ts'
import { NoSuchCandles } from '../../market/candles/candle-source.ts'
import type { ChartSettings } from '../../market/chart/chart-settings.ts'
import { Charts } from '../../market/chart/charts.ts'
import { NoSuchMarket, VenueUnreachable } from '../../market/price-source.ts'
import { type Decisions, serviceOf } from '../decide.ts'
import type { BacktestHost } from '../host.ts'
import type { MarketData } from '../market-data.ts'
import type { View } from '../runs.ts'

/** @param done what was decided until then */
export function modelHost(
  host: BacktestHost,
  { data, view, done }: { data: MarketData; view: View; done: Readonly<Decisions> },
): ThinkHost {
  return {
    action: (action, options) => host.action(action, options),
    positions: () => host.positions(),
    http: (request, signal) => host.http(request, signal),
    price: async ({ pair }) => (data.isSymbol(pair) ? view.price : null),
    market: marketAt(data, view),
    logs: logsOf(data, view, done),
    strategies: {
      read: async () => undefined,
      change: async () => ({ problem: 'A backtest changes no strategy.' }),
    },
  }
}

/** The chart of that moment. The name of the exchange is that of the settings, whichever the candles are from. */
export function drawerOf(data: MarketData, view: View, chart: ChartSettings | null): ThinkInput['drawChart'] {
  const market = marketAt(data, view)
  const charts = new Charts(
    {
      latest: async (_userId, { exchange, service = serviceOf(data.symbol) }, series, count) => {
        const found = await market.candles({ exchange, ...series }, count)
        return { venue: { exchange, service }, symbol: data.symbol, found }
      },
    },
    { nameOf: ({ exchange }) => exchange },
  )
  return chartDrawer(charts, 0, chart)
}

function marketAt(data: MarketData, { atMs, ended, price }: View): ModelMarket {
  return {
    price: async ({ symbol }) => {
      if (!data.isSymbol(symbol)) throw new NoSuchMarket(`This backtest has prices of ${data.symbol} only.`)
      if (price === null) throw new VenueUnreachable('No price is known at this moment of the backtest.')
      return { price, at: atMs }
    },
    candles: async ({ symbol, interval }, count) => {
      try {
        return data.candlesAt(ended, { symbol, interval, count, exchange: null, service: null })
      } catch (error) {
        throw new NoSuchCandles('interval', (error as Error).message)
      }
    },
  }
}

/** Bots follow only after all is decided, so an action has none. */
function logsOf(
  { symbol }: MarketData,
  { atMs: untilMs }: View,
  { signals, failures, violations }: Readonly<Decisions>,
): ModelLogs {
  const at = (atMs: number) => new Date(atMs).toISOString()
  return {
    signals: async (count) =>
      signals
        .filter(({ atMs }) => atMs <= untilMs)
        .slice(-count)
        .reverse()
        .map(({ atMs, action, options }) => ({
          ...{ at: at(atMs), action, symbols: [symbol], size: options.size ?? null },
          ...{ reason: null, bots: [], more_bots: 0 },
        })),
    errors: async (count) => {
      const failed = failures.map(({ run, atMs, error: { name, message } }) => ({
        ...{ run, atMs, status: 'FAILED', error: `${name}: ${message}`, violation: null },
      }))
      const violated = violations.map(({ run, atMs, violation }) => ({
        ...{ run, atMs, status: 'VIOLATION', error: null, violation },
      }))
      return [...failed, ...violated]
        .sort((a, b) => b.run - a.run)
        .slice(0, count)
        .map(({ run, atMs, ...rest }) => ({ at: at(atMs), run_id: run + 1, ...rest }))
    },
  }
}
