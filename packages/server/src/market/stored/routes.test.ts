import assert from 'node:assert/strict'
import { parquetCandles, parquetFunding } from '../../../test/parquet-files.ts'
import { expect } from '../../../test/reaction.ts'
import { withSharedAccount } from '../../../test/shared-account.ts'
import { until } from '../../../test/until.ts'

const path = '/api/v2/candle'
const header = 'time,open,high,low,close,volume'

withSharedAccount('an import comes back exactly, and is its owner’s alone', async (account, stranger) => {
  const made = await expect(
    201,
    account.api('POST', path, { name: 'EUR/USD of my broker', symbol: 'EUR/USD', interval: '1m' }),
  )
  assert.deepEqual([made.source, made.rows, made.checksum], ['import', 0, null])
  const lines = Array.from({ length: 3_000 }, (_, index) => {
    const open = 1.1 + (index % 50) / 10_000
    return `${1_700_000_040_000 + index * 60_000},${open.toFixed(4)},${(open + 0.001).toFixed(5)},${(open - 0.001).toFixed(5)},${open.toFixed(4)},0.30${index}`
  })
  const importing = `${path}/${made.id}/import`
  const csv = `${header}\n${lines.join('\n')}`
  const first = await expect(200, account.api('POST', importing, { csv }))
  assert.deepEqual(first, { added: 3_000, repeated: 0, dropped: 0 })
  const again = await expect(200, account.api('POST', importing, { csv }))
  assert.deepEqual(again, { added: 0, repeated: 3_000, dropped: 0 })
  const series = await expect(200, account.api('GET', `${path}/${made.id}`))
  assert.deepEqual([series.rows, series.first_at], [3_000, '2023-11-14T22:14:00.000Z'])
  const exported = await account.api('GET', `${path}/${made.id}/candles.csv`)
  const plain = (text: string) =>
    text
      .split(',')
      .map((cell) => (cell.includes('.') ? cell.replace(/\.?0+$/, '') : cell))
      .join(',')
  assert.equal(exported.body, `${[header, ...lines.map(plain)].join('\r\n')}\r\n`)

  const copy = await expect(201, account.api('POST', path, { symbol: 'EUR/USD', interval: '1m' }))
  await expect(200, account.api('POST', `${path}/${copy.id}/import`, { csv: exported.body }))
  assert.equal((await expect(200, account.api('GET', `${path}/${copy.id}`))).checksum, series.checksum)

  const seen = await expect(200, stranger.api('GET', path))
  assert.ok(seen.every(({ id }: { id: number }) => id !== made.id && id !== copy.id))
  for (const [method, place] of [
    ['GET', ''],
    ['GET', '/coverage'],
    ['GET', '/candles.csv'],
    ['POST', '/import'],
    ['DELETE', ''],
  ] as const) {
    const answer = await stranger.api(
      method,
      `${path}/${made.id}${place}`,
      ...(method === 'POST' ? [{ csv: 'x' }] : []),
    )
    assert.equal(answer.status, 404, place)
  }
  await expect(200, account.api('DELETE', `${path}/${made.id}`))
  await expect(404, account.api('GET', `${path}/${made.id}`))
})

withSharedAccount('an import stores all of a file or nothing, and names each wrong line', async (account) => {
  const { id } = await expect(201, account.api('POST', path, { symbol: 'BTC/USDT', interval: '1d' }))
  const importing = `${path}/${id}/import`
  const rows = ['2026-01-01,1,2,1,2,5', '2026-01-02,3,2,1,2,5', '2099-01-01,1,2,1,2,5']
  const refused = await expect(
    400,
    account.api('POST', importing, { csv: [header, ...rows].join('\n'), first_line: 100 }),
  )
  assert.deepEqual(
    refused.details.map(({ field, line }: { field: string; line: number }) => [field, line]),
    [
      ['body.csv', 101],
      ['body.csv', 102],
    ],
  )
  assert.equal((await expect(200, account.api('GET', `${path}/${id}`))).rows, 0)
  await expect(200, account.api('POST', importing, { csv: `${header}\n${rows[0]}` }))
  const changed = await expect(
    400,
    account.api('POST', importing, { csv: `${header}\n2025-12-31,1,2,1,2,5\n2026-01-01,1,2,1,2,6` }),
  )
  assert.match(changed.error, /line 3: time 2026-01-01T00:00:00.000Z is stored already with other values/)
  assert.equal((await expect(200, account.api('GET', `${path}/${id}`))).rows, 1)
  const nothing = await expect(400, account.api('POST', importing, { csv: header }))
  assert.match(nothing.error, /there is no row to import/)
  const scattered = Array.from({ length: 4_001 }, (_, part) => `${(20_000 + part) * 61_440_000},1,2,1,2,5`)
  const minutes = await expect(201, account.api('POST', path, { symbol: 'BTC/USDT', interval: '1m' }))
  const csv = [header, ...scattered].join('\n')
  const tooFar = await expect(400, account.api('POST', `${path}/${minutes.id}/import`, { csv }))
  assert.match(tooFar.error, /rows in at most 4,000 stretches of 1,024 intervals, and has rows in 4,001/)
  const hostile = await expect(400, account.api('POST', importing, { csv: `${header}\n\0` }))
  assert.equal(hostile.details[0].field, 'body.csv')
  for (const body of [
    { symbol: 'X' },
    { symbol: 'X', interval: '7x' },
    { kind: 'funding', symbol: 'X', interval: '1h' },
  ]) {
    const answer = await expect(400, account.api('POST', path, body))
    assert.equal(answer.details[0].field, 'body.interval')
  }
  const ended = await expect(
    400,
    account.api('GET', `${path}/${id}/coverage?since=2026-01-02T00:00:00Z&until=2026-01-01T00:00:00Z`),
  )
  assert.equal(ended.details[0].field, 'querystring.since')
})

withSharedAccount('Parquet is imported exactly, or refused with the row that is wrong', async (account) => {
  const make = (body: object) => expect(201, account.api('POST', path, { symbol: 'BTC/USDT', ...body }))
  const { id } = await make({ interval: '1h' })
  const importing = `${path}/${id}/import`
  assert.deepEqual(await expect(200, account.api('POST', importing, { parquet: parquetCandles })), {
    ...{ added: 3, repeated: 0, dropped: 0 },
  })
  const exported = await account.api('GET', `${path}/${id}/candles.csv`)
  assert.equal(
    String(exported.body).split('\r\n')[1],
    '1767225600000,0.1234567890123456789012345,1.2,0.05,0.15,0.1',
  )
  const daily = await make({ interval: '1d' })
  const refuse = async (body: object, to = id) =>
    (await expect(400, account.api('POST', `${path}/${to}/import`, body))).details[0]
  const wrong = await refuse({ parquet: parquetCandles }, daily.id)
  assert.deepEqual([wrong.field, wrong.line], ['body.parquet', 2])
  assert.match(wrong.message, /within the candle of line 1/)
  const funding = await refuse({ parquet: parquetFunding })
  assert.deepEqual([funding.field, funding.line], ['body.parquet', 1])
  assert.match(funding.message, /the header must be/)
  assert.match(
    (await refuse({ parquet: 'UEFSMQ==' })).message,
    /cannot be used: it cannot be read as Parquet/,
  )
  assert.match((await refuse({ parquet: 'not base64' })).message, /must be a file in Base64/)
  assert.match((await refuse({ parquet: parquetCandles, csv: header })).message, /cannot come with `csv`/)
  assert.equal((await refuse({})).field, 'body.csv')
})

withSharedAccount(
  'what is downloaded from an exchange, all accounts share',
  async (account, stranger, administrator) => {
    const downloads = `${path}/download`
    const hourMs = 3_600_000
    const from = new Date(Math.floor(Date.now() / hourMs) * hourMs - 50 * hourMs).toISOString()
    const asked = { exchange: 'sim', symbol: 'adausdt', interval: '2h', from }
    let download = await expect(202, account.api('POST', downloads, asked))
    assert.deepEqual([download.symbol, download.exchange, download.next], ['ADA/USDT', 'sim', download.from])
    await until('the end of the download', async () => {
      download = await expect(200, account.api('GET', `${downloads}/${download.id}`))
      return download.status === 'FINISHED'
    })
    assert.deepEqual([download.progress, download.stored >= 24, download.reason], [1, true, null])
    const series = await expect(200, stranger.api('GET', `${path}/${download.series_id}`))
    assert.deepEqual([series.source, series.rows, series.interval], ['exchange', download.stored, '2h'])
    const coverage = await expect(200, stranger.api('GET', `${path}/${series.id}/coverage`))
    assert.deepEqual([coverage.gap_count, coverage.changes], [0, []])
    const market = `exchange=sim&symbol=adausdt&interval=2h&since=${from}`
    const { candles } = await expect(200, stranger.api('GET', `/api/v2/market/candles?${market}`))
    const exported = await stranger.api('GET', `${path}/${series.id}/candles.csv`)
    const { time, open, high, low, last, volume } = candles[0]
    assert.equal(String(exported.body).split('\r\n')[1], [time, open, high, low, last, volume].join())
    await expect(404, stranger.api('GET', `${downloads}/${download.id}`))
    await expect(404, stranger.api('PUT', `${downloads}/${download.id}/status`, { status: 'CANCELLED' }))
    await expect(409, account.api('PUT', `${downloads}/${download.id}/status`, { status: 'CANCELLED' }))
    await expect(403, stranger.api('DELETE', `${path}/${series.id}`))
    await expect(409, stranger.api('POST', `${path}/${series.id}/import`, { csv: header }))
    await expect(200, administrator.api('DELETE', `${path}/${series.id}`))
    await expect(404, account.api('GET', `${path}/${series.id}`))
    for (const [change, field] of [
      [{ exchange: 'nowhere' }, 'body.exchange'],
      // The prices of this installation are simulated.
      [{ exchange: 'binance' }, 'body.exchange'],
      [{ symbol: 'nothing' }, 'body.symbol'],
      [{ interval: '7m' }, 'body.interval'],
      [{ interval: 'x' }, 'body.interval'],
      [{ interval: undefined }, 'body.interval'],
      [{ kind: 'funding' }, 'body.interval'],
      [{ kind: 'funding', interval: undefined, service: 'spot' }, 'body.service'],
      [{ from: '2099-01-01T00:00:00Z' }, 'body.from'],
      [{ to: '2020-01-01T00:00:00Z' }, 'body.to'],
    ] as const) {
      const answer = await expect(400, account.api('POST', downloads, { ...asked, ...change }))
      assert.equal(answer.details[0].field, field)
    }
  },
)
