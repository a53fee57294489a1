/** An asset of the simulated market. */
export type Asset = {
  /** The level that its value moves around, in US dollars. */
  usd: number
  /** About how far it moves in a day, as a fraction of its price. */
  daily: number
  /** 32 bits that make its movements different from those of other assets. */
  seed: number
}

const coin = 0.03
const currency = 0.004
const stable = 0.0004

/** Plausible levels, rounded by hand, not those of any particular day. */
const known: Record<string, readonly [usd: number, daily: number]> = {
  BTC: [60_000, 0.025],
  ETH: [3_000, coin],
  BNB: [600, coin],
  SOL: [150, 0.04],
  XRP: [0.6, coin],
  ADA: [0.45, coin],
  DOGE: [0.12, 0.04],
  AVAX: [30, 0.04],
  LINK: [15, coin],
  DOT: [6, coin],
  LTC: [80, coin],
  BCH: [400, coin],
  TRX: [0.12, coin],
  TON: [6, coin],
  ATOM: [8, coin],
  NEAR: [5, 0.04],
  UNI: [8, 0.04],
  XLM: [0.1, coin],
  XMR: [160, coin],
  ETC: [22, coin],
  SHIB: [0.000_018, 0.04],
  PEPE: [0.000_01, 0.05],
  HYPE: [25, 0.05],
  AAVE: [120, 0.04],
  PAXG: [2_400, 0.01],
  USD: [1, 0],
  USDT: [1, stable],
  USDC: [1, stable],
  USDE: [1, stable],
  FDUSD: [1, stable],
  TUSD: [1, stable],
  BUSD: [1, stable],
  DAI: [1, stable],
  EUR: [1.08, currency],
  GBP: [1.27, currency],
  CHF: [1.13, currency],
  AUD: [0.66, currency],
  CAD: [0.73, currency],
  NZD: [0.6, currency],
  SGD: [0.75, currency],
  JPY: [0.006_6, currency],
  CNY: [0.14, currency],
  HKD: [0.128, stable],
  KRW: [0.000_73, currency],
  INR: [0.012, currency],
  BRL: [0.18, currency],
  MXN: [0.055, currency],
  PLN: [0.25, currency],
  SEK: [0.095, currency],
  NOK: [0.093, currency],
  ZAR: [0.055, currency],
  TRY: [0.03, currency],
}

/** The names of the assets that have a realistic level. */
export const knownAssets: readonly string[] = Object.keys(known)

export function isKnownAsset(name: string): boolean {
  return Object.hasOwn(known, name)
}

/** An asset by its name in upper case. An asset that is not in the table gets a level between 0.01 and 1,000. */
export function assetOf(name: string): Asset {
  const seed = hashText(name)
  if (isKnownAsset(name)) {
    const [usd, daily] = known[name]!
    return { usd, daily, seed }
  }
  return { usd: 10 ** (-2 + (5 * (seed >>> 0)) / 2 ** 32), daily: coin, seed }
}

/** A 32-bit hash of a text (FNV-1a over UTF-16 units), mixed so that each bit depends on the whole text. */
function hashText(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return mix(hash)
}

/** Mixes 32 bits so that neighbouring values have nothing in common (the finaliser of MurmurHash3). */
export function mix(bits: number): number {
  let mixed = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return mixed ^ (mixed >>> 16)
}
