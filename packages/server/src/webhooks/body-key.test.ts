import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { takeOutKey } from './body-key.ts'

const cases: [what: string, before: string, after: string][] = [
  ['the only member', '{"key":"secret"}', '{}'],
  ['the first of two', '{"key":"secret","a":1}', '{"a":1}'],
  ['the last of two', '{"a":1,"key":"secret"}', '{"a":1}'],
  ['one in the middle', '{"a":1,"key":"secret","b":2}', '{"a":1,"b":2}'],
  ['every one of several', '{"key":1,"a":1,"key":{"key":2},"key":[3]}', '{"a":1}'],
  ['one whose name is spelled with escapes', '{"\\u006bey":"secret","k\\u0065y":"secret","a":1}', '{"a":1}'],
  ['one with white space around it', ' {\n "key" : "secret" ,\n "a" : 1\n } ', ' {\n "a" : 1\n } '],
  ['one whose value looks like the end', '{"key":"\\"},{[","a":"}"}', '{"a":"}"}'],
  ['one whose value ends in a backslash', '{"key":"\\\\","a":1}', '{"a":1}'],
]
for (const [what, before, after] of cases) {
  test(`removes ${what}`, () => assert.equal(takeOutKey(before), after))
}

const kept = [
  '{}',
  ' { } ',
  '{"a":{"key":"inner"}}',
  '{"a":[{"key":"inner"}]}',
  '{"Key":1,"KEY":2,"key ":3,"":4,"keys":5}',
  '{"a":"\\"key\\":\\"text\\""}',
  '{"\\\\u006bey":1}',
  '{"a": 1.50, "a": 12345678901234567890}',
]
for (const text of kept) {
  test(`does not change ${text}`, () => assert.equal(takeOutKey(text), text))
}

const space = fc.array(fc.constantFrom(' ', '\t', '\n', '\r'), { maxLength: 3 }).map((all) => all.join(''))
/** Each character unchanged or as an escape. */
const text = (content: fc.Arbitrary<string>) =>
  fc.tuple(content, fc.infiniteStream(fc.boolean())).map(([characters, choices]) => {
    const spelled = characters.split('').map((unit) => {
      const mustEscape = unit < ' ' || unit === '"' || unit === '\\'
      const escaped = `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
      return mustEscape || choices.next().value === true ? escaped : unit
    })
    return `"${spelled.join('')}"`
  })
const awkward = fc.string({
  unit: fc.constantFrom('"', '\\', '{', '}', '[', ']', ',', ':', 'k', 'e', 'y', ' ', 'é'),
})
const name = text(fc.oneof({ weight: 2, arbitrary: fc.constant('key') }, awkward))
const number = fc.constantFrom('0', '-0.0', '1E400', '12345678901234567890.5', '1e-7')

const { value } = fc.letrec((tie) => {
  const inner = tie('value') as fc.Arbitrary<string>
  const list = (item: fc.Arbitrary<string>) => fc.array(item, { maxLength: 3 }).map((all) => all.join(','))
  const pair = fc.tuple(space, name, space, space, inner, space)
  return {
    value: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom('true', 'false', 'null'),
      number,
      text(awkward),
      list(inner).map((items) => `[${items}]`),
      list(pair.map(([a, key, b, c, item, d]) => `${a}${key}${b}:${c}${item}${d}`)).map(
        (items) => `{${items}}`,
      ),
    ),
  }
})
const member = fc
  .tuple(space, name, space, space, value as fc.Arbitrary<string>, space)
  .map(([before, key, afterName, beforeValue, content, after]) => ({
    name: JSON.parse(key) as string,
    json: `${before}${key}${afterName}:${beforeValue}${content}${after}`,
  }))

test('of any object, only the members named key are removed, and every other byte stays', () => {
  const object = fc.tuple(space, fc.array(member, { maxLength: 8 }), space)
  fc.assert(
    fc.property(object, ([before, members, after]) => {
      const write = (all: typeof members) => `${before}{${all.map(({ json }) => json).join(',')}}${after}`
      const json = write(members)
      const result = takeOutKey(json)
      assert.equal(result, write(members.filter((each) => each.name !== 'key')))
    }),
    { numRuns: 2000 },
  )
})
