import { type MarginDialect, UnfitAccount } from './dialect.ts'
import { request } from './requests.ts'

type Preference = { symbol: string; maxLeverage: string }

/**
 * Each contract of Kraken Futures has cross margin, or isolated margin with a leverage. With cross margin, there is no
 * leverage to set. The facts come from the pages "Get leverage settings" and "Set leverage setting".
 */
export const krakenFuturesMargin: MarginDialect = {
  modeOf: 'symbol',
  read: async (account, { id }) => {
    type Preferences = { leveragePreferences: Preference[] }
    const { leveragePreferences } = await request<Preferences>(account, 'privateGetLeveragepreferences')
    const own = leveragePreferences.find(({ symbol }) => symbol.toUpperCase() === id.toUpperCase())
    return own === undefined
      ? { leverage: null, mode: 'cross' }
      : { leverage: own.maxLeverage, mode: 'isolated' }
  },
  setLeverage: async (account, { id, symbol }, { margin }, leverage) => {
    if (margin?.mode !== 'isolated') throw new UnfitAccount(`${symbol}: ${onlyIsolated}`)
    await request(account, 'privatePutLeveragepreferences', {
      symbol: id.toUpperCase(),
      maxLeverage: leverage,
    })
  },
  setMode: async (account, { id, symbol }, mode, { margin }) => {
    if (mode === 'cross')
      await request(account, 'privatePutLeveragepreferences', { symbol: id.toUpperCase() })
    else if (margin?.leverage == null) throw new UnfitAccount(`${symbol}: ${onlyWithLeverage}`)
  },
}

const onlyIsolated =
  'Kraken Futures has a leverage only with isolated margin. Set the margin mode of the bot to isolated (margin_mode), or take its leverage away (leverage).'
const onlyWithLeverage =
  'Kraken Futures has isolated margin only with a leverage. Give the bot one (leverage), or take its margin mode away (margin_mode).'
