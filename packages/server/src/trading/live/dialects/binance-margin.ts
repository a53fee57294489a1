import type { MarginDialect } from './dialect.ts'
import { request } from './requests.ts'

type SymbolConfig = { symbol: string; marginType: string; leverage: string }

/**
 * Each symbol of Binance's USD-M futures has a leverage and a margin mode. The facts come from the pages "Symbol
 * Configuration", "Change Initial Leverage" and "Change Margin Type".
 */
export const binanceMargin: MarginDialect = {
  modeOf: 'symbol',
  read: async (account, { id: symbol }) => {
    const configs = await request<SymbolConfig[]>(account, 'fapiPrivateGetSymbolConfig', { symbol })
    const config = configs.find((one) => one.symbol === symbol)
    if (config === undefined) throw new Error('Binance did not say which leverage the symbol has.')
    return { leverage: config.leverage, mode: modes[config.marginType] ?? config.marginType.toLowerCase() }
  },
  setLeverage: async (account, { id: symbol }, _opening, leverage) => {
    await request(account, 'fapiPrivatePostLeverage', { symbol, leverage })
  },
  setMode: async (account, { id: symbol }, mode) => {
    const marginType = mode === 'cross' ? 'CROSSED' : 'ISOLATED'
    await request(account, 'fapiPrivatePostMarginType', { symbol, marginType }).catch((error: unknown) => {
      if (!isUnchanged.test(String(error))) throw error
    })
  },
}

const modes: Record<string, string | undefined> = { CROSSED: 'cross', ISOLATED: 'isolated' }
/** "No need to change margin type." */
const isUnchanged = /"code":\s*-4046\b/
