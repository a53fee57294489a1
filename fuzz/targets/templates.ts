import assert from 'node:assert/strict'
import { parseTemplate, type Template } from '../../packages/server/src/ai/template.ts'
import { textTarget } from '../target.ts'

/** A prompt is a template that stays the same if it is written and parsed again, or it has problems within its text. */
export default textTarget({
  seeds: [
    'Plain.',
    'At {{ current_time }}: {{data}}\n{{storage}}',
    'BTC: {{price:Binance:spot:BTC/USDT}} {{price:a:b:c:d}}',
    '{{nothing}} {{data}} {{data}} {{',
    '{{val:a=1}}{{a}} {{toon:[{"a":{"b":1}}]}} {{toon:{{storage}}}} {{#: {{data}} }}',
    '{{get:https://example.com/a?b=c}} {{toon:get:http://example.com}}',
  ],
  words: [
    '{{',
    '}}',
    'data',
    'headers',
    'ip',
    'storage',
    'price:',
    'last_trigger_at',
    'last_trigger_action',
    'current_time',
    'val:a=',
    'get:https://a.b/',
    'toon:',
    'comment:',
    '#:',
    '{"a":[',
    ':',
    '\n',
  ],
  check: (text) => {
    const { template, problems } = parseTemplate(text)
    if (template === undefined) {
      assert.ok(problems.length > 0 && problems.length <= 20)
      const lines = text.split('\n')
      for (const { line, column, message } of problems) {
        assert.ok(
          column >= 1 && column <= (lines[line - 1]?.length ?? -1) + 1,
          `${message} ${line}:${column}`,
        )
      }
      return
    }
    // What a prompt defines, writes as TOON or comments is gone from its template.
    if (/val|toon|comment|#/.test(text)) return
    assert.deepEqual(parseTemplate(written(template)).template, template)
    const plain = template.filter((part) => part.type === 'text').map((part) => part.text)
    assert.ok(plain.every((part) => text.includes(part) && !part.includes('{{')))
    if (!text.includes('{{')) assert.equal(plain.join(''), text)
  },
})

function written(template: Template): string {
  const parts = template.map((part) => {
    if (part.type === 'text') return part.text
    if (part.type === 'value') return `{{${part.name}}}`
    if (part.type === 'page') return `{{get:${part.url}}}`
    return `{{price:${part.exchange}:${part.service}:${part.pair}}}`
  })
  return parts.join('')
}
