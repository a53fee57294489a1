/** Compares `docs/backtests.md` with the figures of a report. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { missingReasons, unaskedReasons } from '../packages/server/src/backtests/model/missing.ts'
import { askedQuestion, recordedQuestion } from '../packages/server/src/backtests/model/recorded-check.ts'
import { definitions } from '../packages/server/src/backtests/report/definitions/sets.ts'
import { tradeQuestions } from '../packages/server/src/backtests/report/honesty/checks.ts'
import {
  lookAheadQuestion,
  warmUpQuestion,
} from '../packages/server/src/backtests/report/honesty/signal-checks.ts'
import { metrics } from '../packages/server/src/backtests/report/metrics.ts'
import { read } from './repository.ts'
import { rowsOf } from './tables.ts'

const markdown = await read('docs/backtests.md')

test('backtests.md defines each figure of a report as the code does', () => {
  assert.ok(metrics.length > 15)
  assert.deepEqual(
    rowsOf(markdown, 'figure'),
    metrics.map(({ name, unit, formula, source }) => [name, unit, formula, source]),
  )
})

test('backtests.md has the definitions of other tools as the code has them', () => {
  const heads = { 'backtesting.py': 'figure of backtesting.py', freqtrade: 'figure of Freqtrade' }
  for (const [tool, set] of Object.entries(definitions)) {
    assert.deepEqual(
      rowsOf(markdown, heads[tool as keyof typeof heads]),
      set.map(({ name, label, unit, formula }) => [name, label, unit, formula]),
    )
  }
})

test('backtests.md says what makes each check doubt', () => {
  const questions = [...tradeQuestions, lookAheadQuestion, warmUpQuestion, askedQuestion, recordedQuestion]
  assert.deepEqual(
    rowsOf(markdown, 'check'),
    questions.map(({ name, doubt_if, source }) => [name, doubt_if, source]),
  )
})

test('backtests.md says why an event has no recorded decision', () => {
  assert.deepEqual(rowsOf(markdown, 'no recorded decision'), Object.entries(missingReasons))
  assert.deepEqual(rowsOf(markdown, 'not asked'), Object.entries(unaskedReasons))
})

test('no two figures of a set have the same name', () => {
  for (const set of [metrics, ...Object.values(definitions)]) {
    assert.equal(new Set(set.map(({ name }) => name)).size, set.length)
  }
})
