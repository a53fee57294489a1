import assert from 'node:assert/strict'
import { type Account, botsPath, makeBot, simulated, withBotService } from '../../test/bots.ts'
import { expect } from '../../test/reaction.ts'

const base = { symbol: 'BTCUSDT', amount: '1', amount_unit: 'base' }

/** The message of a refusal that is about one field. */
async function refused(answer: ReturnType<Account['api']>, field: string): Promise<string> {
  const { details } = await expect(400, answer)
  assert.deepEqual(
    details.map((each: { field: string }) => each.field),
    [`body.${field}`],
  )
  return details[0].message
}

withBotService('a bot shows what its amount is in', async (account, service) => {
  const shown = async (fields: Record<string, unknown>) => {
    const bot = await makeBot(service, account, fields)
    return [bot.amount, bot.amount_unit, bot.amount_in, bot.size_unit, bot.amount_currency]
  }
  assert.deepEqual(await shown({}), ['100', 'quote', 'USDT', null, 'USDT'])
  assert.deepEqual(await shown(base), ['1', 'base', 'BTC', null, 'USDT'])
  assert.deepEqual(await shown({ ...base, symbol: 'BTC/USDT:USDT, btcusdc', size_unit: 'base' }), [
    ...['1', 'base', 'BTC', 'base'],
    'USDT',
  ])
  assert.deepEqual(await shown({ ...base, symbol: 'ETH/BTC' }), ['1', 'base', 'ETH', null, 'BTC'])
  // A single market has one base currency, even if nothing but the exchange knows which.
  assert.deepEqual(await shown({ ...base, symbol: '???' }), ['1', 'base', null, null, 'USDT'])
  const part = { amount: '10', amount_unit: 'equity_percent' }
  assert.deepEqual(await shown(part), ['10', 'equity_percent', '%', null, 'USDT'])
  assert.deepEqual(await shown({ size_unit: 'base' }), ['100', 'quote', 'USDT', 'base', 'USDT'])
})

withBotService('an amount in base currency that could mean several is refused', async (account, service) => {
  const exchange_id = simulated(service)
  const make = (fields: object) => account.api('POST', botsPath, { exchange_id, ...base, ...fields })
  for (const symbol of [null, '', ' , ']) {
    assert.match(await refused(make({ symbol }), 'amount_unit'), /^cannot be base without `symbol`/)
  }
  for (const symbol of ['BTCUSDT,ETHUSDT', 'BTCUSDT,???']) {
    assert.match(await refused(make({ symbol }), 'symbol'), /^must name symbols of one base currency/)
  }
  assert.match(await refused(make({ amount: undefined }), 'amount'), /^is required: .* in base currency/)
  for (const unit of ['BTC', 'Base', '', null, 1]) await refused(make({ amount_unit: unit }), 'amount_unit')
  for (const unit of ['BTC', '', 1]) await refused(make({ size_unit: unit }), 'size_unit')
  const bot = await makeBot(service, account, base)
  assert.match(
    await refused(account.api('PUT', bot.own, { symbol: null }), 'amount_unit'),
    /^cannot be base without/,
  )
})

withBotService('no change turns 1 BTC into 1 USDT, or the reverse', async (account, service) => {
  const bot = await makeBot(service, account, { symbol: 'BTCUSDT' })
  const change = (fields: object) => account.api('PUT', bot.own, fields)
  assert.equal(
    await refused(change({ amount_unit: 'base' }), 'amount'),
    'must be given too: it is 100 USDT, and would become 100 BTC',
  )
  await expect(200, change({ amount_unit: 'base', amount: '0.5' }))
  for (const [fields, becomes] of [
    [{ amount_unit: 'quote' }, '0.5 USDT'],
    [{ symbol: 'ETHUSDT' }, '0.5 ETH'],
    [{ symbol: 'ETHUSDT', amount_unit: 'base' }, '0.5 ETH'],
    [{ symbol: '???' }, '0.5 in base currency of ???'],
  ] as const) {
    const message = await refused(change(fields), 'amount')
    assert.equal(message, `must be given too: it is 0.5 BTC, and would become ${becomes}`)
  }
  // These say the same in other words.
  for (const fields of [{ symbol: 'XBTUSDT,BTC-USDC' }, { amount_unit: 'base' }, { size_unit: 'quote' }]) {
    await expect(200, change(fields))
  }
  const { amount, amount_in } = await expect(200, change({ symbol: 'ETHUSDT', amount: '7' }))
  assert.deepEqual([amount, amount_in], ['7', 'ETH'])
  await expect(200, change({ amount_unit: 'quote', amount: '7' }))
  assert.equal(
    await refused(change({ amount_currency: 'BTC' }), 'amount'),
    'must be given too: it is 7 USDT, and would become 7 BTC',
  )
  // 7 dollars are about 7 of another kind.
  await expect(200, change({ amount_currency: 'EUR' }))
  await expect(200, change({ amount_currency: 'BTC', amount: '0.001' }))
  await expect(200, change({ amount_unit: 'equity_percent', amount: '20' }))
  assert.equal(
    await refused(change({ amount_unit: 'risk_percent' }), 'amount'),
    'must be given too: it is 20 % of the equity, and would become 20 % of the equity, as a loss at the stop',
  )
  await expect(200, change({ amount_unit: 'quote', amount: '0.001' }))
  // A record that was read can be sent back.
  const { amount_in: _, ...read } = await expect(200, account.api('GET', bot.own))
  assert.equal((await expect(200, change({ ...read, name: 'again' }))).amount, '0.001')
})
