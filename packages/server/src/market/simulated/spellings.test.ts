/** Every documented spelling of a symbol works on the simulated market, wherever a user can write one. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import { makeBot } from '../../../test/bot.ts'
import { expect } from '../../../test/reaction.ts'
import { startService, type TestService } from '../../../test/service.ts'
import { readEntries } from '../../catalogue/entries.ts'

const simulatedId = readEntries().find(({ type }) => type === 'SIM')!.id
const docs = new URL('../../../../../docs/', import.meta.url)

/** All spellings in the table of docs/market-data.md and the row `symbol` of docs/signals.md. */
async function documentedSpellings(): Promise<string[]> {
  const [marketData, signals] = await Promise.all(
    ['market-data.md', 'signals.md'].map((file) => readFile(new URL(file, docs), 'utf8')),
  )
  const table = /^\| written \|.*\n\|[-|]*\n((?:\|.*\n)+)/m.exec(marketData!)![1]!
  const symbolRow = /^\| `symbol` \| string \|(.*)$/m.exec(signals!)![1]!
  const cells = [...table.matchAll(/^\|([^|]*)\|/gm)].map(([, cell]) => cell!)
  const quoted = [...cells, symbolRow].flatMap((text) => [...text.matchAll(/`([^`]+)`/g)])
  return [...new Set(quoted.map(([, spelling]) => spelling!))]
}

/** The documentation uses only these two pairs. */
const pairOf = (spelling: string) => (/usdt/i.test(spelling) ? 'BTC/USDT' : 'BTC/USD')

let spellings: string[]
let service: TestService
before(async () => {
  spellings = await documentedSpellings()
  assert.ok(spellings.length > 15 && spellings.includes('BINANCE:BTCUSDT.P'), spellings.join(', '))
  service = await startService()
})
after(() => service[Symbol.asyncDispose]())

test('a bot trades one position, however its signals spell the pair', async () => {
  const bot = await makeBot(service, { exchange_id: simulatedId, amount: 10 })
  const sent = spellings.filter((spelling) => pairOf(spelling) === 'BTC/USDT')
  for (const symbol of sent) {
    const { status, body } = await bot.send({ symbol, side: 'LONG', dilution: true })
    assert.equal(status, 202, `${symbol}: ${JSON.stringify(body)}`)
  }
  const followed = await bot.followed(sent.length)
  assert.deepEqual(
    followed.map(({ symbol, status, reason }) => ({ symbol, status, reason })),
    sent.map((symbol) => ({ symbol, status: 'DONE', reason: null })),
  )
  assert.deepEqual(
    (await bot.positions()).map(({ symbol }: { symbol: string }) => symbol),
    ['BTC/USDT'],
  )
})

test('a strategy has a price, however its price_symbol is spelled', async () => {
  const code = '$.log(JSON.stringify($.Price))'
  for (const price_symbol of spellings) {
    const settings = { code, use_price: true, exchange_id: simulatedId, price_symbol }
    const { id } = await expect(201, service.api('POST', '/api/v2/strategy/code', settings))
    const run = await expect(200, service.api('POST', `/api/v2/strategy/code/${id}/test`, {}))
    const { symbol, price } = JSON.parse(run.log)
    assert.equal(symbol, price_symbol)
    assert.ok(price > 10_000, `${symbol}: ${price}`)
  }
})

test('$.getExchangeRate has a rate, however the pair is spelled', async () => {
  const code = `const rates = []
    for (const symbol of ${JSON.stringify(spellings)}) {
      rates.push([symbol, await $.getExchangeRate($.Exchange.BINANCE, symbol)])
    }
    $.log(JSON.stringify(rates))`
  const run = await expect(200, service.api('POST', '/api/v2/strategy/code/test', { code }))
  const rates = JSON.parse(run.log)
  assert.equal(rates.length, spellings.length)
  for (const [symbol, rate] of rates) assert.ok(rate > 10_000, `${symbol}: ${rate}`)
})
