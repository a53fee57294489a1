import type { CcxtAccount, CcxtTradedMarket } from '../../../market/live/ccxt-trading.ts'
import type { MarginSetting } from '../../types.ts'
import { type MarginDialect, UnfitAccount } from './dialect.ts'
import { inDualMode } from './gate-account.ts'
import { request } from './requests.ts'

type Position = { leverage: string; cross_leverage_limit: string }

const settle = 'usdt'

/**
 * Each contract of Gate's USDT futures has a leverage and a margin mode. A leverage of 0 means cross margin, whose leverage has
 * another name. In dual mode, other paths say and set the same. The facts come from "Get single position information" and
 * "Update position leverage" of Gate's documentation.
 */
export const gateMargin: MarginDialect = {
  modeOf: 'symbol',
  read,
  setLeverage: async (account, market, { margin }, leverage) => {
    const mode = margin?.mode ?? (await read(account, market)).mode
    if (mode === null) throw new UnfitAccount(`${market.symbol}: ${noMode}`)
    await update(account, market, mode, String(leverage))
  },
  setMode: async (account, market, mode, { margin }) => {
    // Then both are set together.
    if (margin?.leverage != null) return
    const { leverage } = await read(account, market)
    if (leverage === null) throw new UnfitAccount(`${market.symbol}: ${noLeverage}`)
    await update(account, market, mode, leverage)
  },
}

async function update(
  account: CcxtAccount,
  { id: contract }: CcxtTradedMarket,
  mode: string,
  leverage: string,
) {
  const asked = mode === 'cross' ? { leverage: '0', cross_leverage_limit: leverage } : { leverage }
  const name = (await inDualMode(account))
    ? 'privateFuturesPostSettleDualCompPositionsContractLeverage'
    : 'privateFuturesPostSettlePositionsContractLeverage'
  await request(account, name, { settle, contract, ...asked })
}

const noLeverage =
  'Gate sets the margin mode of a contract together with its leverage, and the contract has none of its own. Name one in the bot (leverage).'
const noMode =
  'Gate has no margin mode for the contract yet, because the account has never had a position there. Name one in the bot (margin_mode).'

async function read(account: CcxtAccount, { id: contract }: CcxtTradedMarket): Promise<MarginSetting> {
  const position = await positionOf(account, contract)
  if (position === undefined) return { leverage: null, mode: null }
  if (Number(position.leverage) > 0) return { leverage: position.leverage, mode: 'isolated' }
  const { cross_leverage_limit: limit } = position
  // 0: it has no limit of its own.
  return { leverage: Number(limit) > 0 ? limit : null, mode: 'cross' }
}

/** `undefined` if the account has never had one. */
async function positionOf(account: CcxtAccount, contract: string): Promise<Position | undefined> {
  const asked = { settle, contract }
  try {
    if (!(await inDualMode(account))) {
      return await request<Position>(account, 'privateFuturesGetSettlePositionsContract', asked)
    }
    // Both sides of a contract have the same leverage.
    const name = 'privateFuturesGetSettleDualCompPositionsContract'
    return (await request<Position[]>(account, name, asked))[0]
  } catch (error) {
    if (String(error).includes('POSITION_NOT_FOUND')) return undefined
    throw error
  }
}
