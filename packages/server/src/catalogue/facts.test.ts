import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { listable, readEntries } from './entries.ts'
import { readCcxtFacts } from './facts/ccxt.ts'
import { chains } from './facts/chains.ts'
import { conditionalCredentials } from './facts/conditional-credentials.ts'
import { dexes } from './facts/dexes.ts'
import {
  firstFreeId,
  missingRegistrations,
  type Registration,
  readRegistrations,
  registrationKey,
} from './facts/ids.ts'
import { rateExchanges } from './facts/rate-exchanges.ts'
import { readCcxt } from './read-ccxt.ts'

const registrations = readRegistrations()
const entries = readEntries()
const entry = (id: number) => entries.find((candidate) => candidate.id === id)

test('the facts about ccxt match the installed ccxt', () => {
  assert.deepEqual(readCcxtFacts(), readCcxt())
})

test('every entry of ccxt and of the list of DEXes has an id', () => {
  assert.deepEqual(missingRegistrations(registrations, listable(readCcxtFacts(), dexes)), [])
})

test('the established ids have their established meaning', () => {
  const agreed = registrations
    .filter(({ id }) => id < firstFreeId)
    .map(({ id, type, name, service }) => `${id} ${type} ${name} ${service}`)
  assert.deepEqual(agreed, [
    '1 CEX Alpaca spot',
    '2 CEX Binance spot',
    '3 CEX Binance futures',
    '4 CEX MEXC spot',
    '6 CEX Kraken spot',
    '7 CEX Kraken futures',
    '8 CEX Gate spot',
    '9 CEX Gate futures',
    '11 CEX Hyperliquid spot',
    '12 CEX Hyperliquid futures',
    '13 CEX Bitget spot',
    '14 CEX Bitget futures',
    '15 PREDICTION Polymarket prediction',
    '16 CEX MEXC futures',
  ])
})

test('no id ever changes its meaning', () => {
  // The ids of the first release. Never change this digest: if it does not match, a line of ids.csv was changed, moved
  // or removed, which must not happen.
  const first = registrations.slice(0, 386).map((line) => `${line.id} ${registrationKey(line)}\n`)
  const digest = createHash('sha256').update(first.join('')).digest('hex')
  assert.equal(digest, 'af46d0bfc24b70b345bbbbc517a1e0517bcf2e1e594372ebdb961144a615fe74')
})

test('ids rise from line to line, and no two have the same meaning', () => {
  for (const [index, { id }] of registrations.entries()) {
    assert.ok(Number.isSafeInteger(id) && id > (registrations[index - 1]?.id ?? 0), `id ${id}`)
  }
  assert.equal(new Set(registrations.map(registrationKey)).size, registrations.length)
})

test('a new exchange gets the next id, even if the newest one is gone', () => {
  const binance = {
    type: 'CEX',
    exchange: 'binance',
    service: 'spot',
    chainId: null,
    name: 'Binance',
  } as const
  const gone: Registration = { ...binance, id: 999, exchange: 'gone' }
  assert.deepEqual(missingRegistrations([gone], [binance]), [{ id: 1000, ...binance }])
  assert.deepEqual(missingRegistrations([], [binance]), [{ id: firstFreeId, ...binance }])
})

test('names are short printable text, and unique within a type and service', () => {
  for (const { name } of registrations) assert.match(name, /^[\x21-\x7e][\x20-\x7e]{0,38}[\x21-\x7e]$/)
  const named = registrations.map((line) => `${line.type} ${line.name} ${line.service} ${line.chainId}`)
  assert.equal(new Set(named).size, named.length)
})

test('every exchange of ccxt is in the catalogue, once per service', () => {
  for (const { type, exchange, services } of readCcxt()) {
    const listed = entries.filter((candidate) => candidate.type === type && candidate.exchange === exchange)
    assert.deepEqual(listed.map(({ service }) => service).sort(), services.toSorted(), exchange)
    assert.notEqual(services.length, 0, exchange)
  }
})

test('extra is true if ccxt requires more than key and secret, always or only when it signs', () => {
  for (const { type, exchange, credentials } of readCcxt()) {
    const demanded = credentials.some((credential) => !['apiKey', 'secret'].includes(credential))
    for (const listed of entries.filter((one) => one.type === type && one.exchange === exchange)) {
      assert.equal(listed.extra, demanded || exchange in conditionalCredentials, exchange)
    }
  }
  assert.deepEqual(
    [entry(2)?.extra, entry(11)?.extra, entry(13)?.extra, entry(15)?.extra],
    [false, true, true, true],
  )
})

test('the exchanges of $.Exchange provide rates with all their services, and no others do', () => {
  const supplying = entries.filter(({ hasExchangeRate }) => hasExchangeRate).map(({ id }) => id)
  assert.deepEqual(supplying, [2, 3, 6, 7, 8, 9, 11, 12, 13, 14])
  assert.deepEqual(Object.keys(rateExchanges), ['BINANCE', 'GATEIO', 'BITGET', 'HYPERLIQUID', 'KRAKEN'])
})

test('the simulated market is one entry with its own type, enabled by default', () => {
  assert.deepEqual(
    entries.filter(({ type, exchange }) => type === 'SIM' || exchange === 'sim'),
    [
      {
        id: 472,
        type: 'SIM',
        exchange: 'sim',
        service: 'spot',
        chainId: null,
        name: 'Simulated market',
        hasExchangeRate: false,
        extra: false,
        enabledByDefault: true,
      },
    ],
  )
})

test('a DEX is listed once per chain, on known chains, with its sources', () => {
  const known = new Set<string>(Object.values(chains))
  assert.equal(known.size, Object.keys(chains).length)
  assert.equal(new Set(dexes.map(({ exchange }) => exchange)).size, dexes.length)
  for (const { exchange, chains: served, sources } of dexes) {
    assert.match(exchange, /^[a-z0-9]+$/)
    assert.equal(new Set(served).size, served.length, exchange)
    assert.ok(served.length > 0 && served.every((chain) => known.has(chain)), exchange)
    assert.ok(
      sources.length > 0 && sources.every((source) => URL.parse(source)?.protocol === 'https:'),
      exchange,
    )
  }
  // The table has no chain without a DEX.
  assert.deepEqual(new Set(dexes.flatMap((dex) => dex.chains)), known)
})

test('the large chains have their large DEXes', () => {
  const on = (chainId: string) => entries.filter((one) => one.chainId === chainId).map(({ name }) => name)
  for (const chain of ['1', '10', '56', '137', '8453', '42161', '43114']) {
    for (const name of ['Uniswap', 'SushiSwap', 'Curve'])
      assert.ok(on(chain).includes(name), `${name} on ${chain}`)
  }
  for (const chain of ['100', '250', '324', '59144', '534352', 'solana'])
    assert.ok(on(chain).length >= 3, chain)
  assert.ok(on('56').includes('PancakeSwap') && on('8453').includes('Aerodrome'))
  assert.ok(on('137').includes('QuickSwap') && on('42161').includes('Camelot'))
  assert.ok(
    on('43114').includes('Trader Joe') && on('10').includes('Velodrome') && on('1').includes('Balancer'),
  )
})
