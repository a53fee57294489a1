import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import fc from 'fast-check'
import { Parser } from 'htmlparser2'
import { closedTrade, daysOfEquity, startMs, tradedFill, tradedOf } from '../../../../test/traded.ts'
import type { Traded } from '../../traded.ts'
import { definitionNames } from '../definitions/sets.ts'
import { exactText, moneyText, numberText } from '../numbers.ts'
import { reportOf } from '../report.ts'
import { holdingCurve, thinned } from './curves.ts'
import { html } from './markup.ts'
import { reportPage } from './page.ts'
import { timeTicks } from './plot.ts'
import { tokens } from './style.ts'

const dayMs = 86_400_000

type Element = { name: string; attributes: Record<string, string> }

/** The elements and the text of a page. Every element is closed by its own end. */
function read(page: string): { elements: Element[]; text: string } {
  const elements: Element[] = []
  let text = ''
  const parser = new Parser({
    onopentag: (name, attributes) => elements.push({ name, attributes }),
    ontext: (part) => {
      text += part
    },
    onclosetag: (name, isImplied) => {
      const isVoid = /^(meta|br|rect|path)$/.test(name)
      assert.ok(!isImplied || isVoid, `<${name}> is not closed`)
    },
  })
  parser.end(page)
  return { elements, text }
}

const pageOf = (traded: Traded, request = {}) =>
  reportPage(reportOf({ traded, request, definitions: definitionNames }), traded)

const example = tradedOf({
  equity: daysOfEquity([1_100, 990, 1_089, 1_200], { 1: 900 }),
  fills: [
    tradedFill({ fee: 1, slippageCost: 0.5 }),
    tradedFill({ side: 'sell', spreadCost: 0.25, positionAfter: 0 }),
  ],
  closed: [closedTrade({ profit: 100 }), closedTrade({ profit: -11, side: 'SHORT', reason: 'stop_loss' })],
  signals: [
    { timeMs: startMs, action: 'LONG', outcome: 'DONE', reason: null },
    { timeMs: startMs + 1, action: 'SHORT', outcome: 'REFUSED', reason: 'This bot opens only longs.' },
  ],
})

test('a page shows figures, months, trades, costs, and what became of each signal', () => {
  const { text } = read(pageOf(example, { seed: 7 }))
  for (const part of [
    '+20.00',
    'Sharpe ratio',
    'Enough trades',
    'Jan',
    '2026-01-01 00:00',
    'stop loss',
    'Before costs',
    '201.75',
    'This bot opens only longs.',
    'Followed 1',
    'Refused 1',
    'As Freqtrade defines them',
    'Kelly, A New Interpretation',
  ]) {
    assert.ok(text.replaceAll(/\s+/g, ' ').includes(part), part)
  }
})

/** Texts that would be something else than text, if a page did not escape them. */
const hostile = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom(
    '<script>alert(1)</script>',
    '"><img src=x onerror=alert(1)>',
    "' onclick='x",
    '</style><b>',
    '&lt;',
    '<!--',
    '\u202etxt',
    '\ud800',
  ),
)

/** A page with a text from outside in every place that may have one. */
const pageWith = (text: string) =>
  pageOf(
    {
      ...example,
      bot: { ...example.bot, name: text },
      quote: text,
      candles: example.candles.map((columns) => ({ ...columns, symbol: text })),
      closed: example.closed.map((trade) => ({ ...trade, symbol: text })),
      signals: example.signals.map((signal) => ({ ...signal, reason: text })),
    },
    { [`x${text}`]: text, parameters: { [text]: [text] } },
  )

test('whatever stands in names, reasons and requests is text, and nothing is loaded or run', () => {
  const plain = read(pageWith('plain')).elements.length
  fc.assert(
    fc.property(hostile, (text) => {
      const page = pageWith(text)
      const { elements } = read(page)
      const names = new Set(elements.map(({ name }) => name))
      for (const name of ['script', 'img', 'iframe', 'link', 'a', 'object', 'form', 'base'])
        assert.ok(!names.has(name), name)
      for (const { attributes } of elements) {
        for (const attribute of Object.keys(attributes))
          assert.doesNotMatch(attribute, /^(on|src|href|xlink|action)/)
        assert.doesNotMatch(attributes.style ?? '', /url|[<>"]/)
      }
      assert.equal(elements.length, plain)
    }),
    { numRuns: 40 },
  )
})

test('a page names no other address, and forbids scripts', () => {
  const page = pageOf(example)
  assert.doesNotMatch(page, /https?:|\/\/[a-z]|@import|url\(/i)
  const policy = read(page).elements.find(({ attributes }) => attributes['http-equiv'] !== undefined)!
  assert.equal(policy.attributes.content, "default-src 'none'; style-src 'unsafe-inline'")
})

const amount = fc.integer({ min: -100_000, max: 500_000 }).map((cents) => cents / 100)
const odd = fc.constantFrom(0, 1_000)

test('no page has a number that is none, whatever became of the equity', () => {
  const equities = fc.array(fc.oneof(amount, odd), { maxLength: 12 })
  fc.assert(
    fc.property(equities, fc.array(amount, { maxLength: 4 }), odd, (all, profits, startEquity) => {
      const closed = profits.map((profit) => closedTrade({ profit }))
      const page = pageOf(tradedOf({ startEquity, equity: daysOfEquity(all), closed }))
      assert.doesNotMatch(page, /NaN|Infinity|undefined/)
    }),
    { numRuns: 60 },
  )
})

test('the colours are those of the dashboard', async () => {
  const file = new URL('../../../../../dashboard/src/look/tokens.css', import.meta.url)
  const css = (await readFile(file, 'utf8')).replaceAll(/\s+/g, ' ')
  for (const [name, value] of Object.entries(tokens)) assert.ok(css.includes(`${name}: ${value};`), name)
})

test('numbers have thousands apart, a minus sign, and as many digits as people need', () => {
  assert.deepEqual(
    [-1_234_567.891, 0.004, -0.004, 999].map((value) => numberText(value, 2)),
    ['−1,234,567.89', '0.00', '0.00', '999.00'],
  )
  assert.deepEqual([12.345, -0.00012346, 0, 1e-15].map(moneyText), ['12.35', '−0.0001235', '0.00', '0.00'])
  assert.deepEqual([60_634.96233, 0.00165035, 0, 1_200, -0.5].map(exactText), [
    '60,634.962',
    '0.00165035',
    '0',
    '1,200',
    '−0.5',
  ])
})

test('the labels of a time axis are round moments within it, at most eight', () => {
  const span = (from: string, to: string) =>
    timeTicks({ fromMs: Date.parse(from), toMs: Date.parse(to) }).map(({ label }) => label)
  assert.deepEqual(span('2024-07-13T00:00Z', '2025-11-25T00:00Z'), [
    '2024-10',
    '2025-01',
    '2025-04',
    '2025-07',
    '2025-10',
  ])
  assert.deepEqual(span('2026-01-05T10:20Z', '2026-01-05T14:10Z'), [
    '10:30',
    '11:00',
    '11:30',
    '12:00',
    '12:30',
    '13:00',
    '13:30',
    '14:00',
  ])
  const year = 365 * dayMs
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 50 * year }),
      fc.integer({ min: 1, max: 60 * year }),
      (fromMs, lengthMs) => {
        const ticks = timeTicks({ fromMs, toMs: fromMs + lengthMs })
        assert.ok(ticks.length <= 8)
        assert.ok(ticks.every(({ timeMs }) => timeMs >= fromMs && timeMs < fromMs + lengthMs))
      },
    ),
  )
})

test('a thinned curve keeps its first, last, lowest and highest points', () => {
  const points = Array.from({ length: 50_000 }, (_, timeMs) => ({
    timeMs,
    value: Math.sin(timeMs * 1.7) * (timeMs % 977),
  }))
  const kept = thinned(points, points.length, { fromMs: 0, toMs: 50_000 })
  assert.ok(kept.length <= 4_004)
  assert.deepEqual([kept[0], kept.at(-1)], [points[0], points.at(-1)])
  const range = (all: typeof points) => [
    Math.min(...all.map(({ value }) => value)),
    Math.max(...all.map(({ value }) => value)),
  ]
  assert.deepEqual(range(kept), range(points))
})

test('the curve of buying and holding takes each symbol from its first opening', () => {
  const columns = (symbol: string, days: number[], open: number, close: number[]) => {
    return {
      symbol,
      timeMs: days.map((day) => startMs + day * dayMs),
      open: close.map(() => open),
      high: close,
      low: close,
      close,
    }
  }
  const candles = [columns('A', [0, 1, 2], 100, [110, 120, 130]), columns('B', [1, 2], 10, [20, 10])]
  const curve = [...holdingCurve(tradedOf({ equity: daysOfEquity([1, 1, 1]), candles }))]
  assert.deepEqual(
    curve.map(({ value }) => value),
    [1_050, 1_600, 1_150],
  )
})

test('a template escapes what it is given, and leaves out what is nothing', () => {
  const made = html`<p title="${'"<\'&'}">${null}${false}${[html`<b>${1}</b>`, html`${'>'}`]}</p>`
  assert.equal(made.text, '<p title="&quot;&lt;&#39;&amp;"><b>1</b>&gt;</p>')
})
