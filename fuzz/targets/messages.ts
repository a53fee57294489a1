import assert from 'node:assert/strict'
import { ProtocolBreach, readExecutorMessage } from '../../packages/sandbox/src/messages.ts'
import { textTarget, words } from '../target.ts'

const { stringify } = JSON

/** Anything that an executor sends is a message or a breach, and a message has only the fields of its type. */
export default textTarget({
  seeds: [
    '{"type":"ready"}',
    '{"type":"cold","run":7}',
    '{"type":"call","run":1,"call":2,"storage":"{}","name":"action","action":"long","options":{"size":1,"id":"a","dilution":true,"forceSize":false}}',
    '{"type":"call","run":1,"call":2,"name":"action","action":"LONG","options":{"protection":{"stop_loss":"2%","take_profit":[{"at":"2R","part":0.5}],"trailing":{"by":"1%"},"break_even":null}}}',
    '{"type":"call","run":1,"call":2,"name":"stop","notify":true}',
    '{"type":"call","run":1,"call":2,"name":"http","request":{"method":"GET","url":"https://a.b/","params":[["a","b"]],"headers":{"a":"b"},"body":null}}',
    '{"type":"call","run":1,"call":2,"name":"rate","exchange":"Binance","symbol":"BTC/USDT"}',
    '{"type":"call","run":1,"call":2,"name":"sign","payload":"a","secret":"b","algorithm":"HMAC-SHA256"}',
    '{"type":"end","run":1,"how":"threw","error":{"name":"Error","message":"m","line":1,"column":null},"storage":"1","oversizeBytes":9,"log":"l","durationMs":1.5,"cpuMs":0,"kept":false}',
    '{"type":"end","run":1,"how":"returned","error":null,"log":"","durationMs":1,"cpuMs":1,"kept":true}',
    '{"type":"alive","started":[[1,0,""],[2,10.5,"log"]]}',
  ],
  words: [
    ...words('ready cold call end alive action stop http rate sign EXIT short exit'),
    ...words('timeout memory null true "__proto__": "constructor": "toJSON": [] {} "run":'),
  ],
  check: (text) => {
    let message: ReturnType<typeof readExecutorMessage>
    try {
      message = readExecutorMessage(text)
    } catch (error) {
      assert.ok(error instanceof ProtocolBreach, String(error))
      return
    }
    assert.equal(stringify(readExecutorMessage(stringify(message))), stringify(message))
    assert.ok(Object.keys(message).every((name) => !['__proto__', 'constructor', 'toJSON'].includes(name)))
  },
})
