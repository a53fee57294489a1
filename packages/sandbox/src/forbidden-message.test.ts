import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkText, forbiddenIdentifiers, forbiddenMessage } from './index.ts'

test('the message for "close" says how to read the last price of a candle', () => {
  assert.equal(
    forbiddenMessage('close'),
    `"close" may not stand in code, not even in a comment. Read a candle's last price with payload['clo' + 'se'], or send it as "last".`,
  )
})

test('each message names the identifier and the rule, and its way out is allowed in code', () => {
  for (const identifier of forbiddenIdentifiers) {
    const [rule, wayOut] = forbiddenMessage(identifier).split('not even in a comment.')
    assert.equal(rule, `"${identifier}" may not stand in code, `)
    assert.deepEqual(checkText(wayOut!), [], identifier)
    const parts = /payload\['(\w+)' \+ '(\w+)'\]/.exec(wayOut!)
    if (parts !== null) assert.equal(`${parts[1]}${parts[2]}`, identifier)
  }
})
