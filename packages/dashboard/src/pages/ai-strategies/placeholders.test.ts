import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bytesOf, positionOf, spansOf } from './placeholders.ts'

const marked = (prompt: string) =>
  spansOf(prompt, 'reaction').flatMap(({ text, mark }) => (mark ? [[text, mark]] : []))

test('placeholders are told apart from text, and unknown ones from known ones', () => {
  assert.deepEqual(spansOf('Judge {{data}}.', 'reaction'), [
    { text: 'Judge ', mark: null },
    { text: '{{data}}', mark: 'known' },
    { text: '.', mark: null },
  ])
  assert.deepEqual(marked('{{ data }} {{datta}} {{price:binance:spot:btc/usdt}} {{price:btc}}'), [
    ['{{ data }}', 'known'],
    ['{{datta}}', 'unknown'],
    ['{{price:binance:spot:btc/usdt}}', 'known'],
    ['{{price:btc}}', 'unknown'],
  ])
  assert.deepEqual(marked('{{data}} {{data}} {{current_time}} {{current_time}} {{'), [
    ['{{data}}', 'known'],
    ['{{data}}', 'unknown'],
    ['{{current_time}}', 'known'],
    ['{{current_time}}', 'known'],
    ['{{', 'unknown'],
  ])
})

test('a session knows no placeholder for a payload', () => {
  const prompt = '{{data}} {{ip}} {{headers}} {{storage}}'
  const marks = spansOf(prompt, 'session').flatMap(({ mark }) => mark ?? [])
  assert.deepEqual(marks, ['unknown', 'unknown', 'unknown', 'known'])
})

test('functions are known by their form, and own values by their definition', () => {
  const known = [
    ...['{{get:https://a.example/b?c=d}}', '{{ toon: get:http://a.example/ }}', '{{toon:data}}', '{{#:}}'],
    ...['{{val:pair=BTC/USDT}}', '{{pair}}', '{{toon:{{headers}}}}', '{{comment: {{data}} {{x}} }}'],
    ...['{{toon:[{"a":{"b":"}}"}}]}}', '{{val:json={"a":{"b":1}}}}', '{{toon:json}}', '{{toon:pair}}'],
  ]
  assert.deepEqual(
    marked(known.join(' and ')),
    known.map((text) => [text, 'known']),
  )
  const unknown = [
    '{{get:example.com}}',
    '{{none}}',
    '{{toon:none}}',
    '{{val:=1}}',
    '{{toon:data}} ',
    '{{toon:[}}',
  ]
  assert.deepEqual(
    marked(`{{data}} ${unknown.join(' ')}`).map(([, mark]) => mark),
    ['known', ...unknown.map(() => 'unknown')],
  )
})

test('the spans of any text are that text', () => {
  for (const text of [
    '',
    '{{',
    '}}{{',
    '{{{data}}}',
    'a {{b',
    '{{data}}{{data}}',
    '{{\n}}',
    '{{#:{{}}',
    '{{toon:[',
    '{{val:a={',
  ])
    assert.equal(
      spansOf(text, 'reaction')
        .map(({ text }) => text)
        .join(''),
      text,
    )
})

test('a place by line and column, and the size in bytes', () => {
  assert.equal(positionOf('one\ntwo {{x}}', 2, 5), 8)
  assert.equal(positionOf('one', 5, 1), 0)
  assert.equal(positionOf('one', 1, 99), 3)
  assert.equal(bytesOf('ä€'), 5)
})
