import assert from 'node:assert/strict'
import { test } from 'node:test'
import { strategyPath } from './paths.ts'

test('each type of strategy has its page', () => {
  assert.equal(strategyPath('code-strategy', 5), '/strategies/code/5')
  assert.equal(strategyPath('code-reaction', 5), '/strategies/reaction/5')
  assert.equal(strategyPath('llm-reaction', 5), '/ai-strategies/reaction/5')
  assert.equal(strategyPath('llm-session', 5), '/ai-strategies/session/5')
})
